"""``demo-real`` before it has anything to do: what is missing, what cannot be meant."""

import pytest

import evals.commands.demo_real as demo_real


@pytest.fixture
def installed(monkeypatch):
    """Return a function that says which of the needed packages are here."""

    def only(*names):
        monkeypatch.setattr(demo_real, "find_spec", lambda name: object() if name in names else None)

    return only


@pytest.mark.parametrize(
    ("here", "missing"),
    [
        pytest.param((), "xllamacpp and gguf not installed", id="neither"),
        pytest.param(("gguf",), "xllamacpp not installed", id="one"),
    ],
)
def test_what_is_missing_is_named_with_the_way_out(cli, installed, here, missing):
    installed(*here)
    ended = cli("demo-real")
    assert ended.code == 2
    assert missing in ended.line and "make demo-real" in ended.line and "quantcheck[local]" in ended.line


def test_an_impossible_margin_is_refused(cli, installed):
    installed(*demo_real.NEEDED)
    ended = cli("demo-real", "--margin", "6")
    assert ended.code == 2 and "margin: 6.0; expected a fraction" in ended.line


def test_a_path_that_is_no_model_is_refused(cli, installed, tmp_path):
    pytest.importorskip("gguf", reason="the extra `local` is not installed")
    installed(*demo_real.NEEDED)
    ended = cli("demo-real", "--gguf", tmp_path / "none.gguf")
    assert ended.code == 2 and "give a GGUF file" in ended.line
