"""What tests are made of, one builder a thing: each field has its usual value unless a test gives another."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from drretail.env.folder import write_world
from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.world import default_pool
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import CODE_JUDGE, Again, Judge, JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Judging, Metric
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.experiments.experiment import PROFILES, Definition, Experiment
from drretail.experiments.run_file import Recorded
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.records.base import ModelKind, Rules, sha256_of
from drretail.records.comparison import ComparedRow, Outcome
from drretail.records.evidence import Evidence, EvidenceKind, EvidenceText, TextForm
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.run import RoleModel, Run, RunError, System
from drretail.records.score import JudgeRef, Score, Scores, Verdict, VerdictState
from drretail.records.shop import Product, ProfileFact, ProfileSummary
from drretail.records.wish import Demand

LABEL = "a@model"
SYSTEM = System(agent="react", models={"researcher": RoleModel(spec="offline:shopper", kind="rule_based")})
Reports = Mapping[str, str | Run | None]
"""By "<query_id>-r<repeat>" the text of a report or a whole run; None is a run that failed."""
Asked = list[str]
Script = Callable[[str], Any]
"""A question's text, repairs left out, to the arguments of the answer or an error to raise."""
KIND: dict[str, EvidenceKind] = {"P": "product", "O": "order", "W": "web", "F": "file", "U": "user", "C": "calculation"}


T = TypeVar("T")


def known(value: T | None) -> T:
    """The value, which a test takes for granted."""
    assert value is not None
    return value


def build_world(folder: Path, products: Iterable[Product], orders: Iterable[OrderRow] = (), **given: Any) -> Manifest:
    """The shop as a world in ``folder``; ``given`` are other fields of ``WorldRows``."""
    fields: dict[str, Any] = {"seed": 42, "pool": default_pool(), **given}
    return write_world(folder, WorldRows(products, orders, **fields))


def query(query_id: str = "q1", text: str = "", **fields: Any) -> Query:
    return Query(query_id=query_id, text=text or f"Ask {query_id}?", source="test", **fields)


def demands(*words: str) -> tuple[Demand, ...]:
    """Demands that only say so in words."""
    return tuple(Demand(say=each) for each in words)


def text(content: str, form: TextForm = "page", **fields: Any) -> EvidenceText:
    """A text that the run was shown."""
    given: dict[str, Any] = {"shown": True, "path": "0", "seq": 0} | fields
    return EvidenceText(form=form, text=content, **given)


def evidence(evidence_id: str, *texts: EvidenceText, **fields: Any) -> Evidence:
    """What stands under an id, by whose first letter it is of its kind."""
    given: dict[str, Any] = {
        "kind": KIND[evidence_id[0]],
        "key": fields.get("url") or evidence_id[2:],
        "title": evidence_id,
    }
    return Evidence(id=evidence_id, texts=texts, **(given | fields))


def run(
    name: str = "q1-r1",
    report: str | None = "A report.",
    picks: Iterable[str | Pick] | None = None,
    *,
    label: str = LABEL,
    **fields: Any,
) -> Run:
    """A run with a report that declares these products, or a failed one."""
    query_id, _, repeat = name.rpartition("-r")
    given: dict[str, Any] = {"status": "done", "stop": "finished", "report": report}
    if report is None:
        error = RunError(kind="no_report", where="react", message="no")
        given = {"status": "failed", "stop": "error", "error": error}
    else:
        given["report_sha"] = sha256_of(report)
    if picks is not None:
        given["picks"] = tuple(pick if isinstance(pick, Pick) else Pick(product=pick) for pick in picks)
    about: dict[str, Any] = {"run_id": f"{label}/{name}", "system": label, "query_id": query_id, "repeat": int(repeat)}
    return Run(**about | given | fields)


def subject(of: Run | str | None = "A report.", evidence: Iterable[Evidence] = (), **fields: Any) -> Subject:
    """A run, or one with this report, with what it was handed; without a world, a user and a day."""
    made = of if isinstance(of, Run) else run(report=of)
    given: dict[str, Any] = {"system": SYSTEM, "query": query(made.query_id), "profile": None, "store": None} | fields
    held = {entry.id: entry for entry in evidence}
    return Subject(label=made.system, repeat=made.repeat, run=made, evidence=held, **given)


def verdict(
    metric: str, stage: str, item: str, value: Any = None, state: VerdictState = "scored", **fields: Any
) -> Verdict:
    """What a judge found of one item of one report."""
    about: dict[str, Any] = {
        "version": 1,
        "run_id": f"{LABEL}/q1-r1",
        "report_sha": "0",
        "judge": JudgeRef(spec="x:y", kind="llm"),
    }
    return Verdict(metric=metric, stage=stage, item=item, state=state, value=value, **(about | fields))


def profile(user_id: str) -> ProfileSummary:
    return ProfileSummary(user_id=user_id, statements=(ProfileFact(code="likes", text=f"{user_id} likes birds."),))


def systems(labels: Iterable[str], options: Mapping[str, Any] | None = None) -> dict[str, System]:
    """Systems with these labels, each "AGENT" or "AGENT@MODEL" with any options after that; ``options`` are those of
    all.
    """
    split = {label: label.partition("@") for label in labels}
    return {
        label: System(
            agent=agent.removesuffix("+ws"),
            models={"researcher": RoleModel(spec=model.partition("-")[0], kind="llm")} if model else {},
            options=dict(options or {}),
        )
        for label, (agent, _, model) in split.items()
    }


def definition(queries: Sequence[Query], systems: Mapping[str, System], **fields: Any) -> Definition:
    given: dict[str, Any] = {"world_fingerprint": "f" * 64, "tool_schema_hash": "t"} | fields
    return Definition(queries=tuple(queries), systems=dict(systems), prompt_hashes={it: {} for it in systems}, **given)


def experiment(
    folder: Path,
    systems: Mapping[str, Reports],
    *,
    queries: Sequence[Query] | None = None,
    users: Mapping[str, str] | None = None,
    self_checked: Sequence[str] = (),
    agents: Mapping[str, str] | None = None,
    of: Mapping[str, System] | None = None,
    picks: Mapping[str, Sequence[str] | None] | None = None,
    evidence: Iterable[Evidence] = (),
) -> Path:
    """An experiment with these reports by system; a query that one system lacks was never run by it.

    ``queries`` stand for those that are named in the reports, and ``users`` gives the user of each, who then has a
    profile summary; ``agents`` the agents of systems that are not react's, and ``of`` whole systems; ``picks`` by run,
    in any system, the products that are declared; ``evidence`` what every run was handed.
    """
    users = users or {}
    ids = sorted({name.rpartition("-r")[0] for reports in systems.values() for name in reports})
    made = {
        label: SYSTEM.model_copy(
            update={"self_checked": label in self_checked, "agent": (agents or {}).get(label, SYSTEM.agent)}
        )
        for label in systems
    }
    asked = [query(name, user_id=users.get(name)) for name in ids] if queries is None else queries
    held = tuple(evidence)
    with Experiment(folder, definition(asked, made | dict(of or {}))) as opened:
        for user in sorted(set(users.values())):
            PROFILES.freeze(opened.folder, user, profile(user))
        for label, reports in systems.items():
            for name, report in reports.items():
                one = report if isinstance(report, Run) else run(name, report, (picks or {}).get(name), label=label)
                opened.save(Recorded(one, held, {}, {"world": "nowhere"}))
    return folder


def quoting(play: Callable[[Request], ScriptedAnswer]) -> Callable[[Request], ScriptedAnswer]:
    """The play with the quotes that a test leaves out, of a judge that stands by its list if told that it is short."""
    kept: dict[str, ScriptedAnswer] = {}

    def answer(request: Request) -> ScriptedAnswer:
        problem = (tag_content("problem", request.last) or "").strip()
        if problem.startswith("The list covers") and request.opening in kept:
            return kept[request.opening]
        found = play(request).model_copy(deep=True)
        if isinstance(found.structured, dict):
            for each in found.structured.get("claims", []):
                _fill_quote(each, request.opening)
        kept[request.opening] = found
        return found

    return answer


def _fill_quote(claim: dict[str, Any], question: str) -> None:
    """Quotes the report's first line with the claim's source, and of a source its first words."""
    if claim.get("quote") == "":
        sentences = re.split(r"(?<=[.!?])\s+|\n", tag_content("report", question) or "")
        own = [each for each in sentences if any(source and source in each for source in claim["sources"])]
        claim["quote"] = (own or [each for each in sentences if each.strip()])[0]
    if claim.get("quotes") == [] and claim["label"] in ("full_support", "partial_support"):
        given = re.search(rf'<claim id="{claim["claim_id"]}" sources="([^ "]*)', question)
        text = re.search(rf'<source id="{re.escape(given[1] if given else "")}"[^>]*>\n(.{{0,60}})', question)
        claim["quotes"] = [text[1]] if text else []


def scripted_judge(script: Script, *, name: str = "test", kind: ModelKind = "scripted") -> tuple[Judge, Asked]:
    """A judge that answers by ``script``, and every question that it was asked so far."""
    asked: Asked = []

    def play(request: Request) -> ScriptedAnswer:
        asked.append(request.last)
        answer = script(request.opening)
        if isinstance(answer, BaseException):
            raise answer
        return ScriptedAnswer(structured=answer)

    return Judge.of(scripted_model(play=quoting(play), name=name, kind=kind)), asked


def asking(asked: Iterable[str], words: str) -> Asked:
    """The questions in which these words stand."""
    return [question for question in asked if words in question]


def judged(
    metric: Metric,
    subject: Subject,
    path: Path,
    judge: Judge = CODE_JUDGE,
    *,
    rules: Rules = "default",
    again: Again = "nothing",
    judging: Judging | None = None,
) -> list[Verdict]:
    """The last verdicts in the file at ``path`` after a metric, or one part of its ``judging``, judged a run."""
    about: dict[str, Any] = {"metric": metric.name, "version": metric.version, "run_id": subject.run_id}
    with JudgeSession(
        judge, VerdictFile(path), **about, report_sha=subject.report_sha or "", rules=rules, again=again
    ) as session:
        asyncio.run(replace(metric, judge=judging or metric.judge).run_judge(subject, session))
        return session.file.lasts()


def scored(folder: Path, metrics: str | Metric | Sequence[str | Metric], *judges: Judge, **given: Any) -> Scores:
    """What ``score`` makes of an experiment; ``given`` are its other arguments."""
    names = [metrics] if isinstance(metrics, str | Metric) else metrics
    return asyncio.run(score_experiment(ScoringPlan(folder, names, judges, **given)))


def rows(scores: Scores, metric: str = "", label: str = "", **fields: object) -> dict[str, Score]:
    """The row of each variant, of the only metric, system and judge there is."""
    wanted = fields | {name: value for name, value in (("metric", metric), ("system", label)) if value}
    found = [row for row in scores.scores if all(getattr(row, name) == value for name, value in wanted.items())]
    made = {row.variant: row for row in found}
    assert len(made) == len(found), "several rows of a variant: say which"
    return made


def measure(
    name: str, outcome: Outcome, judge: str = "a:judge", labels: tuple[str, str] = ("a@m", "b@m"), **fields: Any
) -> ComparedRow:
    """Two systems compared in one measure, on ten queries of ten users."""
    a, b = labels
    usual = {"metric": "faithfulness", "variant": name, "n_planned": 10, "n_pairs": 10, "n_users": 10}
    usual |= {"n_due": fields.get("n_pairs", 10), "tests": 1}
    about = {"a": a, "b": b, "name": name, "judge": judge, "outcome": outcome, "difference": 0.25}
    return ComparedRow.model_validate(about | usual | fields)


def files(folder: Path, pattern: str = "*", *, journals: bool = True) -> dict[str, bytes]:
    """The bytes of all files below a folder, by their paths in it."""
    found = [path for path in sorted(folder.rglob(pattern)) if path.is_file()]
    kept = [path for path in found if journals or "journal" not in path.name]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}
