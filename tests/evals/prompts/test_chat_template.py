"""Prompts rendered here: by the tokenizer's own template, or not at all."""

import json

import pytest
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

import evals.prompts.tokenizer_files
from evals.endpoint import Endpoint
from evals.prompts.chat_template import ChatTemplateError, RenderError, load_chat_template
from evals.prompts.raw_completions import completion_body, render_items, template_variables
from tasks.benchmark import Item
from tasks.spec import ThinkMode

TEMPLATE = """{%- if tools -%}<T>{{ tools | tojson(separators=(',', ':')) }}</T>{%- endif -%}
{%- for message in messages -%}
  {%- if loop.first and message.role == 'odd' -%}{{ raise_exception('roles must be known') }}{%- endif -%}
  <{{ message.role }}>{{ message.content }}{{ eos_token }}
{%- endfor -%}
{%- if add_generation_prompt -%}<assistant>{%- if thinking is defined and not thinking -%}</think>{%- endif -%}
{%- endif -%}"""
USER = {"role": "user", "content": "é?"}
TOOLS = [{"b": 1, "a": "é"}]
CODE = 'def encode_tools_to_typescript_style(tools):\n    return "TS" + tools[0]["name"]\n'


@pytest.fixture
def tokenizer(tmp_path):
    def make(template=TEMPLATE, *, config=None, **files):
        if template is not None:
            (tmp_path / "chat_template.jinja").write_text(template)
        (tmp_path / "tokenizer_config.json").write_text(
            json.dumps({"eos_token": "<eos>"} if config is None else config)
        )
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text)
        return str(tmp_path)

    return make


# Written here, in the token format that Kimi's checkpoints are trained on.
NATIVE = """{%- if tools -%}<|im_system|>tool_declare<|im_middle|>{{ tools | tojson }}<|im_end|>{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'assistant' -%}<|im_assistant|>assistant<|im_middle|>{{ message.content or '' }}
{%- if message.tool_calls -%}<|tool_calls_section_begin|>
{%- for call in message.tool_calls -%}<|tool_call_begin|>{{ call.id }}<|tool_call_argument_begin|>
{{- call.function.arguments }}<|tool_call_end|>{%- endfor -%}
<|tool_calls_section_end|>{%- endif -%}<|im_end|>
{%- elif message.role == 'tool' -%}<|im_system|>{{ message.name }}<|im_middle|>## Return of {{ message.tool_call_id }}
{{ message.content }}<|im_end|>
{%- else -%}<|im_{{ message.role }}|>{{ message.role }}<|im_middle|>{{ message.content }}<|im_end|>
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_assistant|>assistant<|im_middle|>
{%- if thinking is defined and not thinking -%}<think></think>{%- endif -%}{%- endif -%}"""


def test_a_history_of_calls_in_native_tokens(tokenizer):
    template = load_chat_template(tokenizer(None, config={"chat_template": NATIVE, "bos_token": "[BOS]"}))
    call = {"id": "functions.mcp-srv.read:0", "type": "function"}
    call["function"] = {"name": "mcp-srv.read", "arguments": '{"p": "<é>"}'}
    messages = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "name": "mcp-srv.read", "tool_call_id": call["id"], "content": "read & done"},
    ]
    tool = {"type": "function", "function": {"name": "mcp-srv.read", "parameters": {"b": 1, "a": "é"}}}
    text = template.render({"messages": messages, "tools": [tool]}, {"thinking": False})
    assert text == (
        '<|im_system|>tool_declare<|im_middle|>[{"type": "function", "function": {"name": "mcp-srv.read",'
        ' "parameters": {"b": 1, "a": "é"}}}]<|im_end|>'
        "<|im_user|>user<|im_middle|>é?<|im_end|>"
        "<|im_assistant|>assistant<|im_middle|><|tool_calls_section_begin|><|tool_call_begin|>"
        'functions.mcp-srv.read:0<|tool_call_argument_begin|>{"p": "<é>"}<|tool_call_end|>'
        "<|tool_calls_section_end|><|im_end|>"
        "<|im_system|>mcp-srv.read<|im_middle|>## Return of functions.mcp-srv.read:0\nread & done<|im_end|>"
        "<|im_assistant|>assistant<|im_middle|><think></think>"
    )
    assert text.count("\n") == 1, "nothing is added between the tokens"


def test_messages_tools_and_the_beginning_of_the_answer(tokenizer):
    template = load_chat_template(tokenizer())
    text = template.render({"messages": [USER], "tools": TOOLS}, {})
    assert text == '<T>[{"b":1,"a":"é"}]</T><user>é?<eos><assistant>'
    assert (
        template.render({"messages": [USER], "tools": []}, {"thinking": False})
        == "<user>é?<eos><assistant></think>"
    )


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(
            {"chat_template": "A{{ bos_token }}", "bos_token": {"content": "<b>"}},
            "A<b>",
            id="a token as object",
        ),
        pytest.param(
            {"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}]},
            "T",
            id="of several the one for tools",
        ),
        pytest.param(
            {"chat_template": [{"name": "default", "template": "D"}]}, "D", id="else the default one"
        ),
    ],
)
def test_templates_in_the_configuration(tokenizer, config, expected):
    assert load_chat_template(tokenizer(None, config=config)).render({"messages": [USER]}, {}) == expected


def test_a_template_file_alone_will_do(tmp_path):
    path = tmp_path / "my.jinja"
    path.write_text(
        "{% for m in messages %}{% if loop.index > 1 %}{% break %}{% endif %}{{ m.content }}{% endfor %}"
    )
    assert load_chat_template(str(path)).render({"messages": [USER, USER]}, {}) == "é?"


def test_a_file_beside_the_configuration_wins(tokenizer):
    where = tokenizer("file", config={"chat_template": "config"})
    assert load_chat_template(where).render({"messages": []}, {}) == "file"


def test_the_digest_names_the_template(tokenizer):
    first = load_chat_template(tokenizer()).digest
    assert first == load_chat_template(tokenizer()).digest != load_chat_template(tokenizer("x")).digest


def test_keys_of_tools_are_sorted_where_the_tokenizer_sorts_them(tokenizer):
    where = tokenizer("{{ tools | tojson }}", tokenization_kimi="def deep_sort_dict(): ...\n")
    tools = [{"b": [{"d": 1, "c": 2}], "a": 3}]
    assert load_chat_template(where).render({"tools": tools}, {}) == '[{"a": 3, "b": [{"c": 2, "d": 1}]}]'


def test_the_tokenizers_own_code_runs_only_where_it_is_trusted(tokenizer, tmp_path):
    where = tokenizer(
        "{{ tools_ts_str }}", tool_declaration_ts=CODE + f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    )
    with pytest.raises(ChatTemplateError, match="pass --trust-tokenizer-code to run it"):
        load_chat_template(where)
    assert not (tmp_path / "ran").exists()
    template = load_chat_template(where, trust_code=True)
    assert template.render({"messages": [], "tools": [{"name": "f"}]}, {}) == "TSf"
    assert template.render({"messages": [], "tools": None}, {}) == ""
    with pytest.raises(RenderError, match="KeyError"):
        template.render({"tools": [{}]}, {})


@pytest.mark.parametrize(
    ("files", "words"),
    [
        pytest.param({}, "has no tool_declaration_ts.py", id="no code"),
        pytest.param({"tool_declaration_ts": "x = 1\n"}, "has no encode_tools", id="other code"),
    ],
)
def test_trusted_code_must_be_there(tokenizer, files, words):
    with pytest.raises(ChatTemplateError, match=words):
        load_chat_template(tokenizer("{{ tools_ts_str }}", **files), trust_code=True)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda path: path / "absent", "is no file or directory here", id="no such path"),
        pytest.param(lambda path: path, "neither tokenizer_config.json nor", id="an empty directory"),
        pytest.param(lambda path: "just-a-name", "no hub repository", id="no path and no repository"),
    ],
)
def test_an_absent_tokenizer_is_named(tmp_path, make, words):
    with pytest.raises(ChatTemplateError, match=words):
        load_chat_template(str(make(tmp_path)))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param("{}", "has no chat template", id="no template in it"),
        pytest.param("{", "not JSON", id="not JSON"),
        pytest.param('{"chat_template": 3}', "has no chat template", id="a template that is a number"),
    ],
)
def test_a_configuration_without_a_template_is_named(tmp_path, content, words):
    (tmp_path / "tokenizer_config.json").write_text(content)
    with pytest.raises(ChatTemplateError, match=words):
        load_chat_template(str(tmp_path))


def test_a_template_that_is_none_is_named(tokenizer):
    with pytest.raises(ChatTemplateError, match="cannot be read"):
        load_chat_template(tokenizer("{% for %}"))


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ raise_exception('no') }}",
        "{{ messages.x.y }}",
    ],
)
def test_a_template_may_not_reach_out_nor_fail_silently(tokenizer, template):
    with pytest.raises(RenderError):
        load_chat_template(tokenizer(template)).render({"messages": []}, {})


def test_the_hub_is_asked_for_the_same_files(monkeypatch, tmp_path):
    (tmp_path / "chat_template.jinja").write_text("from the hub")

    def download(repo, name, **_):
        assert repo == "someone/made"
        if not (tmp_path / name).exists():
            raise EntryNotFoundError("none")
        return str(tmp_path / name)

    monkeypatch.setattr(evals.prompts.tokenizer_files, "hf_hub_download", download)
    assert load_chat_template("someone/made").render({"messages": []}, {}) == "from the hub"


def test_a_hub_that_does_not_answer_is_named(monkeypatch):
    def download(*_, **__):
        raise LocalEntryNotFoundError("cannot find it, and outgoing traffic is off\nmore words")

    monkeypatch.setattr(evals.prompts.tokenizer_files, "hf_hub_download", download)
    with pytest.raises(ChatTemplateError, match=r"not to be had from the hub \(cannot find it.*--tokenizer"):
        load_chat_template("someone/made")


def endpoint(**more):
    return Endpoint(base_url="http://127.0.0.1:1/v1", model="m", label="m", **more)


def test_a_completion_keeps_what_is_not_of_chats_alone():
    request = {
        "model": "m",
        "messages": [USER],
        "temperature": 0.6,
        "max_completion_tokens": 9,
        "tools": TOOLS,
        "tool_choice": "auto",
        "stream": True,
        "user": None,
        "logprobs": True,
        "response_format": {"type": "json_object"},
    }
    body = completion_body(request, "PROMPT")
    assert list(body)[:6] == ["model", "prompt", "temperature", "max_tokens", "stream", "user"]
    assert body["prompt"] == "PROMPT" and body["user"] is None
    assert {"skip_special_tokens", "spaces_between_special_tokens", "add_special_tokens"} == set(
        list(body)[6:]
    )


@pytest.mark.parametrize(
    ("request_own", "at", "expected"),
    [
        pytest.param({}, {}, {}, id="nothing said"),
        pytest.param({"chat_template_kwargs": {"x": 1}}, {}, {"x": 1}, id="the request's own"),
        pytest.param(
            {"chat_template_kwargs": {"thinking": True}},
            {"think_mode": ThinkMode.OPENSOURCE, "thinking": False},
            {"thinking": False},
            id="the run switches",
        ),
        pytest.param(
            {}, {"think_mode": ThinkMode.KIMI, "thinking": False}, {"thinking": False}, id="Moonshot's switch"
        ),
        pytest.param(
            {"thinking": {"type": "disabled"}}, {}, {"thinking": False}, id="Moonshot's switch in the request"
        ),
    ],
)
def test_the_switch_for_thinking_is_the_templates(request_own, at, expected):
    assert template_variables(request_own, endpoint(**at)) == expected


def test_requests_the_template_refuses_are_left_out_and_told(tokenizer):
    template = load_chat_template(tokenizer())
    items = [
        Item(sample_id=str(n), prompt="", target="", content_hash="h", request={"messages": [{"role": role}]})
        for n, role in enumerate(["user", *["odd"] * 5])
    ]
    rendered = render_items(items, template, endpoint())
    assert [item.sample_id for item in rendered.items] == ["0"]
    assert rendered.items[0].grading == {"raw_completions": True}
    (note,) = rendered.notes
    assert note.startswith("left out: 5 requests") and "roles must be known" in note and "and 2 more" in note
