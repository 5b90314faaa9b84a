"""The faults of the wire by what a run must make of them: try again, give up at once, or not mind."""

RETRIED = (
    *("http_408", "http_409", "http_425", "http_429", "http_429_date", "http_429_bare", "http_429_garbage"),
    *("http_500", "http_502_html", "http_503", "http_504", "http_529", "connect_reset", "connect_close"),
    *(
        "ok_error_body",
        "ok_error_text",
        "ok_error_flat",
        "ok_no_choices",
        "ok_html",
        "ok_empty",
        "garbage_json",
    ),
    *(
        "reset_mid_stream",
        "close_mid_stream",
        "cut_mid_stream",
        "done_without_finish",
        "finish_null_then_eof",
    ),
    *("error_frame", "error_event", "stall", "finish_abort"),
)
REFUSED = ("http_400_context", "http_401", "http_403", "http_404", "http_422")
# What the wire may look like without anything being wrong, and the columns that may then differ.
HARMLESS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("slow_start", "no_done", "empty_choices_first", "sse_fields", "data_no_space"), frozenset()
    ),
    **dict.fromkeys(("keepalive_comments", "crlf", "split_utf8"), frozenset()),
    "ignore_stream": frozenset({"flags"}),
    **dict.fromkeys(("usage_on_finish", "usage_null_first", "usage_every_chunk", "usage_wrong"), frozenset()),
    **dict.fromkeys(("usage_missing", "usage_zero"), frozenset({"output_tokens", "reasoning_tokens"})),
    "finish_odd": frozenset({"stop_reason"}),
    "several_choices": frozenset({"flags", "output_tokens", "reasoning_tokens"}),
    **dict.fromkeys(("reasoning_details", "both_reasoning", "content_parts"), frozenset({"flags"})),
    # the tags are tokens too, and the server counts no reasoning apart
    **dict.fromkeys(
        ("think_in_content", "think_bare_closer"), frozenset({"flags", "output_tokens", "reasoning_tokens"})
    ),
}


def faults_of_the_wire() -> tuple[str, ...]:
    """Return every fault of the matrix."""
    return (*RETRIED, *REFUSED, *HARMLESS)
