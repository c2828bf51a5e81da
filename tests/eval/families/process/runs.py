"""Runs made of a few steps in shorthand."""

from collections.abc import Sequence
from typing import Any

from drretail.eval.families.process import Course
from drretail.records.evidence import Citation, Evidence
from drretail.records.run import Step
from tests import build

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
    return build.evidence(evidence_id, build.text(url, "snippet", shown=shown), url=url)


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
    run = build.run(report=report, citations=tuple(citations), steps=numbered(*steps))
    return Course(run, {entry.id: entry for entry in evidence}, frozenset(expected))
