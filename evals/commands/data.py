"""``quantcheck data``: which data each task would use, whether it is here, and whether it is the right one."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evals.exit_code import ExitCode
from tasks.benchmark import Benchmark
from tasks.catalog import BENCHMARKS, find_benchmark
from tasks.data import DatasetPin
from tasks.exam import Exam, ExamSource, load_exam
from tasks.hub import cached_copy
from tasks.image_bytes import ImageError
from tasks.images import STORE
from tasks.rows import DataError
from tasks.wheel import cached_path


def show_data(
    tasks: tuple[str, ...],
    variant: str | None,
    verify: bool,
    dataset_path: Path | None,
    image_root: Path | None,
    as_json: bool,
) -> int:
    """Do what ``quantcheck data`` is asked; its flags are in :mod:`evals.flags.data`."""
    source = ExamSource(path=dataset_path, image_root=image_root)
    chosen = _chosen([find_benchmark(task) for task in tasks] or list(BENCHMARKS.values()), variant)
    if dataset_path is not None and len(tasks) != 1:
        raise click.UsageError("--dataset-path: is the data of one task; name it")
    if dataset_path is not None and variant is None:
        chosen = [(benchmark, name) for benchmark, name in chosen if name == benchmark.default_variant]
    facts = [_facts(benchmark, name, source, verify=verify) for benchmark, name in chosen]
    if as_json:
        print(json.dumps({"schema": 1, "datasets": facts}))
    else:
        print("\n".join(_describe(fact) for fact in facts))
    return ExitCode.DONE if all(fact.get("ok", True) for fact in facts) else ExitCode.ENDPOINT_OR_DATA


def _chosen(benchmarks: list[Benchmark], variant: str | None) -> list[tuple[Benchmark, str | None]]:
    if variant is not None:
        return [(benchmark, benchmark.variant(variant)) for benchmark in benchmarks]
    return [(benchmark, name) for benchmark in benchmarks for name in benchmark.pins]


def _facts(benchmark: Benchmark, variant: str | None, source: ExamSource, *, verify: bool) -> dict[str, Any]:
    """Return what is known of one dataset as plain JSON values; ``ok`` only where it was verified."""
    pin = benchmark.pin(variant)
    facts: dict[str, Any] = {
        "task": benchmark.name,
        "variant": variant,
        "dataset": pin.name,
        "n_items": pin.n_items,
        "content_hash": pin.content_hash,
        "text_hash": pin.text_hash,
        "file_sha256": pin.file_sha256,
        "sources": [{"kind": "path", "path": str(source.path)}] if source.path else _sources(pin),
    }
    return facts | (_verified(benchmark, variant, source) if verify else {})


def _sources(pin: DatasetPin) -> list[dict[str, Any]]:
    """Return the places that are asked, in order, and where this machine holds a copy already."""
    sources: list[dict[str, Any]] = []
    if pin.generate is not None:
        sources.append({"kind": "generated"})
    if (hub := pin.hub) is not None:
        cached = cached_copy(hub)
        sources.append(
            {
                "kind": "hub",
                "repo": hub.repo,
                "config": hub.config,
                "split": hub.split,
                "revision": hub.revision,
                "gated": hub.gated,
                "cached": str(cached) if cached else None,
            }
        )
    if (wheel := pin.wheel) is not None:
        here = cached_path(wheel)
        sources.append(
            {
                "kind": "wheel",
                "distribution": wheel.distribution,
                "version": wheel.version,
                "sha256": wheel.sha256,
                "cached": str(here) if here.exists() else None,
            }
        )
    return sources


def _verified(benchmark: Benchmark, variant: str | None, source: ExamSource) -> dict[str, Any]:
    try:
        exam = load_exam(benchmark, variant=variant, source=source)
        n_images = _decode_all(exam)
    except (DataError, ImageError) as error:
        return {"ok": False, "found": None, "problem": str(error)}
    found = exam.dataset
    return {
        "ok": found.is_pinned_content is not False,
        "found": {
            "source": found.source,
            "revision": found.revision,
            "n_items": found.n_items,
            "n_images": n_images,
            "content_hash": found.content_hash,
            "is_pinned_content": found.is_pinned_content,
        },
        "problem": "; ".join(exam.notes) or None,
    }


def _decode_all(exam: Exam) -> int:
    """Decode every image once, so that a damaged one is found before a run; return their number."""
    references = {reference for item in exam.items for reference in item.images}
    for reference in sorted(references):
        STORE.verify(reference)
    return len(references)


def _describe(fact: Mapping[str, Any]) -> str:
    variant = f" [{fact['variant']}]" if fact["variant"] else ""
    pinned = fact["content_hash"] or fact["text_hash"] or fact["file_sha256"]
    lines = [
        f"{fact['task']}{variant}: {fact['dataset']}, {fact['n_items']:,} items, pinned digest {pinned or 'none known'}"
    ]
    for source in fact["sources"]:
        lines.append(f"  {_source_words(source)}")
    if "ok" in fact:
        lines.append(f"  {_verdict(fact)}")
    return "\n".join(lines)


def _source_words(source: Mapping[str, Any]) -> str:
    if source["kind"] == "path":
        return f"path {source['path']}"
    if source["kind"] == "generated":
        return "generated here, no data needed"
    here = f"cached in {source['cached']}" if source["cached"] else "not cached"
    if source["kind"] == "wheel":
        return f"wheel {source['distribution']}=={source['version']}, {here}"
    gated = ", gated (HF_TOKEN)" if source["gated"] else ""
    revision = source["revision"][:12] if source["revision"] else "newest (no pinned commit)"
    return f"hub {source['repo']} {source['config']}/{source['split']} at {revision}{gated}, {here}"


def _verdict(fact: Mapping[str, Any]) -> str:
    found = fact["found"]
    if found is None:
        return f"UNAVAILABLE: {fact['problem']}"
    same = {True: "the pinned content", False: "NOT THE PINNED CONTENT", None: "no pin to compare with"}
    images = f", {found['n_images']:,} images decoded" if found["n_images"] else ""
    return (
        f"verified: {found['n_items']:,} items from {found['source']}, content hash {found['content_hash']}, "
        f"{same[found['is_pinned_content']]}{images}"
    )
