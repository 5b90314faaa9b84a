"""Everything that can be set about one simulated endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evals.simulator.answers import AnswerBook
from evals.simulator.fault_kind import FaultKind
from evals.simulator.faults import FaultRate
from evals.simulator.profile import INT4, Profile
from evals.simulator.token_model import TokenModel


@dataclass(frozen=True, kw_only=True)
class SimulatorConfig:
    """One simulated endpoint.

    ``tokens_per_s`` and ``ttft_s`` replace the profile's where given (``tokens_per_s`` of 0: as fast as
    possible). ``token_scale`` multiplies every length. ``api_key`` is the key that requests must bring.
    ``max_concurrency`` replies are played at once, the others wait. ``immutable_sampling`` refuses any
    temperature and top_p but the checkpoint's own, as the vendor's own API does. ``record_bodies`` keeps
    the raw bytes of every request. ``tokens`` is what is said where log-probabilities are asked.
    """

    profile: Profile = INT4
    book: AnswerBook = field(default_factory=AnswerBook)
    model: str | None = None
    port: int = 0
    seed: int = 0
    faults: Mapping[FaultKind, FaultRate] = field(default_factory=dict)
    tokens_per_s: float | None = None
    ttft_s: float | None = None
    slow_start_s: float = 5.0
    retry_after_s: int = 1
    token_scale: float = 1.0
    tokens_per_frame: int = 1
    frames_per_write: int = 8
    max_concurrency: int | None = None
    max_model_len: int = 262_144
    reasoning_field: str = "reasoning"
    api_key: str | None = None
    immutable_sampling: bool = False
    record_bodies: bool = False
    tokens: TokenModel = field(default_factory=TokenModel)

    @property
    def served_model(self) -> str:
        """The model name that requests must use."""
        return self.model or f"simulated-{self.profile.name}"

    @property
    def speed(self) -> float | None:
        """Tokens per second of one reply; ``None`` for as fast as possible."""
        speed = self.profile.tokens_per_s if self.tokens_per_s is None else self.tokens_per_s
        return speed or None

    @property
    def first_token_s(self) -> float:
        """Seconds before the first token."""
        return self.profile.ttft_s if self.ttft_s is None else self.ttft_s
