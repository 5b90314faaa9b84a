"""Every probe's verdict on an endpoint whose faults are known."""

import pytest

from evals.preflight.check import PROBES
from evals.preflight.check_report import render_check
from evals.preflight.finding import Status
from tasks.spec import Sampling, ThinkMode

KIMI_OFF = {"think_mode": ThinkMode.KIMI, "thinking": False}
OPENSOURCE_OFF = {"think_mode": ThinkMode.OPENSOURCE, "thinking": False}
OPENSOURCE_ON = {"think_mode": ThinkMode.OPENSOURCE, "thinking": True}
TOLD = ("served_names", "engine", "quantization", "context", "budget")


def statuses(check):
    return {finding.name: str(finding.status) for finding in check.findings}


def evidence(check, name):
    return next(finding.evidence for finding in check.findings if finding.name == name)


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param({}, id="no mode"),
        pytest.param(KIMI_OFF, id="kimi off"),
        pytest.param(OPENSOURCE_ON, id="opensource on"),
        pytest.param({"extra_body": {"chat_template_kwargs": {"thinking": False}}}, id="off by extra body"),
    ],
)
def test_nothing_is_wrong_with_an_endpoint_without_faults(check_simulator, plan):
    check = check_simulator(plan=plan)
    assert [finding.name for finding in check.findings] == list(PROBES)
    not_ok = {name: status for name, status in statuses(check).items() if status != "ok"}
    assert not_ok == dict.fromkeys(("quantization", "budget"), "skip")
    assert check.is_ok and check.tokens_per_s is not None


DEAD = ("http_500", "http_401", "http_404", "http_400_context", "connect_close", "ok_html", "ok_error_body")
DEAD += ("ok_no_choices", "ok_empty", "cut_mid_stream", "done_without_finish", "error_frame", "finish_abort")


@pytest.mark.parametrize("fault", DEAD)
def test_an_endpoint_without_a_whole_reply_passes_no_probe(check_simulator, fault):
    check = check_simulator(f"{fault}=1")
    found = statuses(check)
    assert found.pop("reply") == "fail" and not check.is_ok
    asked = {name: status for name, status in found.items() if name not in TOLD}
    assert set(asked.values()) == {"skip"}
    assert evidence(check, "speed") == "endpoint does not answer"


def test_probes_skipped_for_one_reason_are_told_in_one_line(check_simulator):
    text = render_check(check_simulator("http_500=1"), base_url="u", model=None, next_command="n")
    told = [line for line in text.splitlines() if "endpoint does not answer" in line]
    assert len(told) == 1
    assert told[0].startswith("skip  ") and "probes" in told[0] and "speed" in told[0]
    one = render_check(check_simulator(), base_url="u", model=None, next_command="n")
    assert " probes " not in one


def test_a_silent_endpoint_is_given_up_in_time(check_simulator):
    check = check_simulator("stall=1", plan={"timeout_s": 0.5})
    assert statuses(check)["reply"] == "fail"
    assert "timeout" in evidence(check, "reply")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        pytest.param("ignore_stream", {"stream": "warn", "reply": "ok"}, id="plain reply to a stream"),
        pytest.param("usage_missing", {"usage": "warn", "max_tokens": "ok"}, id="no usage"),
        pytest.param("usage_zero", {"usage": "warn"}, id="usage of zeros"),
        pytest.param("usage_wrong", {"usage": "warn"}, id="usage that does not add up"),
        pytest.param("usage_on_finish", {"usage": "ok"}, id="usage on the finish chunk"),
        pytest.param("crlf", {"stream": "ok", "wire": "ok"}, id="carriage returns"),
        pytest.param("split_utf8", {"stream": "ok", "usage": "ok"}, id="split characters"),
        pytest.param(
            "several_choices", {"wire": "warn", "max_tokens": "ok", "usage": "ok"}, id="several choices"
        ),
        pytest.param("content_null", {"answer": "fail", "tools": "warn"}, id="no content"),
        pytest.param(
            "think_in_content", {"reasoning": "warn", "answer": "ok", "max_tokens": "ok"}, id="think tags"
        ),
        pytest.param("think_unclosed", {"reasoning": "fail", "answer": "fail"}, id="think tag never closes"),
        pytest.param("think_bare_closer", {"reasoning": "warn", "answer": "ok"}, id="bare closer"),
        pytest.param("both_reasoning", {"reasoning": "ok", "wire": "ok"}, id="both reasoning fields"),
        pytest.param("reasoning_details", {"reasoning": "ok"}, id="reasoning as a list"),
        pytest.param(
            "thinking_ignored",
            {"thinking_kimi": "warn", "thinking_opensource": "warn", "reasoning": "ok"},
            id="switch ignored",
        ),
        pytest.param(
            "cot_in_content",
            {"thinking_kimi": "warn", "thinking_opensource": "warn"},
            id="thinks aloud when off",
        ),
        pytest.param(
            "seed_ignored", {"same_seed": "warn", "stream": "ok", "other_seeds": "ok"}, id="seed ignored"
        ),
        pytest.param("max_tokens_ignored", {"max_tokens": "fail"}, id="budget ignored"),
        pytest.param(
            "flood",
            {"degenerate_output": "fail", "same_seed": "skip", "other_seeds": "skip", "stream": "skip"},
            id="one sign for ever",
        ),
        pytest.param("image_ignored", {"images": "fail"}, id="images not looked at"),
        pytest.param("tool_leak_content", {"tools": "warn"}, id="calls left in the content"),
        pytest.param("tool_leak_reasoning", {"tools": "warn"}, id="calls left in the reasoning"),
        pytest.param("tool_not_triggered", {"tools": "warn"}, id="text in place of a call"),
        pytest.param("tool_args_truncated", {"tools": "warn"}, id="cut arguments"),
        pytest.param("tool_empty_deltas", {"tools": "warn"}, id="promised calls"),
        pytest.param("tool_duplicate_index", {"tools": "warn"}, id="streamed calls under one index"),
    ],
)
def test_each_fault_is_named_by_its_probe_and_by_no_other(check_simulator, fault, expected):
    check = check_simulator(f"{fault}=1")
    found = statuses(check)
    assert {name: found[name] for name in expected} == expected
    innocent = {name for name, status in found.items() if status in ("warn", "fail") and name not in expected}
    allowed = {"flood": {"tools", "images"}, "several_choices": {"tools"}, "content_null": {"images"}}
    assert innocent <= allowed.get(fault, set())
    assert check.is_ok is (Status.FAIL not in found.values())


@pytest.mark.parametrize(
    ("fault", "plan", "name", "flags"),
    [
        ("thinking_ignored", KIMI_OFF, "thinking_kimi", ("thinking_not_disabled",)),
        ("thinking_ignored", OPENSOURCE_OFF, "thinking_opensource", ("thinking_not_disabled",)),
    ],
)
def test_an_ignored_switch_fails_where_the_run_needs_it(check_simulator, fault, plan, name, flags):
    check = check_simulator(f"{fault}=1", plan=plan)
    finding = next(finding for finding in check.findings if finding.name == name)
    assert (finding.status, finding.flags) == (Status.FAIL, flags)
    assert not check.is_ok


def test_tools_are_judged_strictly_where_the_task_lives_on_them(check_simulator):
    check = check_simulator("tool_leak_content=1", plan={"is_tool_task": True})
    finding = next(finding for finding in check.findings if finding.name == "tools")
    assert finding.status is Status.FAIL and "leak_content" in finding.flags


def test_refused_sampling_is_told_apart_from_a_dead_endpoint(check_simulator):
    plan = {"sampling": Sampling(temperature=0.3, top_p=0.95)}
    check = check_simulator(plan=plan, immutable_sampling=True)
    found = statuses(check)
    assert (found["sampling"], found["reply"], found["usage"]) == ("fail", "ok", "ok")
    assert "temperature 0.3" in evidence(check, "sampling")


def test_a_fault_now_and_then_is_repeated_and_counted(check_simulator):
    check = check_simulator("http_503=first:1")
    found = statuses(check)
    assert (found["reply"], found["errors"], found["stream"]) == ("ok", "warn", "ok")
    assert check.is_ok


def test_a_small_context_gets_questions_that_fit_it(check_simulator):
    check = check_simulator(max_model_len=160)
    found = statuses(check)
    assert (found["reply"], found["context"]) == ("ok", "warn")


def test_temperature_zero_leaves_nothing_to_draw(check_simulator):
    check = check_simulator(plan={"sampling": Sampling(temperature=0.0, top_p=None)})
    assert statuses(check)["other_seeds"] == "skip"
