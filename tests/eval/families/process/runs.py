"""Runs made of a few steps in shorthand."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.eval.families.process import Course
from drretail.records.base import sha256_of
from drretail.records.evidence import Citation, Evidence, EvidenceText
from drretail.records.run import Run, Step

SEARCH, DETAILS, WEB = "product_catalog_search", "get_product_details", "web_search"


def turn(role: str = "researcher", path: str = "0", **given: Any) -> Step:
    kind = "synthesis" if role == "synthesis" else "model"
    return Step(path=path, seq=0, kind=kind, role=role, name="scripted:test", **given)


def call(name: str, *evidence: str, path: str = "0", error: str | None = None, **args: Any) -> Step:
    return Step(path=path, seq=0, kind="tool", role="researcher", name=name, args=args, evidence=evidence, error=error)


def numbered(*steps: Step) -> tuple[Step, ...]:
    """The steps with their places, each path counted for itself."""
    places: dict[str, int] = {}
    made: list[Step] = []
    for step in steps:
        seq = places.get(step.path, 0)
        places[step.path] = seq + 1
        made.append(step.model_copy(update={"seq": seq}))
    return tuple(made)


def web_page(evidence_id: str, url: str, *, shown: bool = True) -> Evidence:
    text = EvidenceText(sha256=sha256_of(url), form="snippet", text=url, shown=shown, path="0", seq=0)
    return Evidence(id=evidence_id, kind="web", key=url, title="A page", url=url, texts=(text,))


def cites(evidence_id: str | None, url: str | None = None, *, web: bool = False) -> Citation:
    """A citation at the very beginning of the report."""
    return Citation(marker="", start=0, end=0, evidence_id=evidence_id, url=url, type="web" if web else "product")


def course(
    *steps: Step,
    expected: Sequence[str] = (),
    evidence: Sequence[Evidence] = (),
    citations: Sequence[Citation] = (),
    report: str = "A report.",
) -> Course:
    known: Mapping[str, Evidence] = {entry.id: entry for entry in evidence}
    run = Run(
        run_id="a@model/q1-r1",
        system="a@model",
        query_id="q1",
        repeat=1,
        status="done",
        stop="finished",
        report=report,
        report_sha=sha256_of(report),
        citations=tuple(citations),
        steps=numbered(*steps),
    )
    return Course(run, known, frozenset(expected))
