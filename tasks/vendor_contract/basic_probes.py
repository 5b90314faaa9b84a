"""Probes of what everything else builds on: an answer, an event stream, finish reasons, one choice."""

from tasks.vendor_contract.probe import Ask, Budgets, Delivery, Group, Probe, user
from verifiers.contract_basics import answers, content_is_text, event_stream, finish_reasons
from verifiers.contract_refusal import refused
from verifiers.contract_sampling import n_choices

PLAIN_TEXT = 'Reply with the single word "OK".'
LONG_TEXT = "Write a story of about 300 words on a lighthouse keeper."


def plain_ask(budgets: Budgets, name: str = "plain text") -> Ask:
    """Return the plainest request there is; probes that need nothing else share its reply."""
    return Ask(name=name, body={"messages": user(PLAIN_TEXT), "max_tokens": budgets.reply}, thinking=False)


def long_ask(budgets: Budgets, name: str = "short budget") -> Ask:
    """Return a request whose answer is longer than its budget."""
    return Ask(name=name, body={"messages": user(LONG_TEXT), "max_tokens": budgets.short}, thinking=False)


def basic_probes(budgets: Budgets) -> tuple[Probe, ...]:
    """Return the probes of this group."""
    plain = plain_ask(budgets)
    return (
        Probe(
            name="answers",
            group=Group.BASICS,
            expectation="A plain question gets a visible answer.",
            asks=(plain,),
            judge=answers(plain.name),
            depends_on=("streaming",),
            advice="look at the server's log and at its reasoning parser; nothing else can be judged before",
        ),
        Probe(
            name="streaming",
            group=Group.BASICS,
            expectation="A stream comes as server-sent events, with a finish reason, and ends in [DONE].",
            asks=(plain,),
            judge=event_stream(plain.name),
            deliveries=(Delivery.STREAM,),
            advice="a proxy in between may buffer or cut streams",
        ),
        Probe(
            name="finish_reason",
            group=Group.BASICS,
            expectation="A whole text ends with finish reason stop, one that its budget cuts with length.",
            asks=(plain, long_ask(budgets)),
            judge=finish_reasons(stopped=plain.name, cut="short budget"),
            advice="clients take any other word for a failure, or a cut text for a whole one",
        ),
        Probe(
            name="one_choice",
            group=Group.BASICS,
            expectation="One choice comes back unless more are asked for.",
            asks=(plain,),
            judge=n_choices(plain.name, 1),
            advice="clients read the first choice, or glue them together",
        ),
        Probe(
            name="content_is_text",
            group=Group.BASICS,
            expectation="The content is a text, not a list of parts.",
            asks=(plain,),
            judge=content_is_text(plain.name),
            advice="clients read the content as a text and break on a list",
        ),
        Probe(
            name="bad_request",
            group=Group.BASICS,
            expectation="Requests that cannot be are refused with a 400 and a reason.",
            asks=(
                plain,
                Ask(name="no messages", body={"max_tokens": budgets.short}),
                Ask(name="messages is a text", body={"messages": "OK", "max_tokens": budgets.short}),
            ),
            judge=refused("no messages", "messages is a text", control=plain.name),
            advice="clients retry a 500 and give up on a 400: send OpenAI's error object with status 400",
        ),
        Probe(
            name="bad_values",
            group=Group.BASICS,
            expectation="Sampling values that cannot be are refused with a 400 and a reason.",
            asks=(
                plain,
                _bad("temperature -1", budgets, temperature=-1),
                _bad("top_p 1.5", budgets, top_p=1.5),
                _bad("max_tokens as text", budgets, max_tokens="many"),
            ),
            judge=refused("temperature -1", "top_p 1.5", "max_tokens as text", control=plain.name),
            depends_on=("bad_request",),
            advice="a value that is dropped in silence leaves the caller with another protocol than asked for",
        ),
    )


def _bad(name: str, budgets: Budgets, **values: object) -> Ask:
    body = {"messages": user(PLAIN_TEXT), "max_tokens": budgets.short, **values}
    return Ask(name=name, body=body, thinking=False)
