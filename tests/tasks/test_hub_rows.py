from types import SimpleNamespace
from typing import Any

import datasets
import pytest

from tasks.hub import HubCopy
from tasks.hub_reader import read_hub_rows
from tasks.rows import DataError

COPY = HubCopy(repo="made/up", config="default", split="test", revision="a" * 40)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Stand in for the hub: return what it was asked for, answer with two rows of an image each."""
    asked: list[dict[str, Any]] = []

    def load(repo: str, config: str, **options: Any) -> datasets.Dataset:
        asked.append({"repo": repo, "config": config, **options})
        table = datasets.Dataset.from_dict({"id": ["x", "y"], "image": [{"bytes": b"1", "path": None}] * 2})
        return table.cast_column("image", datasets.Image())

    monkeypatch.setattr("datasets.load_dataset", load)
    monkeypatch.setattr("tasks.hub_reader._why_not", lambda _copy: None)
    return asked


def test_images_stay_undecoded(hub: list[dict[str, Any]]) -> None:
    found = read_hub_rows(COPY)
    assert [row["image"]["bytes"] for row in found.rows] == [b"1", b"1"]
    assert len(found.rows) == 2
    assert found.revision == COPY.revision == hub[0]["revision"]


def test_where_no_commit_is_pinned_the_newest_is_taken_and_named(
    hub: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = HubCopy(repo="made/up", config="default", split="test", revision=None)
    assert read_hub_rows(newest).revision is None  # offline: whatever the cache holds
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    info = SimpleNamespace(dataset_info=lambda _repo: SimpleNamespace(sha="b" * 40))
    monkeypatch.setattr("tasks.hub_reader.HfApi", lambda token: info)
    assert read_hub_rows(newest).revision == "b" * 40 == hub[-1]["revision"]


def test_a_gated_dataset_is_not_asked_for_without_a_token(
    hub: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    gated = HubCopy(repo="made/up", config="default", split="test", revision="a" * 40, gated=True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setattr("tasks.hub_reader.get_token", lambda: None)
    with pytest.raises(DataError, match="gated, and no token is set"):
        read_hub_rows(gated)
    assert hub == []
    monkeypatch.setenv("HF_TOKEN", "hf_x")
    assert len(read_hub_rows(gated).rows) == 2
    assert hub[0]["token"] == "hf_x"


@pytest.mark.parametrize(
    ("offline", "gated", "words"),
    [
        ("1", False, "not in the local cache and HF_HUB_OFFLINE"),
        ("0", True, "not to be had with this token"),
        ("0", False, "gone"),
    ],
)
def test_what_went_wrong_is_told(
    monkeypatch: pytest.MonkeyPatch, offline: str, gated: bool, words: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("gone\nand more")

    monkeypatch.setattr("datasets.load_dataset", refuse)
    monkeypatch.setattr("tasks.hub_reader._why_not", lambda _copy: None)
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    monkeypatch.setenv("HF_TOKEN", "hf_x")
    copy = HubCopy(repo="made/up", config="default", split="test", revision="a" * 40, gated=gated)
    with pytest.raises(DataError, match=words):
        read_hub_rows(copy)
