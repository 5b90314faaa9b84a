"""Count what was asked and what was sent: the record that tests hold a client's account against."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from evals.simulator.reply import Played


@dataclass(frozen=True, kw_only=True)
class RequestKey:
    """What makes two requests the same request: the sample (or the prompt's digest), seed and shape."""

    task: str | None
    sample_id: str
    seed: int | None
    stream: bool

    def as_json(self) -> dict[str, Any]:
        """Return the key as fields."""
        return {"task": self.task, "sample_id": self.sample_id, "seed": self.seed, "stream": self.stream}

    def __str__(self) -> str:
        return f"{self.task}/{self.sample_id}/{self.seed}/{self.stream}"


@dataclass(kw_only=True)
class Record:
    """What happened to one request over all its attempts."""

    attempts: int = 0
    completed: int = 0
    played: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)


@dataclass(kw_only=True)
class Ledger:
    """Counts over all requests since the start or the last reset.

    ``completed`` counts replies sent to their end without a fault that makes them unusable; ``abandoned``
    those whose client went away. A known sample completed twice under one seed was asked twice for
    nothing: a duplicate.
    """

    n_requests: int = 0
    in_flight: int = 0
    peak_in_flight: int = 0
    abandoned: int = 0
    unknown_prompts: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    records: dict[RequestKey, Record] = field(default_factory=dict)
    bodies: list[bytes] | None = None

    def arrive(self, body: bytes) -> None:
        """Count a request that has been read."""
        self.n_requests += 1
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        if self.bodies is not None:
            self.bodies.append(body)

    def begin(self, key: RequestKey) -> int:
        """Count one more attempt at the request ``key``; return its number from 1."""
        record = self.records.setdefault(key, Record())
        record.attempts += 1
        self.unknown_prompts += key.task is None
        return record.attempts

    def leave(self, key: RequestKey | None, status: int) -> None:
        """Count the end of an attempt with the HTTP ``status`` sent, 0 where none was."""
        self.in_flight -= 1
        self.statuses[status] += 1
        if key is not None:
            # A reset while the request was under way has forgotten it.
            self.records.setdefault(key, Record()).statuses.append(status)

    def complete(self, key: RequestKey, played: Played) -> None:
        """Count a reply that reached its end."""
        record = self.records.setdefault(key, Record())
        record.completed += 1
        record.played.append(played.value)

    def reset(self) -> None:
        """Forget everything but the requests under way."""
        self.n_requests = self.peak_in_flight = self.abandoned = self.unknown_prompts = 0
        for counts in (self.statuses, self.faults, self.records):
            counts.clear()
        if self.bodies is not None:
            self.bodies.clear()

    def as_json(self) -> dict[str, Any]:
        """Return the body of ``GET /simulation/requests``."""
        items = [
            {
                **key.as_json(),
                "attempts": record.attempts,
                "completed": record.completed,
                "played": record.played,
                "statuses": record.statuses,
            }
            for key, record in self.records.items()
        ]
        return {
            "simulated": True,
            "n_requests": self.n_requests,
            "in_flight": self.in_flight,
            "peak_in_flight": self.peak_in_flight,
            "abandoned": self.abandoned,
            "unknown_prompts": self.unknown_prompts,
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "faults": dict(sorted(self.faults.items())),
            "completed": sum(record.completed for record in self.records.values()),
            "duplicates": [
                item
                for key, item in zip(self.records, items, strict=True)
                if item["completed"] > 1 and key.task is not None and key.seed is not None
            ],
            "items": items,
        }
