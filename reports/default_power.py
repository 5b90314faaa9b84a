"""What is assumed of each task until a baseline is measured: its noise, epochs and margin."""

from reports.power import Noise

# The smallest margins two equal checkpoints pass four times in five at the default epochs (statistics 9).
DEFAULT_MARGINS = {
    "smoke": 0.03,
    "aime25": 0.014,
    "gpqa_diamond": 0.031,
    "ocrbench": 0.021,
    "mmmu_pro": 0.024,
    "k2_tool_calls": 0.008,
}
# Assumed until a baseline is measured: the noise behind the default margins (statistics 9).
DEFAULT_NOISE = {
    # assumed of a capable checkpoint; small models, measured, are several times as noisy
    "smoke": Noise(n_items=170, accuracy=0.98, within_baseline=0.0145, within_candidate=0.0145),
    "aime25": Noise(n_items=30, accuracy=0.985, within_baseline=0.0103, within_candidate=0.0103),
    "gpqa_diamond": Noise(n_items=198, accuracy=0.90, within_baseline=0.0465, within_candidate=0.0465),
    "ocrbench": Noise(n_items=1000, accuracy=0.91, within_baseline=0.0268, within_candidate=0.0268),
    "mmmu_pro": Noise(n_items=1730, accuracy=0.79, within_baseline=0.0625, within_candidate=0.0625),
    "k2_tool_calls": Noise(n_items=2000, accuracy=0.99, within_baseline=0.0075, within_candidate=0.0075),
}
DEFAULT_EPOCHS = {
    "smoke": 2,
    "aime25": 32,
    "gpqa_diamond": 4,
    "ocrbench": 1,
    "mmmu_pro": 1,
    "k2_tool_calls": 1,
}
