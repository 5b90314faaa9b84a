import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.native_tokens import read_call_id, read_native_text, with_native_calls
from verifiers.response import Response, ToolCall

OPEN, CLOSE = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
CALL, ARGS, END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
NAMES = ("get_weather", "get", "mcp-srv-read", "ns.sub.tool", "查询")
OSLO = '{"city":"Oslo"}'


def native(header: str = "functions.get_weather:0", arguments: str = OSLO) -> str:
    return f"{CALL}{header}{ARGS}{arguments}{END}"


def found(text: str, names: tuple[str, ...] = NAMES) -> list[tuple[str | None, str]]:
    return [(call.name, call.arguments) for call in read_native_text(text, names).calls]


@pytest.mark.parametrize(
    ("header", "name", "counter", "is_native"),
    [
        pytest.param("functions.get_weather:0", "get_weather", 0, True, id="trained form"),
        pytest.param("functions.mcp-srv-read:12", "mcp-srv-read", 12, True, id="hyphens"),
        pytest.param("functions.ns.sub.tool:3", "ns.sub.tool", 3, True, id="dots"),
        pytest.param("functions.ns:sub:3", "ns:sub", 3, True, id="colon within the name"),
        pytest.param("functions.查询:1", "查询", 1, True, id="unicode"),
        pytest.param("functions.nope:1", "nope", 1, True, id="undeclared"),
        pytest.param("functionsget_weather5", "get_weather", 5, False, id="no separators"),
        pytest.param("functions.get_weather5", "get_weather", 5, False, id="no colon"),
        pytest.param("functionsget_weather:5", "get_weather", 5, False, id="no dot"),
        pytest.param("functions_get_weather_0", "get_weather", 0, False, id="sanitised"),
        pytest.param("function.get_weather:0", "get_weather", 0, False, id="singular prefix"),
        pytest.param("get_weather:2", "get_weather", 2, False, id="no prefix"),
        pytest.param("get_weather", "get_weather", None, False, id="name alone"),
        pytest.param("functions.get_weather", "get_weather", None, False, id="no counter"),
        pytest.param("functions.mcp-srv-read", "mcp-srv-read", None, False, id="no counter, hyphens"),
        pytest.param("", None, None, False, id="empty"),
        pytest.param("x" * 400, None, None, False, id="too long to be an id"),
    ],
)
def test_read_call_id(header: str, name: str | None, counter: int | None, is_native: bool) -> None:
    read = read_call_id(header, NAMES)
    assert (read.name, read.counter, read.is_native) == (name, counter, is_native)


def test_an_id_off_the_form_is_read_without_declared_tools_too() -> None:
    assert read_call_id("functionsget_weather5").name == "get_weather"
    assert read_call_id("functions_get_weather_0").name == "get_weather"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param(OPEN + native() + CLOSE, [("get_weather", OSLO)], id="one call"),
        pytest.param(
            OPEN + native() + native("functions.get:1", "{}") + CLOSE,
            [("get_weather", OSLO), ("get", "{}")],
            id="parallel calls",
        ),
        pytest.param(
            f"{OPEN}{native()}{CLOSE} and {OPEN}{native('functions.get:1', '{}')}{CLOSE}",
            [("get_weather", OSLO), ("get", "{}")],
            id="several sections",
        ),
        pytest.param(OPEN + native(), [("get_weather", OSLO)], id="section not closed"),
        pytest.param(native(), [("get_weather", OSLO)], id="no section"),
        pytest.param(native() + CLOSE, [("get_weather", OSLO)], id="section not opened"),
        pytest.param(
            (OPEN + native() + CLOSE).replace("calls_section", "call_section"),
            [("get_weather", OSLO)],
            id="singular section",
        ),
        pytest.param(
            native().replace("argument_begin", "arguments_begin"),
            [("get_weather", OSLO)],
            id="plural arguments",
        ),
        pytest.param(native().removesuffix(END), [("get_weather", OSLO)], id="no end token"),
        pytest.param(native().removesuffix(END) + CLOSE, [("get_weather", OSLO)], id="section ends the call"),
        pytest.param(
            native().removesuffix(END) + native("functions.get:1", "{}"),
            [("get_weather", OSLO), ("get", "{}")],
            id="next call ends the call",
        ),
        pytest.param(
            native().removesuffix(END) + " so I wait",
            [("get_weather", OSLO)],
            id="text after a call without end",
        ),
        pytest.param(
            f"{OPEN}functions.get_weather:0{ARGS}{OSLO}{END}{CLOSE}",
            [("get_weather", OSLO)],
            id="no begin token",
        ),
        pytest.param(
            f"I call functions.get_weather:0{ARGS}{OSLO}{END}",
            [("get_weather", OSLO)],
            id="no begin token, text before",
        ),
        pytest.param(
            f"{native()}functions.get:1{ARGS}{{}}{END}",
            [("get_weather", OSLO), ("get", "{}")],
            id="second call without begin token",
        ),
        pytest.param(
            f"{CALL}functions.get_weather:0{OSLO}{END}", [("get_weather", OSLO)], id="no arguments token"
        ),
        pytest.param(
            f'{OPEN}{CALL}{{"name": "get", "arguments": {{"a": 1}}}}{END}',
            [("get", '{"a": 1}')],
            id="named by JSON",
        ),
        pytest.param(
            f"{OPEN}\n {CALL} functions.get_weather:0 \n{ARGS} {OSLO}\n{END} {CLOSE}\n",
            [("get_weather", OSLO)],
            id="white space",
        ),
        pytest.param(
            "<| tool_call_begin |>functions.get:0<| tool_call_argument_begin |>{}<| tool_call_end |>",
            [("get", "{}")],
            id="blanks in the tokens",
        ),
        pytest.param(native("functions.mcp-srv-read:0"), [("mcp-srv-read", OSLO)], id="hyphens"),
        pytest.param(native("functions.ns.sub.tool:0"), [("ns.sub.tool", OSLO)], id="dots"),
        pytest.param(native("functionsget_weather5"), [("get_weather", OSLO)], id="id without separators"),
        pytest.param(native("functions.nope:0"), [("nope", OSLO)], id="undeclared name"),
        pytest.param(
            native(arguments='{"a": "x > <b> \\" {"}'),
            [("get_weather", '{"a": "x > <b> \\" {"}')],
            id="signs in the arguments",
        ),
        pytest.param(native(arguments=""), [("get_weather", "")], id="empty arguments"),
        pytest.param(
            f"{CALL}functions.get_weather:0{ARGS}" + '{"city": "Os',
            [("get_weather", '{"city": "Os')],
            id="cut in the arguments",
        ),
        pytest.param("functions.get_weather:0" + OSLO, [("get_weather", OSLO)], id="special tokens dropped"),
        pytest.param("functions.get:0 {} functions.get:1\n{}", [("get", "{}")] * 2, id="dropped, two calls"),
    ],
)
def test_kimi_calls_in_text(text: str, calls: list[tuple[str, str]]) -> None:
    assert found(text) == calls
    read = read_native_text(f"Let me see.{text}", NAMES)
    assert read.has_tokens
    assert [call.name for call in read.calls] == [name for name, _ in calls]


@pytest.mark.parametrize(
    ("text", "n_recoverable", "has_malformed_id"),
    [
        pytest.param(native(), 1, False, id="whole"),
        pytest.param(native("functionsget_weather5"), 1, True, id="id off the form"),
        pytest.param(native(""), 0, True, id="no id"),
        pytest.param(native(arguments='{"city":'), 0, False, id="arguments cut"),
        pytest.param(native(arguments="[1]"), 0, False, id="arguments no object"),
        pytest.param(native(arguments=""), 0, False, id="no arguments"),
        pytest.param(f"{OPEN}{CALL}functions.get_wea", 0, False, id="header cut"),
        pytest.param(f"{OPEN}{CALL}functions.get:0{ARGS}", 0, False, id="arguments not begun"),
        pytest.param(OPEN, 0, False, id="lone section"),
        pytest.param(OPEN + CLOSE, 0, False, id="empty section"),
        pytest.param(f"I will look.{CLOSE}", 0, False, id="lone end"),
        pytest.param("I will look.<|tool_calls_sec", 0, False, id="token cut"),
        pytest.param(native() + "<|tool_call", 1, False, id="token cut behind a call"),
        pytest.param(OPEN + native() * 3 + CLOSE, 3, False, id="three"),
    ],
)
def test_recoverable_calls(text: str, n_recoverable: int, has_malformed_id: bool) -> None:
    read = read_native_text(text, NAMES)
    assert read.has_tokens
    assert (read.n_recoverable, read.has_malformed_id) == (n_recoverable, has_malformed_id)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        pytest.param(
            '<tool_call>\n{"name": "get", "arguments": {"a": 1}}\n</tool_call>',
            [("get", '{"a": 1}')],
            id="Hermes",
        ),
        pytest.param(
            '<tool_call>{"name": "get", "arguments": "{}"}</tool_call>' * 2,
            [("get", "{}")] * 2,
            id="Hermes twice, text arguments",
        ),
        pytest.param('<tool_call>{"name": "get", "arguments": {}}', [("get", "{}")], id="Hermes, not closed"),
        pytest.param(
            "<tool_call><function=get><parameter=a>1</parameter></function></tool_call>",
            [("get", "")],
            id="Qwen-Coder: seen, not read",
        ),
        pytest.param(
            "<tool_call>get\n<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
            [("get", "")],
            id="GLM: seen, not read",
        ),
        pytest.param('<function=get>{"a": 1}</function>', [("get", '{"a": 1}')], id="Llama function"),
        pytest.param(
            '<|python_tag|>{"name": "get", "parameters": {"a": 1}}', [("get", '{"a": 1}')], id="python tag"
        ),
        pytest.param(
            '[TOOL_CALLS] [{"name": "get", "arguments": {}}, {"name": "get_weather", "arguments": {}}]',
            [("get", "{}"), ("get_weather", "{}")],
            id="Mistral list",
        ),
        pytest.param("[TOOL_CALLS]get[ARGS]{}", [("get", "{}")], id="Mistral arguments"),
        pytest.param(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get\n```json\n{}\n```"
            "<｜tool▁call▁end｜>",
            [("get", "{}")],
            id="DeepSeek",
        ),
        pytest.param(
            '<invoke name="get"><parameter name="a">1</parameter></invoke>', [("get", "")], id="invoke"
        ),
        pytest.param(
            "<|channel|>commentary to=functions.get <|constrain|>json<|message|>{}<|call|>",
            [("get", "{}")],
            id="gpt-oss",
        ),
        pytest.param('<|tool_call|>[{"name": "get", "arguments": {}}]', [("get", "{}")], id="Phi"),
        pytest.param(
            '<tool_call>{"name": "other", "arguments": {}}</tool_call>', [], id="another tool: mere text"
        ),
        pytest.param('<tool_call>["get"]</tool_call>', [], id="JSON that is no call"),
        pytest.param("Use a <tool_call> tag, or [TOOL_CALLS].", [], id="speaking of tags"),
    ],
)
def test_other_dialects(text: str, calls: list[tuple[str, str]]) -> None:
    read = read_native_text(text, NAMES)
    assert [(call.name, call.arguments) for call in read.calls] == calls
    assert read.has_tokens is bool(calls)
    assert not read.has_malformed_id


@pytest.mark.parametrize(
    "text", [None, "", "The answer is functions.", "a <|im_end|> b", "{}", "functions.x:0"]
)
def test_text_without_calls(text: str | None) -> None:
    read = read_native_text(text, NAMES)
    assert (read.calls, read.has_tokens, read.text) == ((), False, text or "")


def test_text_outside_the_calls_is_kept() -> None:
    assert read_native_text(f"a{OPEN}{native()}{CLOSE}b").text == "ab"
    assert read_native_text(f"a {native().removesuffix(END)} b").text == "a  b"
    assert read_native_text('a<tool_call>{"name": "get"}</tool_call>b').text == "a</tool_call>b"


def test_raw_completion_becomes_what_a_working_parser_gives() -> None:
    raw = Response(
        content=f"On it.{OPEN}{native('functions.mcp-srv-read:0', '{}')}{CLOSE}", finish_reason="stop"
    )
    assert with_native_calls(raw, NAMES) == Response(
        content="On it.",
        tool_calls=(ToolCall(id="functions.mcp-srv-read:0", name="mcp-srv-read", arguments="{}"),),
        finish_reason="tool_calls",
    )


def test_raw_completion_keeps_what_is_no_call() -> None:
    plain = Response(content="No tool needed.", finish_reason="stop")
    assert with_native_calls(plain, NAMES) is plain
    cut = with_native_calls(Response(content=native().removesuffix("}" + END), finish_reason="length"), NAMES)
    assert (cut.finish_reason, cut.tool_calls[0].arguments) == ("length", '{"city":"Oslo"')
    malformed = with_native_calls(Response(content=native("functionsget0"), finish_reason="stop"), NAMES)
    assert malformed.flags == ("malformed_id",)


@pytest.mark.parametrize(
    "piece",
    [
        CALL,
        ARGS,
        OPEN,
        native(),
        "functions.",
        "functions.get:0{",
        'functions.get:0{"a":"',
        "<tool_call>",
        "<function=",
        "<tool_call>[",
        '<tool_call>{"a":',
        "to=functions.x",
        "[TOOL_CALLS]",
        "<|tool_call",
        '<invoke name="',
        "<tool_call>x",
        "1",
        "{",
        " ",
        "<｜tool▁sep｜>x",
    ],
)
def test_a_flood_of_tokens_is_read_in_linear_time(piece: str) -> None:
    flood = piece * (300_000 // len(piece))
    for text in (flood, CALL + flood, native(header=flood)):
        start = time.process_time()
        read_native_text(text, NAMES)
        assert time.process_time() - start < 2


FRAGMENTS = st.sampled_from(
    [
        OPEN,
        CLOSE,
        CALL,
        ARGS,
        END,
        "functions.",
        "get",
        ":0",
        "{}",
        "{",
        '"',
        "}",
        " ",
        "x",
        "<tool_call>",
        "<function=get>",
        "[TOOL_CALLS]",
        "<|tool_call",
    ]
)


@settings(deadline=None)
@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_any_mixture_of_tokens_is_read(text: str) -> None:
    read = read_native_text(text, NAMES)
    assert read.n_recoverable <= len(read.calls)
    assert len(read.text) <= len(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), st.data())
def test_what_the_model_was_trained_to_write_is_read_back(names: list[str], data: st.DataObject) -> None:
    arguments = [data.draw(st.sampled_from(["{}", OSLO, '{"a": [1, {"b": "<x>"}]}'])) for _ in names]
    calls = list(zip(names, arguments, strict=True))
    text = "".join(native(f"functions.{name}:{n}", args) for n, (name, args) in enumerate(calls))
    assert found(OPEN + text + CLOSE) == calls
