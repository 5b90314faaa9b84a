"""Which further metrics people are shown, beside accuracy: all of them stand in report.json."""

from collections.abc import Iterator, Mapping

from reports.metrics import SideBySide

_PASS_AT = "pass@"
_GROUPS = 4  # groups of k responses an item that a shown pass@k rests on: of fewer its interval is wide


def shown_secondary(secondary: Mapping[str, SideBySide], epochs: int) -> dict[str, SideBySide]:
    """Return the metrics to show; of pass@k the one with the largest k that ``epochs`` can tell well."""
    known = [k for k in _ks(secondary) if k <= max(2, epochs // _GROUPS)]
    shown = f"{_PASS_AT}{max(known)}" if known else None
    return {
        name: found for name, found in secondary.items() if not name.startswith(_PASS_AT) or name == shown
    }


def _ks(secondary: Mapping[str, SideBySide]) -> Iterator[int]:
    for name in secondary:
        if name.startswith(_PASS_AT) and name.removeprefix(_PASS_AT).isdigit():
            yield int(name.removeprefix(_PASS_AT))
