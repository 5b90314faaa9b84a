"""Tool calls out of whole messages and out of streamed fragments, with the arguments exactly as sent."""

import json
from collections.abc import Mapping
from typing import Any

from verifiers.response import ToolCall
from verifiers.wire_error import json_text


class _Call:
    """One call while its fragments arrive."""

    __slots__ = ("arguments", "id", "name", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self.id: str | None = None
        self.name: str | None = None
        self.arguments: list[str] | None = None

    def text(self) -> str | None:
        return None if self.arguments is None else "".join(self.arguments)

    @property
    def is_empty(self) -> bool:
        return not (self.id or self.name or self.text())

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

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, value: object, *, is_message: bool) -> bool:
        """Take in the ``tool_calls`` of a delta or of a message; whether anything of a call was in it."""
        items = value if isinstance(value, list) else [value]
        if items is not value:
            self.flags["tool_calls_not_list"] = None
        return self._add_whole(items) if is_message else self._add_fragments(items)

    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order of their indices, those that share one in order of arrival."""
        found = [call for call in self._calls if not call.is_empty]
        positions = [call.position for call in found]
        if positions != sorted(positions):
            self.flags["unordered_index"] = None
        ids = [call.id for call in found if call.id]
        if len(ids) != len(set(ids)):
            self.flags["duplicate_id"] = None
        found.sort(key=lambda call: call.position)
        return tuple(ToolCall(id=call.id, name=call.name, arguments=call.text()) for call in found)

    @property
    def has_empty_deltas(self) -> bool:
        """Whether a fragment announced a call and nothing of it ever came."""
        return self._n_empty > 0 or any(call.is_empty for call in self._calls)

    def n_characters(self) -> int:
        """Size of what was collected, to notice that something came late."""
        return sum(len(call.text() or "") + len(call.name or "") for call in self._calls)

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

    def _add_whole(self, items: list[Any]) -> bool:
        """Every item is a call of its own, in the order given."""
        # A closing message in a stream repeats what the deltas before it gave.
        known = {(call.id, call.name, call.text()) for call in self._calls}
        for item in items:
            id_, name, arguments = self._read(item)
            if not (id_ or name or arguments):
                self.flags["tool_call_malformed"] = None
            elif (id_, name, arguments) not in known:
                self._extend(self._new_call(len(self._calls)), id_, name, arguments)
        return bool(items)

    def _add_fragment(self, item: Any) -> bool:
        id_, name, arguments = self._read(item)
        is_empty = not (id_ or name or arguments)
        index = _index(item.get("index")) if isinstance(item, Mapping) else None
        if index is not None:
            call = self._call_at(index, id_, name, arguments)
        elif is_empty:
            self._n_empty += 1
            return False
        elif not isinstance(item, Mapping):
            call = self._new_call(len(self._calls))
        else:
            self.flags["missing_index"] = None
            call = self._call_without_index(id_, name, arguments)
        if call is not None:
            self._extend(call, id_, name, arguments)
        return not is_empty

    def _call_at(self, index: int, id_: str | None, name: str | None, arguments: str | None) -> _Call | None:
        """The call that a fragment at ``index`` belongs to; ``None`` for a repetition of what is known."""
        call = self._by_index.get(index)
        if call is None:
            call = self._by_index[index] = self._new_call(index)
            return call
        if not id_ and not name:
            return call
        if id_ and call.id and id_ != call.id:
            return self._call_with_other_id(call, id_, name, arguments)
        if name and arguments and call.is_whole:
            if call.id and id_ in (None, "", call.id) and (name, arguments) == (call.name, call.text()):
                self.flags["call_repeated"] = None
                return None
            return self._new_call_at_same_index(index)
        return call

    def _call_with_other_id(
        self, call: _Call, id_: str, name: str | None, arguments: str | None
    ) -> _Call | None:
        """A new id at a known index is a new call, unless it is a fragment under an id made up per chunk."""
        for earlier in self._calls:
            if earlier.position == call.position and earlier.id == id_:
                return earlier
        if name or (arguments and call.is_whole):
            return self._new_call_at_same_index(call.position)
        self.flags["id_changed"] = None
        return call

    def _call_without_index(self, id_: str | None, name: str | None, arguments: str | None) -> _Call | None:
        """Without an index the id decides, then whether the last call is complete."""
        for call in self._calls:
            if id_ and call.id == id_:
                return self._call_at(call.position, id_, name, arguments)
        if not self._calls:
            return self._call_at(0, id_, name, arguments)
        last = self._calls[-1]
        has_other_id = bool(id_ and last.id)
        if not ((name and has_other_id) or ((name or (has_other_id and arguments)) and last.is_whole)):
            if has_other_id:
                self.flags["id_changed"] = None
            return last
        position = max(call.position for call in self._calls) + 1
        return self._call_at(position, id_, name, arguments)

    def _new_call_at_same_index(self, index: int) -> _Call:
        self.flags["duplicate_index"] = None
        call = self._by_index[index] = self._new_call(index)
        return call

    def _new_call(self, position: int) -> _Call:
        call = _Call(position)
        self._calls.append(call)
        return call

    def _extend(self, call: _Call, id_: str | None, name: str | None, arguments: str | None) -> None:
        if id_ and not call.id:
            call.id = id_
        if name is not None and name != call.name:
            self._extend_name(call, name)
        if arguments is not None:
            if call.arguments is None:
                call.arguments = []
            call.arguments.append(arguments)

    def _extend_name(self, call: _Call, name: str) -> None:
        """Some servers repeat the whole name, some send it in pieces, some send ever longer beginnings."""
        if not call.name:
            call.name = name
        elif name:
            self.flags["name_fragmented"] = None
            call.name = name if name.startswith(call.name) else call.name + name

    def _read(self, item: Any) -> tuple[str | None, str | None, str | None]:
        """Id, name and arguments text of one item, ``None`` where null, absent or unusable."""
        if not isinstance(item, Mapping):
            if item is not None:
                self.flags["tool_call_malformed"] = None
            return None, None, None if item is None else json_text(item)
        function = item.get("function")
        if function is None and ("name" in item or "arguments" in item):
            function = item  # the wrapper forgotten
            self.flags["tool_call_malformed"] = None
        if function is None:
            return self._text(item.get("id")), None, None
        if not isinstance(function, Mapping):
            self.flags["tool_call_malformed"] = None
            return self._text(item.get("id")), None, json_text(function)
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            self.flags["args_not_string"] = None
            arguments = json_text(arguments)
        return self._text(item.get("id")), self._text(function.get("name")), arguments

    def _text(self, value: object) -> str | None:
        if value is None or isinstance(value, str):
            return value
        self.flags["tool_call_malformed"] = None
        return json_text(value)


def _index(value: object) -> int | None:
    """A tool call's index; text digits are one, a missing or senseless one is ``None``."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return None


def has_index(items: object) -> bool:
    """Whether these are fragments by their form: the calls of a whole message need no index."""
    return isinstance(items, list) and any(isinstance(item, Mapping) and "index" in item for item in items)
