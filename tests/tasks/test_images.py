import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.image_bytes import ImageError
from tasks.image_cells import keep_image
from tasks.images import SCHEME, STORE, ImageStore, load_image
from tasks.rows import DataError

Png = Callable[..., bytes]


@pytest.fixture
def store() -> Iterator[ImageStore]:
    store = ImageStore()
    yield store
    store.close()


def test_a_reference_gives_the_bytes_back(store: ImageStore, png: Png) -> None:
    images = [png((n, 0, 0)) for n in range(5)]
    references = [store.keep(image) for image in images]
    assert [store.sent(reference).content for reference in references] == images
    assert len(references[0]) == len(SCHEME) + 64
    assert store.keep(images[0]) == references[0]


def test_the_spill_file_leaves_nothing_behind(
    store: ImageStore, png: Png, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "spill"))
    reference = store.keep(png("red"))
    assert list((tmp_path / "spill").iterdir()) == []
    assert store.sent(reference).content == png("red")


def test_a_cache_that_cannot_be_written_is_passed_over(
    store: ImageStore, png: Png, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "file" / "below"))
    assert store.sent(store.keep(png("red"))).content == png("red")


def test_a_disk_that_is_full_is_named(store: ImageStore, png: Png, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tasks.images._open_spill", full)
    with pytest.raises(ImageError, match=r"No space left on device.*QUANTCHECK_CACHE"):
        store.keep(png("red"))


def test_a_users_file_is_read_where_it_lies_and_must_stay_the_same(
    store: ImageStore, png: Png, tmp_path: Path
) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(png("red"))
    reference = store.keep(file.read_bytes(), file=file)
    assert store.sent(reference).content == png("red")
    file.write_bytes(png("blue"))
    with pytest.raises(ImageError, match="has changed"):
        store.sent(reference)
    file.unlink()
    with pytest.raises(ImageError, match="cannot be read any more"):
        store.sent(reference)


@pytest.mark.parametrize("reference", [f"{SCHEME}{'0' * 64}", "/etc/passwd", ""])
def test_an_unknown_reference_is_refused(reference: str) -> None:
    with pytest.raises(ImageError, match="not kept"):
        ImageStore().sent(reference)


def test_the_limit_on_pixels_is_part_of_the_reference(store: ImageStore, png: Png) -> None:
    content = png("red", (20, 20))
    small, whole = store.keep(content, max_pixels=100), store.keep(content)
    assert small != whole
    assert store.sent(whole).content == content
    assert store.sent(small).content != content


def test_a_data_uri_is_what_is_sent(png: Png) -> None:
    head, _, payload = load_image(STORE.keep(png("red"))).partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(payload) == png("red")


def test_a_cell_may_hold_an_image_in_many_ways(png: Png, tmp_path: Path) -> None:
    content = png("red", (90, 90))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.png").write_bytes(content)
    text = base64.b64encode(content).decode()
    cells: list[Any] = [
        content,
        bytearray(content),
        {"bytes": content, "path": "a.png"},
        {"bytes": None, "path": "sub/a.png"},
        "sub/a.png",
        str(tmp_path / "sub" / "a.png"),
        f"data:image/png;base64,{text}",
        text,
    ]
    assert {keep_image(cell, "row 0", folders=(tmp_path,)) for cell in cells} == {STORE.keep(content)}


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        pytest.param(None, "no image, found NoneType", id="nothing"),
        pytest.param("", "no image", id="empty text"),
        pytest.param({"bytes": None, "path": None}, "no image", id="empty mapping"),
        pytest.param(b"GIF?", "are not an image", id="no image"),
        pytest.param("gone.png", "image file 'gone.png' is not inside .*--image-root", id="missing file"),
        pytest.param("../secret.png", "is not inside", id="a file outside the folder"),
        pytest.param("/etc/hostname", "is not inside", id="an absolute path elsewhere"),
        pytest.param("data:image/png;base64,@@", "row 3", id="broken base64"),
        pytest.param(7, "found int", id="a number"),
    ],
)
def test_a_cell_without_an_image_is_refused_with_its_row(
    tmp_path: Path, png: Png, cell: Any, message: str
) -> None:
    (tmp_path / "secret.png").write_bytes(png("red"))
    (tmp_path / "data").mkdir()
    with pytest.raises(DataError, match=message) as refusal:
        keep_image(cell, "row 3", folders=(tmp_path / "data",))
    assert "row 3" in str(refusal.value)
