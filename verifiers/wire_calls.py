"""Tool calls out of whole messages and out of streamed fragments, with the arguments exactly as sent."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from verifiers.response import ToolCall
from verifiers.wire_frame import json_text


class _Piece(NamedTuple):
    """What one item of ``tool_calls`` says of a call; ``None`` where null, absent or unusable."""

    id: str | None
    name: str | None
    arguments: str | None
    is_text: bool = True

    @property
    def is_empty(self) -> bool:
        return not (self.id or self.name or self.arguments)


class _Call:
    """One call while its fragments arrive."""

    __slots__ = ("arguments", "id", "is_text", "name", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self.id: str | None = None
        self.name: str | None = None
        self.arguments: list[str] | None = None
        self.is_text = True

    def text(self) -> str | None:
        return None if self.arguments is None else "".join(self.arguments)

    def piece(self) -> _Piece:
        return _Piece(self.id, self.name, self.text(), self.is_text)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are one JSON object: more of them can only be another call's."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self.arguments)), dict)
        except (ValueError, RecursionError):
            return False


class CallCollector:
    """Collects the calls of one response; ``flags`` names what was wrong with their form on the wire."""

    __slots__ = ("_by_index", "_calls", "_n_empty", "flags")

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._n_empty = 0
        self.flags: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, value: object, *, is_message: bool) -> bool:
        """Take in the ``tool_calls`` of a delta or of a message; whether anything of a call was in it."""
        items = value if isinstance(value, list) else [value]
        if items is not value:
            self.flags["tool_calls_not_list"] = None
        return self._add_whole(items) if is_message else self._add_fragments(items)

    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order of their indices, those that share one in order of arrival."""
        found = [call for call in self._calls if not call.piece().is_empty]
        positions = [call.position for call in found]
        if positions != sorted(positions):
            self.flags["unordered_index"] = None
        ids = [call.id for call in found if call.id]
        if len(ids) != len(set(ids)):
            self.flags["duplicate_id"] = None
        found.sort(key=lambda call: call.position)
        return tuple(
            ToolCall(id=call.id, name=call.name, arguments=call.text(), is_text=call.is_text)
            for call in found
        )

    @property
    def has_empty_deltas(self) -> bool:
        """Whether a fragment announced a call and nothing of it ever came."""
        return self._n_empty > 0 or any(call.piece().is_empty for call in self._calls)

    def n_characters(self) -> int:
        """Size of what was collected, to notice that something came late."""
        return sum(len(call.text() or "") + len(call.name or "") for call in self._calls)

    def _add_whole(self, items: list[Any]) -> bool:
        """Every item is a call of its own, in the order given."""
        # A closing message in a stream repeats what the deltas before it gave.
        known = {call.piece() for call in self._calls}
        for item in items:
            piece = self._read(item)
            if piece.is_empty:
                self.flags["tool_call_malformed"] = None
            elif piece not in known:
                self._extend(self._new_call(len(self._calls)), piece)
        return bool(items)

    def _add_fragments(self, items: list[Any]) -> bool:
        carried = False
        if not items:
            self._n_empty += 1
        for item in items:
            carried = self._continue_arguments(item) or self._add_fragment(item) or carried
        return carried

    def _continue_arguments(self, item: Any) -> bool:
        """The usual fragment, only more arguments for a known call; False for all others, untouched."""
        if type(item) is not dict or item.get("id") or type(function := item.get("function")) is not dict:
            return False
        index, arguments = item.get("index"), function.get("arguments")
        if function.get("name") or type(index) is not int or type(arguments) is not str or not arguments:
            return False
        call = self._by_index.get(index)
        if call is None or call.arguments is None:
            return False
        call.arguments.append(arguments)
        return True

    def _add_fragment(self, item: Any) -> bool:
        piece = self._read(item)
        index = _index(item.get("index")) if isinstance(item, Mapping) else None
        if index is not None:
            call = self._call_at(index, piece)
        elif piece.is_empty:
            self._n_empty += 1
            return False
        elif not isinstance(item, Mapping):
            call = self._new_call(len(self._calls))
        else:
            self.flags["missing_index"] = None
            call = self._call_without_index(piece)
        if call is not None:
            self._extend(call, piece)
        return not piece.is_empty

    def _call_at(self, index: int, piece: _Piece) -> _Call | None:
        """The call that a fragment at ``index`` belongs to; ``None`` for a repetition of what is known."""
        call = self._by_index.get(index)
        if call is None:
            call = self._by_index[index] = self._new_call(index)
            return call
        if piece.id and call.id and piece.id != call.id:
            return self._call_with_other_id(call, piece)
        if piece.name and piece.arguments and call.is_whole:
            if call.id and call.piece() == piece._replace(id=piece.id or call.id):
                self.flags["call_repeated"] = None
                return None
            return self._new_call_at_same_index(index)
        return call

    def _call_with_other_id(self, call: _Call, piece: _Piece) -> _Call:
        """A new id at a known index is a new call, unless it is a fragment under an id made up per chunk."""
        for earlier in self._calls:
            if earlier.position == call.position and earlier.id == piece.id:
                return earlier
        if piece.name or (piece.arguments and call.is_whole):
            return self._new_call_at_same_index(call.position)
        self.flags["id_changed"] = None
        return call

    def _call_without_index(self, piece: _Piece) -> _Call | None:
        """Without an index the id decides, then whether the last call is complete."""
        for call in self._calls:
            if piece.id and call.id == piece.id:
                return self._call_at(call.position, piece)
        if not self._calls:
            return self._call_at(0, piece)
        last = self._calls[-1]
        has_other_id = bool(piece.id and last.id)
        may_be_new = piece.name or (has_other_id and piece.arguments)
        if may_be_new and ((piece.name and has_other_id) or last.is_whole):
            return self._call_at(max(call.position for call in self._calls) + 1, piece)
        if has_other_id:
            self.flags["id_changed"] = None
        return last

    def _new_call_at_same_index(self, index: int) -> _Call:
        self.flags["duplicate_index"] = None
        call = self._by_index[index] = self._new_call(index)
        return call

    def _new_call(self, position: int) -> _Call:
        call = _Call(position)
        self._calls.append(call)
        return call

    def _extend(self, call: _Call, piece: _Piece) -> None:
        if piece.id and not call.id:
            call.id = piece.id
        if piece.name is not None and piece.name != call.name:
            self._extend_name(call, piece.name)
        if piece.arguments is not None:
            call.is_text = call.is_text and piece.is_text
            if call.arguments is None:
                call.arguments = []
            call.arguments.append(piece.arguments)

    def _extend_name(self, call: _Call, name: str) -> None:
        """Some servers repeat the whole name, some send it in pieces, some send ever longer beginnings."""
        if not call.name:
            call.name = name
        elif name:
            self.flags["name_fragmented"] = None
            call.name = name if name.startswith(call.name) else call.name + name

    def _read(self, item: Any) -> _Piece:
        if item is None:
            return _Piece(None, None, None)
        if not isinstance(item, Mapping):
            self.flags["tool_call_malformed"] = None
            return _Piece(None, None, json_text(item), is_text=False)
        id_ = self._text(item.get("id"))
        function = item.get("function")
        if function is None and ("name" in item or "arguments" in item):
            function = item  # the wrapper forgotten
            self.flags["tool_call_malformed"] = None
        if function is None:
            return _Piece(id_, None, None)
        if not isinstance(function, Mapping):
            self.flags["tool_call_malformed"] = None
            return _Piece(id_, None, json_text(function), is_text=False)
        name, arguments = self._text(function.get("name")), function.get("arguments")
        if arguments is None or isinstance(arguments, str):
            return _Piece(id_, name, arguments)
        self.flags["args_not_string"] = None
        return _Piece(id_, name, json_text(arguments), is_text=False)

    def _text(self, value: object) -> str | None:
        if value is None or isinstance(value, str):
            return value
        self.flags["tool_call_malformed"] = None
        return json_text(value)


def has_index(items: object) -> bool:
    """Whether these are fragments by their form: the calls of a whole message need no index."""
    return isinstance(items, list) and any(isinstance(item, Mapping) and "index" in item for item in items)


def _index(value: object) -> int | None:
    """A tool call's index; text digits are one, a missing or senseless one is ``None``."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return None
