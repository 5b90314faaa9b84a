"""Find the files of a tokenizer that say how a conversation is written: in a directory, or on the hub."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import (
    EntryNotFoundError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
)

CONFIG, TEMPLATE, TOOL_CODE = "tokenizer_config.json", "chat_template.jinja", "tool_declaration_ts.py"
_TOKENIZER_CODE = "tokenization_kimi.py"
_HUB_TIMEOUT_S = 10.0
_MAX_FILE_BYTES = 64 * 1024**2


class ChatTemplateError(RuntimeError):
    """A chat template that is not to be had, or that cannot be rendered here; the message names the way out."""


@dataclass(frozen=True, kw_only=True)
class TokenizerFiles:
    """What the files of one tokenizer say. ``sorts_tools``: its code sorts the keys of tools before rendering."""

    where: str
    config: Mapping[str, Any]
    template: str | None
    sorts_tools: bool = False
    tool_code: Path | None = None

    def tool_writer(self, *, trust_code: bool) -> Callable[[Any], str]:
        """Return the tokenizer's own function that writes tools; it is run only where it is trusted."""
        if not trust_code:
            raise ChatTemplateError(
                f"tokenizer {self.where!r}: its chat template wants the tools as the tokenizer's own code"
                f" ({TOOL_CODE}) writes them; look at that file and pass --trust-tokenizer-code to run it"
            )
        if self.tool_code is None:
            raise ChatTemplateError(f"tokenizer {self.where!r}: has no {TOOL_CODE}; add it to the directory")
        return _imported(self.tool_code)


def find_tokenizer(where: str) -> TokenizerFiles:
    """Return the files of a tokenizer; raise :class:`ChatTemplateError` where there are none."""
    path = Path(where).expanduser()
    if path.is_file():
        return TokenizerFiles(where=where, config={}, template=_text(path))
    if path.is_dir():
        return _read(where, lambda name: found if (found := path / name).is_file() else None)
    if where.startswith((".", "/", "~")) or where.count("/") != 1:
        raise ChatTemplateError(
            f"tokenizer {where!r}: is no file or directory here, and no hub repository (OWNER/NAME);"
            " give the directory that holds tokenizer_config.json"
        )
    return _read(where, lambda name: _from_hub(where, name))


def _read(where: str, find: Callable[[str], Path | None]) -> TokenizerFiles:
    config, template, code = find(CONFIG), find(TEMPLATE), find(_TOKENIZER_CODE)
    if config is None and template is None:
        raise ChatTemplateError(
            f"tokenizer {where!r}: holds neither {CONFIG} nor {TEMPLATE}; name the tokenizer's own directory"
        )
    return TokenizerFiles(
        where=where,
        config={} if config is None else _config(config),
        template=None if template is None else _text(template),
        sorts_tools=code is not None and "deep_sort_dict" in _text(code),
        tool_code=find(TOOL_CODE),
    )


def _config(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise ChatTemplateError(
            f"tokenizer config {str(path)!r}: not JSON ({error}); copy it again"
        ) from error
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise ChatTemplateError(
                f"{str(path)!r}: larger than {_MAX_FILE_BYTES:,} bytes; it is no such file"
            )
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ChatTemplateError(f"{str(path)!r}: cannot be read ({error}); copy it again") from error


def _from_hub(repo: str, name: str) -> Path | None:
    try:
        return Path(hf_hub_download(repo, name, etag_timeout=_HUB_TIMEOUT_S))
    except LocalEntryNotFoundError as error:  # the hub was not reached: whether it has the file is not known
        raise _no_hub(repo, error) from error
    except EntryNotFoundError:
        return None
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        raise _no_hub(repo, error) from error


def _no_hub(repo: str, error: Exception) -> ChatTemplateError:
    words = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return ChatTemplateError(
        f"tokenizer {repo!r}: not to be had from the hub ({words}); give the directory of a local copy with --tokenizer"
    )


def _imported(path: Path) -> Callable[[Any], str]:
    spec = spec_from_file_location("tokenizer_tool_code", path)
    if spec is None or spec.loader is None:
        raise ChatTemplateError(f"{str(path)!r}: is no Python file; copy it again")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    writer: Callable[[Any], str] | None = getattr(module, "encode_tools_to_typescript_style", None)
    if writer is None:
        raise ChatTemplateError(f"{str(path)!r}: has no encode_tools_to_typescript_style; copy it again")
    return writer
