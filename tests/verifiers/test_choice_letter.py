import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.choice_letter import grade_choice
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response

OPTIONS = (
    "dramatic rise", "James Irvine", "C major", "D major", "a volcano", "42", "$7.34", "None of the above",
    "A dramatic rise", "E. coli",
)  # fmt: skip


def grade(content: str | None, n_options: int = 10, options: tuple[str, ...] | None = None) -> Grade:
    return grade_choice(Response(content=content, finish_reason="stop"), "C", options, n_options)


@pytest.mark.parametrize(
    "content",
    [
        # the prompted line and its markup
        "Answer: C", "Answer:C", "ANSWER: C", "Answer: C.", "Answer: **C**", "**Answer:** C",
        "**Answer: C**",
        "### Answer: C", "## Answer\nC", "**Answer**\n\nC\n\nExplanation: A is wrong", "> Answer: C",
        "- Answer: C",
        "* **Answer:** C", "```\nAnswer: C\n```", "<b>Answer: C</b>", "<answer>C</answer>",
        '{"answer": "C"}',
        "Answer: C<|im_end|>", "Answer - C", "Answer = C", "Answer C", "Answer: the answer is C",
        "Answer: $C",
        # enclosed letters
        "Answer: (C)", "Answer: [C]", "Answer: {C}", "Answer: <C>", 'Answer: "C"', "Answer: “C”",
        "Answer: (c)",
        "Answer: c", "Answer: c)", "[[C]]", "Answer: Ｃ", "Answer: Ⓒ", "Answer: 𝐂", "Answer: `C`",
        # LaTeX
        r"\boxed{C}", r"$\boxed{\textbf{(C)}}$", r"Answer: \boxed{\text{C}}", r"\boxed{C: option text}",
        r"\boxed{\text{C. text}}", r"\boxed{\text{Option C}}", r"\boxed{\text{Answer: C}}", r"\boxed C",
        r"Answer: \( \text{C} \)", r"Answer: \(\textbf{(C)}\)", r"Answer: \[C\]", r"Answer: $\mathrm{C}$.",
        "so\n\n$$\\boxed{\\text{C}}$$", r"\text{Answer: C}",
        r"The final answer is $\boxed{C}$. I hope it is correct.",
        # with the option's text
        "Answer: C. text", "Answer: C) text", "Answer: (C) text", "Answer: C: text", "Answer: C - text",
        "Answer: (C)9.9 m", "Answer: C 9.9 m", "Answer: C text", "Answer: option C", "Answer: Choice (C)",
        "Answer: C (not A)", "Answer: C because B is wrong", "Answer: C, since A and B are wrong",
        # sentences
        "The answer is C.", "the answer is (C) text", "The correct answer is option C",
        "The correct option is C",
        "The best choice is therefore C: text", "The correct answer is:\n\n(C) text",
        "The answer is most likely C",
        "The answer should be (C).", "The answer to this question is (C).", "The correct letter is C",
        "Final Answer: **C) text**", "Answer choice: C", "Choice: C", "I choose C.", "I'd go with (C).",
        "C is the correct answer.", "Hence, option C is the best choice.",
        "(C) James is the correct answer.",
        # the last statement wins
        "Answer: A\nWait, I should recheck. Answer: C", "Answer: A\n\n**C**",
        "Answer: A. No, the correct answer is C.",
        r"We find \boxed{\langle H\rangle \ll \Delta E}." "\n\n**Answer: C**",
        "The answer is not A.\n\nAnswer: C",
        "Answer: C\n\nOption D is incorrect.", "Answer: C\n\nA. wrong\nB. wrong\nD. wrong", "Answer: C, C",
        "Answer: C. If it were hot, the answer would be D.", r"Answer: A. So \boxed{C}",
        # nothing but the letter
        "C", "c", "(C)", "**C**", "C.", "$C$", r"\(C\)", "so it is\n\nC", "Therefore, C.", "Thus, (C).",
        # settled on in passing
        "C. text", "(C) text", "C) text", "We find 5.\n\n(C) 5", "C\n\nExplanation: the figure shows it.",
        "This matches option (C).", "Option A fails.\nSo option C it is.", "Therefore option C is correct.",
        "Option C it is.", "Option C is correct",
    ],
)  # fmt: skip
def test_reads_c(content: str) -> None:
    assert (grade(content).answer, grade(content).outcome) == ("C", Outcome.CORRECT)


@pytest.mark.parametrize(
    "content",
    [
        "答案：C", "答案是C", "正确答案是 C。", "所以正确答案是C", "因此，答案为（Ｃ）", "故选C。", "我选择C",
        "选C", "答：C", "因此选项C最合适。", "따라서 C번이 정답입니다",
        "答えはCです。", "正解はC", "C が正解です", "정답: C", "정답은 C입니다.",
        "답은 (C)입니다", "C가 정답입니다",
        "Réponse : C", "La bonne réponse est C.", "La réponse correcte est la lettre C", "Antwort: C",
        "Die richtige Antwort ist C.", "Die richtige Antwort lautet: (C)", "Respuesta: C",
        "La respuesta correcta es C.",
        "La respuesta correcta es la opción C.", "C es la respuesta correcta",
        "A resposta correta é a letra C",
        "Resposta: C", "La risposta corretta è C", "Het juiste antwoord is C", "Svar: C", "Doğru cevap C",
        "Cevap: C",
        "Đáp án: C", "Đáp án đúng là C", "Jawaban: C", "Jawaban yang benar adalah C", "Ответ: C",
        "Ответ: С",
        "Правильный ответ — C.", "Odpowiedź: C", "Odpověď: C", "Vastaus: C", "الإجابة: C",
        "الإجابة الصحيحة هي C",
        "الإجابة: ج", "उत्तर: C", "सही उत्तर C है", "উত্তর: C", "คำตอบ: C", "תשובה: C", "Απάντηση: C",
    ],
)  # fmt: skip
def test_reads_c_in_other_languages(content: str) -> None:
    assert grade(content).answer == "C"


@pytest.mark.parametrize(
    ("content", "letter"),
    [
        ("J. A dramatic rise", "J"),
        ("J. A dramatic rise in prices", "J"),
        ("(J) A dramatic rise", "J"),
        ("Answer: J. A dramatic rise", "J"),
        ("Answer: A", "A"),
        ("Answer: A.", "A"),
        ("The answer is A because of that", "A"),
        ("Answer: (A) text", "A"),
        ("Answer: I", "I"),
        ("The correct answer is I.", "I"),
        ("the correct answer is option I", "I"),
        ("Answer: B (A)", "B"),
        ("Answer: (A)C", "A"),
        ("Answer: (A) C", "A"),
        ("Ответ: В", "B"),
        ("Answer: D. I and II only", "D"),
        ("Answer: (D) I and II", "D"),
        ("The answer closest to this is (D).", "D"),
        ("Answer: LETTER = D", "D"),
        ("<final_answer>D</final_answer>", "D"),
    ],
)
def test_reads_the_label_and_not_the_words(content: str, letter: str) -> None:
    assert grade(content).answer == letter


@pytest.mark.parametrize(
    "content",
    [
        "", " \n", "I'm sorry, I can't help with that.", "I cannot give an answer. I need the image.",
        "Answer: A dramatic rise", "A dramatic rise", "The answer is A dramatic rise",
        "Answer: I think it is hard",
        "A figure is missing.", "I would need more data.", "Answer: $LETTER", "Answer: ___",
        "Answer: [LETTER]",
        r"\boxed{\langle H\rangle}", r"\boxed{F = ma}", r"\boxed{\Delta E}", r"\boxed{A \cup B}",
        "Answer: F = ma",
        "Answer: H2O", "Answer: C++", "Answer: B-tree", "Answer: D/2", "Answer: I, II and III",
        "Answer: I'm not sure",
        "A. one\nB. two\nC. three", "Option C is incorrect.", "C is not the correct answer.",
        "We set A to be zero.",
        "Answer: none of these", "Answer: A\nNo.\nAnswer: none of the options",
        "Answer: cannot be determined",
        "the answer depends on C", "vitamin C", "It is hot in here.", "选项C不对",
    ],
)  # fmt: skip
def test_no_letter_is_no_answer(content: str) -> None:
    found = grade(content)
    assert (found.outcome, found.score, found.answer) == (Outcome.NO_ANSWER, 0.0, None)


@pytest.mark.parametrize(
    "content",
    [
        "Answer: A or C", "Answer: A, C", "Answer: A and C", "Answer: (A) and (C)", "Answer: A/C",
        "Answer: A & C",
        "Answer: (A)(C)", "Answer: AC", "Answer: EI", "The answer is A or C.", "Answer: A, B, and C",
        "A, C", "A and C",
        r"\boxed{A, C}", r"\boxed{A \text{ and } C}", "答案：A和C", "Respuesta: A o C",
        "Answer: C\nAnswer: A or B",
        "So either option A or option C fits.", "Answer: D or I", "Answer: B; C",
    ],
)  # fmt: skip
def test_several_letters_are_ambiguous(content: str) -> None:
    found = grade(content)
    assert (found.outcome, found.answer, found.flags) == (Outcome.NO_ANSWER, None, ("ambiguous",))


@pytest.mark.parametrize(
    "content", ["Answer: E", "Answer: (E) text", r"\boxed{E}", "E", "Answer: C. No. Answer: E"]
)
def test_a_letter_outside_the_options_is_a_format_miss(content: str) -> None:
    found = grade(content, n_options=4)
    assert (found.outcome, found.answer, found.lenient_answer) == (Outcome.NO_ANSWER, None, "E")
    assert found.flags == ("format_miss",)


@pytest.mark.parametrize(
    ("content", "letter"),
    [
        pytest.param("Answer: James Irvine", "B", id="an option's text after a cue"),
        pytest.param("The correct answer is James Irvine.", "B", id="in a sentence"),
        pytest.param("James Irvine", "B", id="alone"),
        pytest.param("It was him.\n\n**James Irvine**", "B", id="as the last line"),
        pytest.param(r"\boxed{42}", "F", id="in a box"),
        pytest.param("Answer: 7.34", "G", id="without the currency sign"),
        pytest.param("Answer: A dramatic rise", "I", id="an article begins the text of another option"),
        pytest.param("Answer: D major", "D", id="a text that begins like a label"),
        pytest.param("Answer: E. coli", "J", id="a text that looks labelled"),
        pytest.param("Answer: None of the above", "H", id="none as an option"),
        pytest.param("Answer: (E) 42", "E", id="the label wins over another option's text"),
        pytest.param(
            "it follows: **(F) 42**\n\nThe steps may be revisited.", "F", id="named with its own text"
        ),
        pytest.param("Answer: 43", None, id="no option reads so"),
        pytest.param("James Irvine was a painter, and so was John Duncan.", None, id="mentioned only"),
    ],
)
def test_an_options_text_stands_for_its_letter(content: str, letter: str | None) -> None:
    assert grade(content, options=OPTIONS).answer == letter


@pytest.mark.parametrize(
    ("content", "options", "letter"),
    [
        pytest.param("Answer: B (A)", ("B", "A", "D", "C"), "B", id="MM03 label wins"),
        pytest.param("Answer: A", ("B", "A", "D", "C"), "A", id="a letter is a label, not a text"),
        pytest.param("Answer: A C", ("C", "A", "D", "B"), "A", id="label and its own text"),
        pytest.param("Answer: (A)(C)", ("C", "A", "D", "B"), "A", id="label and its own text, both enclosed"),
        pytest.param(
            "Answer: A dramatic rise", ("dramatic rise", "b"), "A", id="label and text without a stop"
        ),
        pytest.param(
            "Answer: D major", ("A major", "D major", "F minor", "G major"), "B", id="whole text first"
        ),
        pytest.param("Answer: 5", ("5", "5", "6"), None, id="two options read the same"),
    ],
)
def test_letters_and_texts(content: str, options: tuple[str, ...], letter: str | None) -> None:
    assert (
        grade_choice(Response(content=content, finish_reason="stop"), "A", options, len(options)).answer
        == letter
    )


@pytest.mark.parametrize(
    ("target", "options", "n_options", "message"),
    [
        ("E", None, 4, "target: 'E' is not one of the options ABCD"),
        ("", None, 4, "target: '' is not one"),
        ("AB", None, 4, "target: 'AB' is not one"),
        ("A", ("x", "y"), 4, "options: 2 given, but n_options is 4"),
        ("A", None, 0, "n_options: 0 is not a number"),
        ("A", None, 27, "n_options: 27 is not a number"),
    ],
)
def test_refuses(target: str, options: tuple[str, ...] | None, n_options: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grade_choice(Response(content="A", finish_reason="stop"), target, options, n_options)


def test_the_empty_response_never_scores() -> None:
    """MM01: graded 200 times, nothing is ever guessed."""
    assert {grade("") for _ in range(200)} == {grade("")}
    assert grade("").score == 0.0


@given(st.text(), st.lists(st.text(), min_size=1, max_size=10))
def test_never_raises_and_repeats_itself(content: str, options: list[str]) -> None:
    response = Response(content=content, finish_reason="stop")
    assert grade_choice(response, "A", options, len(options)) == grade_choice(
        response, "A", options, len(options)
    )


WORDS = [
    "Answer:",
    "the answer is",
    "A",
    "(B)",
    "C.",
    "I",
    "or",
    "and",
    "**",
    r"\boxed{D}",
    "\n",
    "not",
    "option",
    "E",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.sampled_from("ABCDEFGHIJ"))
def test_a_final_statement_decides(text: str, letter: str) -> None:
    for statement in (f"Answer: {letter}", f"**Answer:** ({letter})", rf"\boxed{{{letter}}}"):
        assert grade(f"{text}\n\n{statement}").answer == letter


@given(st.text(), st.sampled_from("ABCDEFGHIJ"))
def test_a_final_line_decides_after_any_text(text: str, letter: str) -> None:
    assert grade(f"{text}</think>\n\nAnswer: {letter}").answer == letter


@given(st.text())
def test_thinking_earns_nothing(text: str) -> None:
    thought = f"{text}\nAnswer: C\n"
    for content in (f"<think>{thought}", f"{thought}</think>"):
        assert grade(content).score == 0.0


@pytest.mark.parametrize(
    "piece",
    [
        "Answer: ",
        "(A) ",
        "the correct ",
        "A. text ",
        r"\text{",
        r"\boxed{",
        "answer\n",
        "answer to ",
        "A, ",
        "**",
        "\n",
    ],
    ids=repr,
)
def test_linear_time(piece: str) -> None:
    started = time.process_time()
    grade(piece * (60_000 // len(piece)) + "x", options=OPTIONS)
    assert time.process_time() - started < 2
