"""Read a request, or refuse it; and the faults of servers that refuse too little or in the wrong way."""

import hashlib
from collections.abc import Set

import orjson

from evals.simulator.config import SimulatorConfig
from evals.simulator.fault_kind import FaultKind
from evals.simulator.faults import FaultPlan
from evals.simulator.limits import check_model
from evals.simulator.refusals import RefusedError
from evals.simulator.request import ChatRequest, read_request


def _read_leniently(raw: bytes) -> ChatRequest:
    """Read ``raw`` without the parameters whose values are refused."""
    while True:
        try:
            return read_request(raw)
        except RefusedError as error:
            body = orjson.loads(raw) if error.param else None
            if not isinstance(body, dict) or error.param not in body or error.param == "messages":
                raise
            raw = orjson.dumps({name: value for name, value in body.items() if name != error.param})


def faults_of_body(raw: bytes, plan: FaultPlan) -> Set[FaultKind]:
    """Return the faults that strike before it is known what is asked: the body itself is the key."""
    is_stream = b'"stream":true' in raw.replace(b" ", b"")
    return plan.draw(hashlib.sha256(raw).hexdigest(), 1, stream=is_stream)


def admit(raw: bytes, faults: Set[FaultKind], config: SimulatorConfig) -> ChatRequest:
    """Return the request in ``raw``; raise :class:`RefusedError` where it is malformed or misdirected."""
    chat = _read_leniently(raw) if FaultKind.BAD_VALUES_ACCEPTED in faults else read_request(raw)
    check_model(chat, config)
    return chat


def as_refused(error: RefusedError, faults: Set[FaultKind]) -> RefusedError:
    """Return ``error`` as a server with ``faults`` gives it out."""
    if FaultKind.REFUSED_WITH_500 in faults and 400 <= error.status < 500:
        return RefusedError(500, "Internal server error (simulated)")
    return error
