"""A small experiment as a whole session would leave it: real runs of the offline shopper, verdicts made by hand."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from drretail import run as run_agents
from drretail.env.world import World
from drretail.eval.claims.claims import EXTRACT, SUPPORT, Claim, make_claim
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.numbers.file import derive_scores
from drretail.eval.numbers.judges import Board, write_board
from drretail.eval.registry import load_metric
from drretail.experiments.experiment import path_of, read_runs
from drretail.experiments.run_file import read_evidence
from drretail.files import write_json
from drretail.records.evidence import Evidence, Finding
from drretail.records.query import Query
from drretail.records.run import Run, RunError
from drretail.records.score import JudgeRef, Scores, SourceRef, Verdict
from drretail.reports.layout import find_sentences
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import one_page, rendered_questions
from tests.run_files import edit_member

LABEL = "react@offline-shopper"
JUDGE = JudgeRef(spec="scripted:judge", kind="scripted")
CODE = JudgeRef(spec="code", kind="rule_based")
_IN_TURN = (1.0, 0.0, 0.5, 1.0, None, 1.0)


def render_page(experiment: Path) -> str:
    view = read_view(experiment)
    return one_page(view, [*rendered_questions(view)])


def record_runs(world: World, queries: Sequence[Query], folder: Path, agents: Sequence[str] = ("react",)) -> None:
    """Runs of the offline shopper, one for each query and agent."""
    run_agents(world, [*queries], [*agents], "offline:shopper", to=folder, baselines=False)


def judge_by_hand(folder: Path, support: Sequence[float | None] = _IN_TURN) -> None:
    """Verdicts of every kind on every run, and the scores of them. ``support`` is how far claims in turn have it."""
    for run in read_runs(folder):
        if run.report is not None:
            evidence = read_evidence(path_of(folder, run))
            claims = _faithfulness(run, run.report, {e.id: e for e in evidence}, support)
            of_metrics = ("faithfulness", claims), ("quality", _quality(run)), ("checks", _checks(run, run.report))
            for metric, made in of_metrics:
                judge = CODE if metric == "checks" else JUDGE
                for stage, item, fields in made:
                    append(folder, run, [verdict(run, metric, judge, stage, item, **fields)])
    write_board(folder, Board(judge=(JUDGE.key,)))
    keep_scores(folder, "faithfulness", "quality", "checks")


def keep_scores(folder: Path, *metrics: str) -> Scores:
    """The scores that follow from the verdicts of some metrics, which are then the experiment's."""
    made = derive_scores(folder, [load_metric(name) for name in metrics])
    write_json(folder / "scores.json", made.model_dump(mode="json", exclude_none=True))
    return made


def fail(folder: Path, run: Run, message: str) -> None:
    """Turns a recorded run into one that failed."""
    error = RunError(kind="timeout", where="react", message=message)
    without = {"report": None, "report_sha": None, "citations": ()}
    rewrite(folder, run.model_copy(update={"status": "failed", "stop": "error", "error": error, **without}))


def rewrite(folder: Path, run: Run) -> None:
    """Puts another run in the place of the one in its file."""
    edit_member(path_of(folder, run), "run", lambda _: [run.as_line()])


def verdict(run: Run, metric: str, judge: JudgeRef, stage: str, item: str, **fields: object) -> Verdict:
    loaded = load_metric(metric)
    about = {"metric": metric, "version": loaded.version, "run_id": run.run_id, "report_sha": run.report_sha}
    about["prompt_hash"] = min(loaded.prompt_hashes() - {""}, default="")
    return Verdict.model_validate({"stage": stage, "item": item, "judge": judge, "state": "scored", **about, **fields})


def append(folder: Path, run: Run, made: Iterable[Verdict]) -> None:
    """Writes verdicts where they belong."""
    for one in made:
        path = verdict_path(folder, one.metric, one.judge.spec.replace(":", "-"), run.system, f"{run.query_id}-r1")
        file = VerdictFile(path)
        file.append(one)
        file.close()


def _faithfulness(
    run: Run, report: str, evidence: dict[str, Evidence], support: Sequence[float | None]
) -> Iterable[tuple[str, str, dict[str, object]]]:
    claims: list[Claim] = []
    sentences = (sentence for sentence in find_sentences(report) if sentence.kind not in ("heading", "table_head"))
    for number, (start, end) in enumerate(((one.start, one.end) for one in sentences), 1):
        inside = [c for c in run.citations if start <= c.start and c.end <= end]
        sources = list(dict.fromkeys(c.evidence_id for c in inside if c.evidence_id))
        statement = re.sub(r"\s*\[[^\]]*\]|[*|]", "", report[start:end]).strip(" -")
        claims.append(make_claim(number, statement, sources, quote=report[start:end], span=(start, end)))
    yield EXTRACT, "report", {"value": [claim.model_dump(mode="json") for claim in claims]}
    for index, claim in enumerate(claim for claim in claims if claim.sources):
        value = support[index % len(support)]
        texts = [text for source in claim.sources for text in evidence[source].texts]
        refs = [SourceRef(id=source, sha256=evidence[source].texts[0].sha256) for source in claim.sources]
        if value is None:
            yield SUPPORT, claim.claim_id, {"state": "unverifiable", "reason": "No text of the page could be read."}
            continue
        reason = {1.0: "The source says just this.", 0.5: "The price stands there, the rating differs."}
        fields = {"value": value, "reason": reason.get(value, "Nothing of this stands in the source.")}
        quote = texts[0].text[40:110].partition(" ")[2].rpartition(" ")[0] if value else None
        yield SUPPORT, claim.claim_id, {**fields, "quote": quote, "sources": refs}


def _quality(run: Run) -> Iterable[tuple[str, str, dict[str, object]]]:
    for dimension, rating in (("clarity", 8), ("depth", 6), ("personalization", 7)):
        yield "rating", dimension, {"value": rating, "reason": f"The {dimension} of {run.query_id} is fair."}


def _checks(run: Run, report: str) -> Iterable[tuple[str, str, dict[str, object]]]:
    price = re.search(r"\$\d+\.\d\d", report) or re.search(r"\w+", report)
    assert price is not None
    start, end = price.span()
    text = f"{price[0]} is not the price"
    wrong = Finding(code="price", severity="error", text=text, found="$19.99", start=start, end=end)
    loose = Finding(code="near_identical_sections", severity="warning", text="Two sections say the same.")
    yield "check", "price", {"value": [wrong.model_dump(mode="json", exclude_none=True)]}
    yield "check", "near_identical_sections", {"value": [loose.model_dump(mode="json", exclude_none=True)]}
    yield "check", "in_catalog", {"state": "na", "reason": "the world is not at hand"}
