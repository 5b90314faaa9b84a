"""Texts from the logs of a run: prompt, reasoning and answer of every response, one at a time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evals.divergence.file_texts import length_of
from evals.divergence.text import PlannedText, Text, TextError, Texts
from evals.endpoint import Endpoint
from evals.prompts.raw_completions import template_variables
from reports.eval_log import read_eval_log
from reports.json_text import parse_json
from reports.log_members import LogError, LogMembers, open_members
from reports.score_table import TaskFacts
from reports.zip_directory import Member
from tasks.response_record import RAW_REQUEST, RECORD, REQUEST_IMAGES
from tasks.spec import ThinkMode
from verifiers.response import ToolCall


@dataclass(frozen=True, kw_only=True)
class _Log:
    """One log, how its responses were sampled, and how its endpoint was told to think."""

    members: LogMembers
    samples: Mapping[str, Member]
    task: str
    temperature: float | None
    top_p: float | None
    endpoint: Endpoint
    created: str

    def text(self, name: str) -> Text:
        """Return the text of one sample; raise :class:`TextError` for one that cannot be scored."""
        try:
            sample = parse_json(self.members.read(name, self.samples[name]))
        except ValueError as error:
            raise LogError(f"{self.members.path}: {name} is no JSON ({error}); copy the log again") from None
        return _text(sample, self)


def read_run_texts(path: Path) -> Texts:
    """Return the texts of every response under ``path``, of logs of one run the newest first.

    Raises :class:`reports.log_members.LogError` where there is no log that can be read.
    """
    planned: dict[tuple[str, str, int], PlannedText] = {}
    left_out: Counter[str] = Counter()
    for log in sorted(_logs(path), key=lambda log: log.created, reverse=True):
        for name in log.samples:
            try:
                text = log.text(name)
            except TextError as error:
                left_out[str(error)] += 1
                continue
            identity = (text.task, text.sample_id, text.epoch)
            if identity not in planned:
                planned[identity] = _planned(log, name, text)
    if not planned:
        reasons = "; ".join(f"{n:,} x {reason}" for reason, n in left_out.items()) or "no responses"
        raise LogError(f"{path}: holds no text that can be scored ({reasons}); give another run")
    return Texts(planned=list(planned.values()), left_out=left_out, source=str(path))


def _logs(path: Path) -> Iterator[_Log]:
    files = [path] if path.is_file() else sorted(path.rglob("*.eval"))
    if not files:
        raise LogError(f"{path}: holds no log (.eval); give a run directory or a log")
    for file in files:
        log = read_eval_log(file)
        yield _log(open_members(file), log.facts, log.created)


def _log(members: LogMembers, facts: TaskFacts, created: str) -> _Log:
    spec = facts.spec
    sampling = spec.get("sampling") or spec.get("generate_config") or {}
    mode = spec.get("think_mode")
    return _Log(
        members=members,
        samples=members.samples(),
        task=facts.task,
        temperature=sampling.get("temperature"),
        top_p=sampling.get("top_p"),
        endpoint=Endpoint(
            base_url="",
            model="",
            label=facts.label,
            think_mode=ThinkMode(mode) if mode in list(ThinkMode) else ThinkMode.NONE,
            thinking=spec.get("thinking"),
            effort=spec.get("effort"),
            extra_body=spec.get("extra_body") or {},
        ),
        created=created,
    )


def _planned(log: _Log, name: str, text: Text) -> PlannedText:
    n_tokens, is_counted = length_of(text)
    return PlannedText(key=text.key, n_tokens=n_tokens, is_counted=is_counted, load=partial(log.text, name))


def _text(sample: Mapping[str, Any], log: _Log) -> Text:
    if sample.get("error"):
        raise TextError("failed responses")
    messages = sample.get("messages") or []
    if not messages or messages[-1].get("role") != "assistant":
        raise TextError("samples without a response")
    *asked, answer = messages
    request = _whole_request(asked)
    reasoning, content = _said(answer)
    record = (_mapping(_mapping(sample.get("output")).get("metadata"))).get(RECORD) or {}
    calls = tuple(ToolCall(**call) for call in record.get("tool_calls") or ())
    if not (reasoning or content or calls):
        raise TextError("empty responses")
    return Text(
        sample_id=str(sample.get("id")),
        epoch=int(sample.get("epoch") or 1),
        task=log.task,
        category=_mapping(sample.get("metadata")).get("category"),
        messages=request.get("messages") or [_message(message) for message in asked],
        tools=request.get("tools") or (),
        template=template_variables(request, log.endpoint),
        prompt=request.get("prompt"),
        reasoning=reasoning,
        content=content,
        calls=calls,
        temperature=log.temperature,
        top_p=log.top_p,
        counted_tokens=_counted(_mapping(record.get("usage"))),
    )


def _counted(usage: Mapping[str, Any]) -> int | None:
    asked, said = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return asked + said if isinstance(asked, int) and isinstance(said, int) and asked * said > 0 else None


def _whole_request(asked: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the whole request that a message carries in its metadata, empty where none does."""
    found = (_mapping(message.get("metadata")).get(RAW_REQUEST) for message in asked)
    return next((_mapping(request) for request in found if request), {})


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    if message.get("tool_calls") or message.get("role") not in {"system", "user", "assistant"}:
        raise TextError("prompts with tool calls")
    content = message.get("content")
    if _mapping(message.get("metadata")).get(REQUEST_IMAGES):
        raise TextError("prompts with images")
    if isinstance(content, list):
        if any(part.get("type") not in {"text", "reasoning"} for part in content):
            raise TextError("prompts with images")
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    return {"role": message["role"], "content": content or ""}


def _said(answer: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return reasoning (``None`` without any) and visible text of an assistant's message."""
    content = answer.get("content")
    if not isinstance(content, list):
        return None, str(content or "")
    thoughts = [str(part.get("reasoning") or "") for part in content if part.get("type") == "reasoning"]
    texts = [str(part.get("text") or "") for part in content if part.get("type") == "text"]
    return ("".join(thoughts) or None), "".join(texts)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
