"""The names that a shell completes: of every task, since a half-written line does not tell which is meant."""

from tasks.catalog import BENCHMARKS


def task_names() -> list[str]:
    """Return every task."""
    return list(BENCHMARKS)


def preset_names() -> list[str]:
    """Return every preset, each once."""
    return list(dict.fromkeys(preset.name for one in BENCHMARKS.values() for preset in one.presets))


def variant_names() -> list[str]:
    """Return every variant, each once."""
    return list(dict.fromkeys(name for one in BENCHMARKS.values() for name in one.pins if name is not None))
