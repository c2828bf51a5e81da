"""Experiment folders with hand-made reports, a stub of a metric family, and judges that say what a test scripts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from drretail.eval.family import Family, Judging, of_verdicts
from drretail.eval.judging.session import CODE_JUDGE, Again, Judge, JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.values import Value
from drretail.experiment import Definition, Experiment
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.records.base import Rules, sha256_of
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.run import ModelKind, RoleModel, Run, RunError, System
from drretail.records.score import JudgeRef, ProfileSummary, Statement, Verdict, VerdictState

STUB, JUDGED_STUB = "tests.eval.folders:METRIC", "tests.eval.folders:JUDGED"
"""The stub's places, as ``load_metric`` takes them: judged by code, and by whoever judges."""
SYSTEM = System(agent="react", models={"researcher": RoleModel(spec="offline:shopper", kind="rule_based")})
LABEL = "a@model"
Reports = Mapping[str, str | None]
"""By "<query_id>-r<repeat>"; None is a run that failed."""


def experiment(
    folder: Path,
    systems: Mapping[str, Reports],
    *,
    users: Mapping[str, str] | None = None,
    self_checked: Sequence[str] = (),
    agents: Mapping[str, str] | None = None,
    picks: Mapping[str, Sequence[str]] | None = None,
    evidence: Sequence[Evidence] = (),
) -> Path:
    """An experiment with these reports by system; a query that one system lacks was never run by it.

    ``users`` gives the user of a query, who then has a profile summary; ``agents`` the agents of systems that are not
    react's; ``picks`` by run, in any system, the products that are declared; ``evidence`` what every run was handed.
    """
    users = users or {}
    ids = sorted({name.rpartition("-r")[0] for reports in systems.values() for name in reports})
    definition = Definition(
        world_fingerprint="f" * 64,
        queries=tuple(
            Query(query_id=name, user_id=users.get(name), text=f"Ask {name}?", source="test") for name in ids
        ),
        systems={
            label: SYSTEM.model_copy(
                update={"self_checked": label in self_checked, "agent": (agents or {}).get(label, SYSTEM.agent)}
            )
            for label in systems
        },
        prompt_hashes={label: {} for label in systems},
        tool_schema_hash="t",
    )
    with Experiment(folder, definition) as opened:
        for user in sorted(set(users.values())):
            likes = Statement(code="likes", text=f"{user} likes birds.")
            opened.freeze_profile(ProfileSummary(user_id=user, statements=(likes,)))
        for label, reports in systems.items():
            for name, report in reports.items():
                opened.save(a_run(label, name, report, (picks or {}).get(name)), evidence, {}, {"world": "nowhere"})
    return folder


def a_run(label: str, name: str, report: str | None, picks: Sequence[str] | None = None) -> Run:
    """A run with a report, or a failed one; ``picks`` are the products that it declares."""
    query_id, _, repeat = name.rpartition("-r")
    return Run(
        run_id=f"{label}/{name}",
        system=label,
        query_id=query_id,
        repeat=int(repeat),
        status="failed" if report is None else "done",
        stop="error" if report is None else "finished",
        error=RunError(kind="no_report", where="react", message="no") if report is None else None,
        report=report,
        report_sha=None if report is None else sha256_of(report),
        picks=None if picks is None else tuple(Pick(product=pick) for pick in picks),
    )


def a_verdict(
    metric: str,
    stage: str,
    item: str,
    value: Any = None,
    state: VerdictState = "scored",
    notes: tuple[str, ...] = (),
) -> Verdict:
    """What a judge said of one item of one report."""
    return Verdict(
        metric=metric,
        version=1,
        stage=stage,
        item=item,
        run_id="a/q1-r1",
        report_sha="0",
        judge=JudgeRef(spec="x:y", kind="llm"),
        state=state,
        value=value,
        notes=notes,
    )


def judged_by(
    family: Family,
    subject: Subject,
    path: Path,
    judge: Judge = CODE_JUDGE,
    *,
    rules: Rules = "default",
    again: Again = "nothing",
    judging: Judging | None = None,
) -> list[Verdict]:
    """The last verdicts in the file at ``path`` after a family, or one part of its ``judging``, judged a run."""
    with JudgeSession(
        judge,
        VerdictFile(path),
        metric=family.name,
        version=family.version,
        run_id=subject.run_id,
        report_sha=subject.report_sha or "",
        rules=rules,
        again=again,
    ) as judge_session:
        asyncio.run(replace(family, judge=judging or family.judge).run_judge(subject, judge_session))
        return judge_session.file.lasts()


def _read(subject: Subject, judge_session: JudgeSession) -> None:
    if judge_session.existing("read", "report") is not None:
        return
    said = subject.report or ""
    if said in ("na", "unverifiable", "failed"):
        judge_session.record("read", "report", said)
    else:
        judge_session.record("read", "report", "scored", float(said))


def _values(verdicts: Sequence[Verdict]) -> list[Value]:
    (verdict,) = verdicts
    items = {"read": 1} if verdict.state == "scored" else {}
    return [Value(variant, verdict.state, verdict.value, items) for variant in ("said", "half")]


def _half(report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
    return [(1, 2) if report["half"].state == "scored" else (0, 0)]


def stub(*, needs_judge: bool) -> Family:
    """Reads a report as its own value: "0.5", "na" or "failed"; "half" pools 1 of 2 items of every scored report."""
    variants = ("said", "half")
    return Family("stub", 1, _read, of_verdicts(_values), variants, needs_judge=needs_judge, pooled={"half": _half})


METRIC = stub(needs_judge=False)
JUDGED = stub(needs_judge=True)

Asked = list[str]
Script = Callable[[str], Any]
"""A question's text, repairs left out, to the arguments of the answer or an error to raise."""


def scripted_judge(script: Script, *, name: str = "test", kind: ModelKind = "scripted") -> tuple[Judge, Asked]:
    """A judge that answers by ``script``, and every question that it was asked so far."""
    asked: Asked = []

    def play(request: Request) -> ScriptedAnswer:
        asked.append(request.last)
        answer = script(request.opening)
        if isinstance(answer, BaseException):
            raise answer
        return ScriptedAnswer(structured=answer)

    return Judge.of(scripted_model(play=play, name=name, kind=kind)), asked
