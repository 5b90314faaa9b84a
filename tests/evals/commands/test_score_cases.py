"""Cases from the field, each through the command line: what was seen elsewhere must come out right here."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.cli import run_command_line

WEATHER = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
]


def outcome_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], task: str, row: dict[str, Any]
) -> dict[str, Any]:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "case", **row}) + "\n")
    capsys.readouterr()
    assert run_command_line(["score", task, str(path)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    result: dict[str, Any] = json.loads(line)
    return result


def case(task: str, row: dict[str, Any], expected: dict[str, Any], name: str) -> Any:
    return pytest.param(task, row, expected, id=name)


def choice(response: str, target: str, **more: Any) -> dict[str, Any]:
    return {"response": response, "target": target, "n_options": 4, **more}


def ocr(response: str, answers: Any, category: str = "Regular Text Recognition") -> dict[str, Any]:
    return {"response": response, "answers": answers, "category": category}


def raw(message: dict[str, Any], finish: str | None = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def call(
    arguments: str = '{"city":"Oslo"}', name: str = "get_weather", call_id: str | None = None
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id or f"functions.{name}:0", "type": "function", "function": function}


CORRECT, INCORRECT, NO_ANSWER = "correct", "incorrect", "no_answer"
LEAKED = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city":"Oslo"}<|tool_call_end|><|tool_calls_section_end|>'
)

CASES = [
    case(
        "aime25",
        {"response": "The answer is \\boxed{149}", "target": "49"},
        {"outcome": INCORRECT, "answer": "149"},
        "AI01 suffix",
    ),
    case("aime25", {"response": "\\boxed{073}", "target": "73"}, {"outcome": CORRECT}, "AI02 leading zeros"),
    case(
        "aime25", {"response": "\\boxed{104^\\circ}", "target": "104"}, {"outcome": CORRECT}, "AI03 degrees"
    ),
    case(
        "aime25",
        {"response": "\\boxed{\\text{73}}", "target": 73},
        {"outcome": CORRECT},
        "AI04 text in the box",
    ),
    case(
        "aime25",
        {"response": "$$\n\\boxed{70}\n$$", "target": "70"},
        {"outcome": CORRECT},
        "AI06 display maths",
    ),
    case(
        "aime25",
        {"response": "Sub-result \\boxed{73}. Then final \\boxed{12}", "target": "73"},
        {"outcome": INCORRECT},
        "AI07 last box",
    ),
    case(
        "aime25",
        {"response": "Let n=73. We check whether 73", "target": "73", "finish_reason": "length"},
        {"outcome": "truncated", "answer": None},
        "AI09 truncated",
    ),
    case(
        "aime25",
        {"response": "ANSWER: 73", "target": "73"},
        {"outcome": NO_ANSWER, "lenient_answer": "73", "flags": ["format_miss"]},
        "AI11 no box",
    ),
    case(
        "gpqa_diamond",
        choice("We find \\boxed{\\langle H\\rangle \\ll \\Delta E}.\n\n**Answer: D**", "D"),
        {"outcome": CORRECT, "answer": "D"},
        "GP01 maths in a box",
    ),
    case("gpqa_diamond", choice("Answer: **C**", "C"), {"outcome": CORRECT}, "GP02 bold"),
    case(
        "gpqa_diamond", choice("Answer: \\boxed{\\text{C}}", "C"), {"outcome": CORRECT}, "GP04 boxed letter"
    ),
    case(
        "gpqa_diamond",
        choice("Answer: A\nWait, I should recheck. Answer: C", "C"),
        {"outcome": CORRECT, "answer": "C"},
        "GP05 revised",
    ),
    case(
        "gpqa_diamond",
        choice("Answer: E", "C"),
        {"outcome": NO_ANSWER, "answer": None, "flags": ["format_miss"]},
        "GP08 letter outside",
    ),
    case(
        "mmmu_pro",
        {"response": "", "target": "C", "n_options": 10},
        {"outcome": NO_ANSWER, "answer": None},
        "MM01 nothing is guessed",
    ),
    case(
        "mmmu_pro",
        {"response": "Answer: B (A)", "target": "B", "options": ["B", "A", "D", "C"]},
        {"outcome": CORRECT, "answer": "B"},
        "MM03 label wins",
    ),
    case("ocrbench", ocr("It says banana", "CENTRE"), {"outcome": INCORRECT}, "OC01 answers as a text"),
    case(
        "ocrbench",
        ocr("The number is 1005", ["5"], "Digit String Recognition"),
        {"outcome": CORRECT, "secondary": {"exact": 0.0}},
        "OC03 containment",
    ),
    case(
        "ocrbench",
        ocr("<think>could be CENTRE or CENTER</think> CENTER", ["CENTRE"]),
        {"outcome": INCORRECT, "flags": ["think_in_content"]},
        "OC04 thinking text",
    ),
    case(
        "gpqa_diamond",
        {"raw": raw({"content": "Answer: C", "reasoning": "because"}), "target": "C"},
        {"outcome": CORRECT},
        "TR01 reasoning",
    ),
    case(
        "gpqa_diamond",
        {"raw": raw({"content": "Answer: C", "reasoning_content": "because"}), "target": "C"},
        {"outcome": CORRECT},
        "TR01 reasoning_content",
    ),
    case(
        "gpqa_diamond",
        {"raw": raw({"content": None, "reasoning": "... so C seems right but"}, "length"), "target": "C"},
        {"outcome": "truncated", "answer": None, "score": 0.0},
        "TR02 budget eaten",
    ),
    case(
        "k2_tool_calls",
        {"raw": raw({"content": "", "tool_calls": [call()]}), "tools": WEATHER},
        {"triggered": True, "flags": ["finish_reason_mismatch"], "outcome": CORRECT},
        "TC01 finish stop",
    ),
    case(
        "tool_calls",
        {"raw": raw({"content": "", "tool_calls": []}, "tool_calls"), "tools": WEATHER},
        {"triggered": False, "calls": [], "flags": ["tool_calls_empty"], "score": 0.0},
        "TC03 promised",
    ),
    case(
        "k2_tool_calls",
        {"raw": raw({"content": LEAKED}), "tools": WEATHER},
        {"triggered": False, "flags": ["leak_content"], "recoverable_calls": 1},
        "TC04 leaked",
    ),
    case(
        "k2_tool_calls",
        {
            "raw": raw({"content": "", "tool_calls": [call('"{\\"city\\":\\"Oslo\\"}"')]}, "tool_calls"),
            "tools": WEATHER,
        },
        {"triggered": True, "valid": False, "flags": ["args_double_encoded"], "outcome": INCORRECT},
        "TC12 double encoded",
    ),
    case(
        "k2_tool_calls",
        {
            "chunks": [
                {
                    "choices": [
                        {"index": 0, "delta": {"tool_calls": [{"index": 0, **call()}]}, "finish_reason": None}
                    ]
                }
            ],
            "tools": WEATHER,
        },
        {"outcome": "error", "score": None},
        "a cut stream with a call",
    ),
    case(
        "k2_tool_calls",
        {
            "text": LEAKED.replace("get_weather", "mcp-srv-read"),
            "tools": [{"type": "function", "function": {"name": "mcp-srv-read"}}],
        },
        {"triggered": True, "valid": True, "outcome": CORRECT},
        "TC08 raw completions",
    ),
    case(
        "k2_tool_calls",
        {"raw": {"choices": [{"index": 0, "text": LEAKED, "finish_reason": "stop"}]}, "tools": WEATHER},
        {"triggered": True, "valid": True, "outcome": CORRECT},
        "a body with text in place of a message is a raw completion",
    ),
    case(
        "k2_tool_calls",
        {
            "chunks": [
                {"choices": [{"index": 0, "text": LEAKED[:40], "finish_reason": None}]},
                {"choices": [{"index": 0, "text": LEAKED[40:], "finish_reason": "stop"}]},
            ],
            "tools": WEATHER,
        },
        {"triggered": True, "valid": True, "outcome": CORRECT},
        "and so are chunks with text",
    ),
    case(
        "k2_tool_calls",
        {"raw": raw({"content": "No tool is needed."}), "tools": WEATHER, "target": "tool_calls"},
        {"triggered": False, "outcome": CORRECT, "answer": "stop"},
        "whether to call is no part of the score",
    ),
]


@pytest.mark.parametrize(("task", "row", "expected"), CASES)
def test_case(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    task: str,
    row: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    result = outcome_of(tmp_path, capsys, task, row)
    assert {name: result[name] for name in expected} == expected


def test_random_letters_never_come_of_empty_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"id": f"r{n}", "response": "", "target": "C", "n_options": 10} for n in range(200)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    outputs = []
    for _ in range(2):
        capsys.readouterr()
        assert run_command_line(["score", "mmmu_pro", str(path)]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert {json.loads(line)["answer"] for line in outputs[0].splitlines()} == {None}
