"""The ways the simulated endpoint can misbehave, each with one line on what it does."""

from enum import StrEnum


class FaultKind(StrEnum):
    """One way to misbehave; where two strike at once, the earlier one here decides how the reply ends."""

    description: str

    def __new__(cls, value: str, description: str = "") -> "FaultKind":
        """Make a member whose value is ``value`` alone."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.description = description
        return member

    HTTP_400_CONTEXT = "http_400_context", "400: the context length is exceeded"
    HTTP_401 = "http_401", "401: wrong key"
    HTTP_403 = "http_403", "403: not allowed"
    HTTP_404 = "http_404", "404: model not found"
    HTTP_408 = "http_408", "408: request timeout"
    HTTP_409 = "http_409", "409: conflict"
    HTTP_422 = "http_422", "422: unprocessable"
    HTTP_425 = "http_425", "425: too early"
    HTTP_429 = "http_429", "429 with Retry-After in seconds"
    HTTP_429_DATE = "http_429_date", "429 with Retry-After as an HTTP date"
    HTTP_429_BARE = "http_429_bare", "429 without Retry-After"
    HTTP_429_GARBAGE = "http_429_garbage", "429 with a Retry-After that is neither seconds nor a date"
    HTTP_500 = "http_500", "500 with an error body"
    HTTP_502_HTML = "http_502_html", "502 with a proxy's HTML page"
    HTTP_503 = "http_503", "503 with an error body"
    HTTP_504 = "http_504", "504 with an empty body"
    HTTP_529 = "http_529", "529: overloaded"
    CONNECT_RESET = "connect_reset", "the connection is reset before any reply"
    CONNECT_CLOSE = "connect_close", "the connection is closed before any reply"
    OK_ERROR_BODY = "ok_error_body", "200 with an error body"
    OK_ERROR_TEXT = "ok_error_text", "200 with an error body that is a text, not an object"
    OK_ERROR_FLAT = "ok_error_flat", "200 with the older flat error body"
    OK_NO_CHOICES = "ok_no_choices", "200 with no choices"
    OK_HTML = "ok_html", "200 with an HTML page"
    OK_EMPTY = "ok_empty", "200 with an empty body"
    GARBAGE_JSON = "garbage_json", "a frame (plain: the body) that is not JSON"
    SLOW_START = "slow_start", "nothing at all for --slow-start seconds, then the whole reply"
    RESET_MID_STREAM = "reset_mid_stream", "the connection is reset half-way"
    CLOSE_MID_STREAM = "close_mid_stream", "the connection is closed half-way, the body unfinished"
    CUT_MID_STREAM = "cut_mid_stream", "the reply ends cleanly half-way: no finish reason, no [DONE]"
    DONE_WITHOUT_FINISH = (
        "done_without_finish",
        "[DONE] half-way without a finish reason (plain: a null finish reason)",
    )
    FINISH_NULL_THEN_EOF = (
        "finish_null_then_eof",
        "all the text, then the end without a finish reason or [DONE]",
    )
    ERROR_FRAME = "error_frame", "an error frame half-way (plain: 200 with an error body)"
    ERROR_EVENT = "error_event", "an event of type error half-way (plain: 200 with an error body)"
    STALL = "stall", "silence half-way until the client gives up"
    ENDLESS = "endless", "text without end from half-way on, whatever the budget"
    NO_DONE = "no_done", "the stream is whole but for the [DONE] at its end"
    EMPTY_CHOICES_FIRST = "empty_choices_first", "the first chunk of a stream has no choices"
    SSE_FIELDS = "sse_fields", "event, id and retry lines beside the data lines"
    DATA_NO_SPACE = "data_no_space", "no space after data:"
    KEEPALIVE_COMMENTS = (
        "keepalive_comments",
        "comment lines between frames (plain: white space before the body)",
    )
    CRLF = "crlf", "frames end in CRLF"
    SPLIT_UTF8 = "split_utf8", "writes end anywhere, inside UTF-8 sequences too; multi-byte text is added"
    IGNORE_STREAM = "ignore_stream", "a stream is asked for, a plain reply comes"
    USAGE_MISSING = "usage_missing", "no usage"
    USAGE_ON_FINISH = "usage_on_finish", "usage on the finish chunk, not after it"
    USAGE_ZERO = "usage_zero", "usage of all zeros"
    USAGE_NULL_FIRST = "usage_null_first", "usage null on every chunk before the one that has it"
    USAGE_EVERY_CHUNK = "usage_every_chunk", "a running usage on every chunk"
    USAGE_PROMPT_INFLATED = "usage_prompt_inflated", "a third more prompt tokens than there are"
    USAGE_WRONG = "usage_wrong", "usage whose total is not its sum"
    FINISH_ABORT = "finish_abort", "half the text, finish reason abort"
    FINISH_ODD = "finish_odd", "finish reason eos, which no standard knows"
    SEVERAL_CHOICES = "several_choices", "two choices though one was asked for"
    CONTENT_NULL = "content_null", "content null, finish reason stop"
    CONTENT_PARTS = "content_parts", "content as a list of parts instead of text"
    THINK_IN_CONTENT = "think_in_content", "reasoning within <think> tags in the content"
    THINK_UNCLOSED = "think_unclosed", "an opening <think> without its end in the content"
    THINK_BARE_CLOSER = "think_bare_closer", "reasoning in the content, ended by </think> that nothing opened"
    COT_IN_CONTENT = "cot_in_content", "thinking aloud in the content though thinking is off"
    REASONING_DETAILS = "reasoning_details", "reasoning in a reasoning_details list only"
    BOTH_REASONING = "both_reasoning", "reasoning in both fields at once"
    FLOOD = "flood", "!!!! until the budget ends"
    LOOP = "loop", "a phrase repeated until the budget ends"
    THINKING_IGNORED = "thinking_ignored", "the thinking switch changes nothing"
    SEED_IGNORED = "seed_ignored", "the seed changes nothing: every request draws anew"
    MAX_TOKENS_IGNORED = "max_tokens_ignored", "the budget is not honoured"
    STOP_IGNORED = "stop_ignored", "stop sequences are not honoured"
    FORMAT_IGNORED = "format_ignored", "response_format is not honoured"
    IMAGE_IGNORED = "image_ignored", "images are not looked at"
    BAD_VALUES_ACCEPTED = "bad_values_accepted", "parameters out of range are dropped instead of refused"
    REFUSED_WITH_500 = "refused_with_500", "bad requests get a 500 instead of a 400"
    TOOL_NAME_UNKNOWN = "tool_name_unknown", "calls name a tool that was not declared"
    TOOL_ARGS_INVALID = "tool_args_invalid", "arguments of the wrong types, with required ones missing"
    TOOL_ARGS_TRUNCATED = "tool_args_truncated", "arguments end in the middle of the JSON"
    TOOL_ARGS_DOUBLE_ENCODED = "tool_args_double_encoded", "arguments are a JSON text that holds JSON"
    TOOL_ARGS_EMPTY = "tool_args_empty", "arguments are an empty text"
    TOOL_ARGS_NULL = "tool_args_null", "arguments are null"
    TOOL_ARGS_OBJECT = "tool_args_object", "arguments are a JSON object instead of text"
    TOOL_LEAK_CONTENT = "tool_leak_content", "calls stay in the content as native tokens"
    TOOL_LEAK_REASONING = "tool_leak_reasoning", "calls stay in the reasoning as native tokens"
    TOOL_ID_OPENAI = "tool_id_openai", "call ids like call_abc123"
    TOOL_ID_MALFORMED = "tool_id_malformed", "call ids without separators"
    TOOL_ID_MISSING = "tool_id_missing", "call ids null"
    TOOL_FINISH_STOP = "tool_finish_stop", "finish reason stop beside calls"
    TOOL_FINISH_WITHOUT_CALLS = "tool_finish_without_calls", "finish reason tool_calls without any call"
    TOOL_FINISH_TWICE = "tool_finish_twice", "the finish reason comes twice (streams only)"
    TOOL_DUPLICATE_INDEX = "tool_duplicate_index", "two parallel calls under one index (streams only)"
    TOOL_INDEX_MISSING = "tool_index_missing", "call deltas without an index (streams only)"
    TOOL_EMPTY_DELTAS = "tool_empty_deltas", "empty tool_calls deltas and no call"
    TOOL_NAME_FRAGMENTED = "tool_name_fragmented", "the tool's name comes in pieces (streams only)"
    TOOL_NOT_TRIGGERED = "tool_not_triggered", "text where a call was due"
    TOOL_PARALLEL_UNORDERED = "tool_parallel_unordered", "two parallel calls, the second one first"
    TOOL_CHOICE_IGNORED = "tool_choice_ignored", "tool_choice required and none are not honoured"
