"""How many pairs ReportEval compares of each report, by our cut and by the released code's, and what a judge is asked.

    PYTHONPATH=. python benchmarks/report_eval.py REPORTS [--json FILE]

REPORTS is an experiment, such as one that was imported, or a file of lines {"topic", "report"}, packed or not. A script
judges in place of a model, with the same answer to every question: pairs, sentences and calls are what is measured.
"""

import asyncio
import gzip
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from figures import hold, keep, parser_of

from drretail.addons.publications.report_eval.score import (
    BY_PARAGRAPHS,
    CITED,
    DIMENSIONS,
    FACTUALITY,
    METRIC,
    UNITS_STAGE,
)
from drretail.eval.judging.session import Judge
from drretail.eval.metric import Metric
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.experiments.experiment import Definition, Experiment
from drretail.experiments.run_file import Recorded
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.parsing import parse_json
from drretail.records.base import Rules, sha256_of
from drretail.records.query import Query
from drretail.records.run import Run, System

ANSWERS: dict[str, dict[str, Any]] = {
    "Grades": {"reason": "It covers the question and says some things twice.", **dict.fromkeys(DIMENSIONS, 3)},
    "Repetition": {"repetitions_found": [], "explanation": "On one theme.", "confidence": "90%", "score": 3},
    "Factuality": {"explanation": "The source has nothing of it.", "label": -1},
}
ASKED: tuple[tuple[str, Metric, Rules], ...] = (
    ("section", METRIC, "default"),
    ("paragraph", BY_PARAGRAPHS, "default"),
    ("hkuds", METRIC, "hkuds"),
)
"""What is printed: by name the metric as it is asked, and by whose rules."""


@dataclass
class Pairs:
    """Of one report, by what was asked."""

    run_id: str
    possible: dict[str, int] = field(default_factory=dict[str, int])
    judged: dict[str, int] = field(default_factory=dict[str, int])
    sentences: int = 0
    """Pairs of a sentence and a source."""
    unresolved: int = 0
    states: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    """By rules how many of the labels are scored, unverifiable, n/a, failed."""


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("reports", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        experiment = Path(folder) / "exp"
        if args.reports.is_dir():
            shutil.copytree(args.reports, experiment, ignore=shutil.ignore_patterns("verdicts", "scores.json"))
        else:
            recorded(args.reports, experiment)
        calls = {name: judged(experiment, metric, rules) for name, metric, rules in ASKED}
        found = list(pairs_of(experiment))
    hold(found and any(calls.values()), "there are reports, and a judge was asked")  # short reports have no pairs
    show(found, calls)
    held = {"reports": [asdict(pairs) for pairs in found], "calls": calls}
    keep(args.json, held)


def recorded(path: Path, folder: Path) -> None:
    """The reports as an experiment of one system, which kept no sources."""
    packed = path.read_bytes()
    lines = (gzip.decompress(packed) if path.suffix == ".gz" else packed).splitlines()
    rows = [parse_json(line) for line in lines]
    queries = tuple(Query(query_id=f"q{n:03}", text=row["topic"], source="reporteval") for n, row in enumerate(rows, 1))
    definition = Definition(
        world_fingerprint="0" * 64,
        queries=queries,
        systems={path.name: System(agent="imported", models={})},
        prompt_hashes={path.name: {}},
        tool_schema_hash="",
    )
    with Experiment(folder, definition) as experiment:
        for query, row in zip(queries, rows, strict=True):
            run = Run(
                run_id=f"{path.name}/{query.query_id}-r1",
                system=path.name,
                query_id=query.query_id,
                repeat=1,
                status="done",
                stop="finished",
                report=row["report"],
                report_sha=sha256_of(row["report"]),
            )
            experiment.save(Recorded(run, (), {}, {"world": "none"}))


def judged(experiment: Path, metric: Metric, rules: Rules) -> dict[str, int]:
    """How many questions of each kind were asked."""
    asked: Counter[str] = Counter()

    def play(request: Request) -> ScriptedAnswer:
        asked[request.schema or ""] += 1
        return ScriptedAnswer(structured=ANSWERS[request.schema or ""])

    judge = Judge.of(scripted_model(play=play, name="same"))
    asyncio.run(score_experiment(ScoringPlan(experiment, [metric], [judge], rules=rules)))
    return dict(asked)


def pairs_of(experiment: Path) -> Iterator[Pairs]:
    """What the verdicts say of each report."""
    for path in sorted(experiment.glob("verdicts/report_eval/*/*/*.jsonl")):
        if path.name.endswith(".journal.jsonl"):
            continue
        verdicts = [parse_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = Pairs(verdicts[0]["run_id"])
        for it in verdicts:
            rules = it.get("rules", "default")
            if it["stage"] == UNITS_STAGE:
                name = it["item"] if rules == "default" else rules
                found.possible[name], found.judged[name] = it["value"]["possible"], len(it["value"]["pairs"])
            elif it["stage"] == CITED:
                found.sentences, found.unresolved = len(it["value"]["pairs"]), it["value"]["unresolved"]
            elif it["stage"] == FACTUALITY:
                states = found.states.setdefault(rules, {})
                states[it["state"]] = states.get(it["state"], 0) + 1
        yield found


def show(found: list[Pairs], calls: dict[str, dict[str, int]]) -> None:
    """A row a report, and what pairs come to."""
    names = [name for name, _, _ in ASKED]
    print(f"{'report':40}{''.join(f'{each:>16}' for each in names)}{'cited':>8}{'unresolved':>12}")
    for it in found:
        cells = (f"{it.judged.get(name, 0)} of {it.possible.get(name, 0)}" for name in names)
        print(f"{it.run_id[-38:]:40}{''.join(f'{cell:>16}' for cell in cells)}{it.sentences:>8}{it.unresolved:>12}")
    for name in names:
        pairs_by_possible = Counter(each.possible.get(name, 0) for each in found)
        spread = ", ".join(f"{pairs}: {count}" for pairs, count in sorted(pairs_by_possible.items()))
        capped = sum(each.judged.get(name, 0) < each.possible.get(name, 0) for each in found)
        mean = fmean(each.judged.get(name, 0) for each in found)
        print(f"{name}: {mean:.2f} pairs a report; of {capped} reports a sample; reports by possible pairs: {spread}")
    for rules in ("default", "hkuds"):
        states = sum((Counter(each.states.get(rules, {})) for each in found), Counter[str]())
        print(f"labels, {rules}: {dict(sorted(states.items()))}")
    for name, asked in calls.items():
        print(f"questions, {name}: {asked}")


if __name__ == "__main__":
    main()
