"""Object storage through fsspec: names below a URL, and every refusal as one line."""

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from evals.storage.object_store import ObjectStore, StoreError, is_url


@pytest.fixture
def store(tmp_path):
    return ObjectStore(f"memory://bucket-{tmp_path.name}/prefix/")


def test_what_is_a_url():
    assert is_url("s3://bucket/runs") and is_url("memory://x")
    assert not is_url("runs") and not is_url("/data/s3:/x")


@pytest.mark.parametrize("text", ["s3:/bucket/runs", "gs:/bucket"])
def test_a_url_with_a_slash_too_few_is_no_local_path(text):
    with pytest.raises(StoreError, match=r"write (s3|gs)://bucket"):
        is_url(text)


def test_names_are_relative_to_the_url(store):
    store.write("a/one.txt", b"1")
    store.write("a/b/two.txt", b"22")
    assert {name: info.size for name, info in store.find().items()} == {"a/b/two.txt": 2, "a/one.txt": 1}
    assert list(store.find("a/b")) == ["a/b/two.txt"]
    assert store.find("none") == {}
    assert store.read("a/one.txt") == b"1"
    store.delete("a/one.txt")
    assert list(store.find()) == ["a/b/two.txt"]


def test_a_tag_changes_with_the_content(store):
    store.write("a", b"1")
    one = store.info("a")
    assert store.info("a") == one
    store.write("a", b"22")
    assert store.info("a").tag != one.tag


def test_files_go_and_come_whole(store, tmp_path):
    (tmp_path / "here").write_bytes(b"content")
    store.put(tmp_path / "here", "there")
    store.get("there", tmp_path / "deep" / "back")
    assert (tmp_path / "deep" / "back").read_bytes() == b"content"
    with pytest.raises(StoreError):
        store.get("none", tmp_path / "none")
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"here", "back"}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        pytest.param("s3://key:secret-word@bucket/x", "holds a key; .* environment", id="a key"),
        pytest.param("s3:///x", "names no bucket", id="no bucket"),
        pytest.param("nosuch://bucket", "cannot be used .*nosuch", id="unknown scheme"),
    ],
)
def test_what_is_no_store(url, words):
    with pytest.raises(StoreError, match=words) as caught:
        ObjectStore(url)
    assert "secret-word" not in str(caught.value)


def test_a_client_that_is_not_installed_is_named(monkeypatch):
    def missing(*_, **__):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.url_to_fs", missing)
    with pytest.raises(StoreError, match=r"Install s3fs to access S3\); pip install 'quantcheck\[s3\]'"):
        ObjectStore("s3://bucket/x")


@pytest.mark.parametrize("error", [PermissionError("Access Denied"), FileNotFoundError("no such\nbucket")])
def test_a_refusal_is_one_line_with_the_stores_words(store, monkeypatch, error):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(MemoryFileSystem, "pipe_file", refuse)
    with pytest.raises(StoreError, match="a cannot be written") as caught:
        store.write("a", b"1")
    assert str(caught.value).startswith(f"object storage {store.url}: ") and "\n" not in str(caught.value)


def test_a_bug_stays_one(store, monkeypatch):
    monkeypatch.setattr(MemoryFileSystem, "pipe_file", lambda *_, **__: {}["x"])
    with pytest.raises(KeyError):
        store.write("a", b"1")
