import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.visible_text import is_blank, split_thinking


@pytest.mark.parametrize(
    ("content", "visible", "flagged"),
    [
        pytest.param(None, "", False, id="null"),
        pytest.param("", "", False, id="empty"),
        pytest.param("plain", "plain", False, id="no tags: all visible"),
        pytest.param("<think>a</think>b", "b", True, id="closed"),
        pytest.param("a</think>b", "b", True, id="bare closer: the opener was in the prompt"),
        pytest.param("<think>a", "", True, id="unclosed: nothing visible"),
        pytest.param("b<think>a", "", True, id="unclosed after text: nothing follows the thinking"),
        pytest.param("<think>a<think>b</think>c</think>d", "d", True, id="nested"),
        pytest.param("<think><think>a</think>d", "d", True, id="opener twice, closed once"),
        pytest.param("<think>a</think>b<think>c</think>d", "d", True, id="two blocks: after the last"),
        pytest.param("<think>a</think>b<think>c", "", True, id="closed, then unclosed"),
        pytest.param("b<think>a</think>", "", True, id="answer before the thinking is not visible"),
        pytest.param("<think></think>b", "b", True, id="empty block"),
        pytest.param("<thinking>a</thinking>b", "b", True, id="thinking"),
        pytest.param("<THINK>a</THINK>b", "b", True, id="upper case"),
        pytest.param("<think >a</ think >b", "b", True, id="spaces inside the tags"),
        pytest.param("<seed:think>a</seed:think>b", "b", True, id="prefixed"),
        pytest.param("<thought>a</thought>b", "b", True, id="thought"),
        pytest.param("◁think▷a◁/think▷b", "b", True, id="Kimi triangles"),
        pytest.param("[THINK]a[/THINK]b", "b", True, id="brackets"),
        pytest.param("[think]a[/think]", "[think]a[/think]", False, id="lower brackets: text"),
        pytest.param("<|START_THINKING|>a<|END_THINKING|>b", "b", True, id="tokens"),
        pytest.param(
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "b",
            True,
            id="channels",
        ),
        pytest.param("<|channel|>analysis<|message|>a", "", True, id="channel without a final one"),
        pytest.param("the `<think>` tag", "the `<think>` tag", False, id="mention between backticks"),
        pytest.param("<think>a `</think>` b", "", True, id="mentioned closer closes nothing"),
        pytest.param("<think>```\na</think>b", "b", True, id="a fence in thinking hides no closer"),
        pytest.param("I think </thin> so", "I think </thin> so", False, id="not a tag"),
        pytest.param("Answer: C<|im_end|>", "Answer: C", False, id="end token"),
        pytest.param("Answer: C <|im_end|>\n<|endoftext|>\n", "Answer: C", False, id="end tokens"),
        pytest.param("a</s>", "a", False, id="sentencepiece end"),
        pytest.param("a <|im_end|> b", "a <|im_end|> b", False, id="a token amid text stays"),
    ],
)
def test_split_thinking(content: str | None, visible: str, flagged: bool) -> None:
    split = split_thinking(content)
    assert split.visible == visible
    assert split.flags == (("think_in_content",) if flagged else ())


@given(st.text(), st.text(alphabet=st.characters(exclude_characters="<>◁▷[]|`", codec="utf-8")))
def test_only_text_after_the_last_closer_is_visible(thinking: str, answer: str) -> None:
    assert split_thinking(f"{thinking} </think>{answer}").visible == answer


@given(st.text())
def test_visible_is_a_part_of_the_content(content: str) -> None:
    assert split_thinking(content).visible in content


@pytest.mark.parametrize("text", [None, "", " \n\t", "\ufeff", "\u200b \u2060"], ids=repr)
def test_blank(text: str | None) -> None:
    assert is_blank(text)


def test_a_mark_is_not_blank() -> None:
    assert not is_blank(" . ")
