"""What a simulated checkpoint is like: how often it is right, how long it thinks, how it fails."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

EFFORT_FACTORS = {"low": 0.35, "medium": 0.7, "high": 1.0, "max": 1.5}


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """A lognormal distribution of token counts: its median, the sigma of its logarithm, a cap."""

    median: float
    sigma: float = 0.0
    cap: int = 1_000_000

    def draw(self, rng: np.random.Generator, scale: float = 1.0) -> int:
        """Return one length in tokens, ``scale`` times as long as drawn; one draw is taken from ``rng``."""
        length = self.median * scale * float(np.exp(self.sigma * rng.standard_normal()))
        return min(round(length), round(self.cap * max(scale, 1.0)))


@dataclass(frozen=True, kw_only=True)
class TaskProfile:
    """How often each sample of one task is answered right, as probabilities in [0, 1].

    With ``mean`` set the samples follow a U-shaped beta distribution with that mean; ``concentration`` is
    its a + b: small means that most samples are always or never solved. Otherwise every sample has
    ``default``. ``hardest`` then replaces the probabilities of the hardest samples, hardest first, and
    ``items`` (by sample id) wins over both. ``reasoning`` replaces the profile's lengths for this task.
    """

    default: float = 1.0
    mean: float | None = None
    concentration: float = 0.35
    hardest: tuple[float, ...] = ()
    items: Mapping[str, float] = field(default_factory=dict)
    reasoning: Lengths | None = None


@dataclass(frozen=True, kw_only=True)
class FailureWeights:
    """In what proportion the responses that are not right fail in each way."""

    wrong: float = 0.93
    no_answer: float = 0.05
    loop: float = 0.02  # repeats itself until the budget ends
    flood: float = 0.0  # one sign until the budget ends: NaN logits


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A simulated checkpoint. ``tokens_per_s`` of ``None`` means as fast as the machine can."""

    name: str
    tasks: Mapping[str, TaskProfile] = field(default_factory=dict)
    other_tasks: TaskProfile = field(default_factory=TaskProfile)
    reasoning: Lengths = field(default_factory=lambda: Lengths(median=4000, sigma=0.7, cap=100_000))
    answer: Lengths = field(default_factory=lambda: Lengths(median=120, sigma=0.4, cap=2000))
    chat: Lengths = field(default_factory=lambda: Lengths(median=40, sigma=0.4, cap=400))
    failures: FailureWeights = field(default_factory=FailureWeights)
    tokens_per_s: float | None = None
    ttft_s: float = 0.0
    thinking: bool = True

    def task(self, name: str) -> TaskProfile:
        """Return what is said of the task ``name``, or of tasks not named."""
        return self.tasks.get(name, self.other_tasks)


# Where the figures come from: AIME25 of the published INT4 run, 950 of 960 with one sample at 22 of 32; the
# other means lie where the published runs of this family lie. nvfp4 loses a little everywhere, on the
# samples that int4 already finds hardest, and thinks a little longer.
INT4 = Profile(
    name="int4",
    tasks={
        "smoke": TaskProfile(mean=0.985, reasoning=Lengths(median=120, sigma=0.6, cap=1_500)),
        "aime25": TaskProfile(hardest=(0.69,), reasoning=Lengths(median=14_000, sigma=0.65, cap=125_000)),
        "gpqa_diamond": TaskProfile(mean=0.905, reasoning=Lengths(median=5_000, sigma=0.9, cap=110_000)),
        "ocrbench": TaskProfile(mean=0.895, reasoning=Lengths(median=400, sigma=0.8, cap=15_000)),
        "mmmu_pro": TaskProfile(mean=0.815, reasoning=Lengths(median=1_800, sigma=0.9, cap=60_000)),
        "k2_tool_calls": TaskProfile(
            mean=0.86, concentration=1.5, reasoning=Lengths(median=300, sigma=0.7, cap=8_000)
        ),
    },
)
NVFP4 = Profile(
    name="nvfp4",
    tasks={
        "smoke": TaskProfile(mean=0.98, reasoning=Lengths(median=124, sigma=0.6, cap=1_500)),
        "aime25": TaskProfile(
            hardest=(0.62, 0.93, 0.97), reasoning=Lengths(median=14_400, sigma=0.66, cap=125_000)
        ),
        "gpqa_diamond": TaskProfile(mean=0.897, reasoning=Lengths(median=5_150, sigma=0.9, cap=110_000)),
        "ocrbench": TaskProfile(mean=0.892, reasoning=Lengths(median=405, sigma=0.8, cap=15_000)),
        "mmmu_pro": TaskProfile(mean=0.808, reasoning=Lengths(median=1_850, sigma=0.9, cap=60_000)),
        "k2_tool_calls": TaskProfile(
            mean=0.85, concentration=1.5, reasoning=Lengths(median=305, sigma=0.7, cap=8_000)
        ),
    },
)
BROKEN = Profile(
    name="broken",
    other_tasks=TaskProfile(default=0.0),
    failures=FailureWeights(wrong=0.0, no_answer=0.0, loop=0.0, flood=1.0),
)
BUILT_IN = {profile.name: profile for profile in (INT4, NVFP4, BROKEN)}
