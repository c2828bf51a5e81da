"""How long an estimate of judging takes, and how far off it is.

    python benchmarks/estimates.py large EXPERIMENT [--reports 1000] [--metrics faithfulness,quality] [--json FILE]
    python benchmarks/estimates.py judged EXPERIMENT [--rules paper] [--json FILE]
    python benchmarks/estimates.py claims EXPERIMENT [--metrics faithfulness,dr3] [--rules paper] [--json FILE]

``large`` makes a larger experiment of the same reports, under other queries, and prints the seconds of an estimate from
a sample and of a dry run of all of it, with what both say. ``judged`` holds the estimate of an experiment without its
verdicts against what its judges really took, which their journals tell. ``claims`` holds it against what the same dry
run gives where the claims are those that a judge of the experiment found, and not a sentence each.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from unittest.mock import patch

from figures import keep, parser_of

from drretail.eval.estimate import estimate_judging
from drretail.eval.judging.question import judge_journals, read_journal_of
from drretail.eval.judging.session import Judge
from drretail.experiment import path_of, read_definition, run_files
from drretail.files import write_json
from drretail.llm.estimates import Estimate, Range
from drretail.llm.prompt import tag_content
from drretail.llm.registry import open_model
from drretail.llm.stand_in import Statement
from drretail.llm.usage import read_prices
from drretail.records.run import Usage
from drretail.records.score import Rules
from drretail.run_file import read_recorded, write_run_file

JUDGE = "anthropic:claude-sonnet-5"
ALL = 10**9
"""More jobs than any experiment has: nothing is left to a sample."""


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("what", choices=("large", "judged", "claims"))
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--reports", type=int, default=1000)
    parser.add_argument("--metrics", default="faithfulness,quality")
    parser.add_argument("--rules", default="default")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.what == "large":
            found = of_large(args.experiment, Path(folder), args.reports, args.metrics.split(","))
        elif args.what == "claims":
            found = of_claims(args.experiment, Path(folder), args.rules, args.metrics.split(","))
        else:
            found = of_judged(args.experiment, Path(folder), args.rules)
    keep(args.json, found)


def of_large(experiment: Path, folder: Path, reports: int, metrics: Sequence[str]) -> dict[str, object]:
    larger = enlarged(experiment, folder / "exp", reports)
    count = len(run_files(larger))
    seconds: dict[str, float] = {}
    estimates: dict[str, list[Estimate]] = {}
    for name, most in (("sample", None), ("all", ALL)):
        began, worked = time.perf_counter(), time.process_time()
        if most is None:
            estimates[name] = estimate_judging(larger, metrics, [judge_of(JUDGE)])
        else:
            with patch("drretail.eval.estimate.MOST_JOBS", most):
                estimates[name] = estimate_judging(larger, metrics, [judge_of(JUDGE)])
        seconds[name] = time.perf_counter() - began
        worked = time.process_time() - worked
        print(f"{count:,} reports, {name}: {seconds[name]:.1f} s, of the processor {worked:.1f} s", flush=True)
    print(f"{'':46}{'sampled':>22}{'all':>12}{'middle off by':>15}")
    for some, every in zip(estimates["sample"], estimates["all"], strict=True):
        for what in ("calls", "input", "output"):
            _print(f"{some.name}, {what}", getattr(some, what), getattr(every, what).middle)
    return {
        "reports": count,
        "seconds": seconds,
        "said": {name: [asdict(estimate) for estimate in of] for name, of in estimates.items()},
    }


def enlarged(experiment: Path, to: Path, reports: int) -> Path:
    """The experiment without verdicts, its queries under so many other names that it has this many reports."""
    shutil.copytree(experiment, to, ignore=shutil.ignore_patterns("verdicts", "scores.json", "runs"))
    definition = read_definition(experiment)
    recorded = [read_recorded(path) for path in run_files(experiment)]
    times = -(-reports // len(recorded))
    for each in recorded:
        label, _, name = each.run.run_id.rpartition("/")
        for n in range(times):
            named = {"run_id": f"{label}/{n:03}-{name}", "query_id": f"{n:03}-{each.run.query_id}"}
            run = each.run.model_copy(update=named)
            write_run_file(path_of(to, run), replace(each, run=run))
    queries = [
        query.model_copy(update={"query_id": f"{n:03}-{query.query_id}"})
        for n in range(times)
        for query in definition.queries
    ]
    document = definition.model_copy(update={"queries": tuple(queries)})
    write_json(to / "experiment.json", document.model_dump(mode="json", exclude_none=True))
    return to


def of_judged(experiment: Path, folder: Path, rules: Rules) -> dict[str, object]:
    bare = folder / "exp"
    shutil.copytree(experiment, bare, ignore=shutil.ignore_patterns("verdicts", "scores.json"))
    took: dict[tuple[str, str], Usage] = {}
    for path in judge_journals(experiment):
        for effect in read_journal_of(path):
            key = path.relative_to(experiment / "verdicts").parts[0], effect.request["model"]
            took[key] = took.get(key, Usage()) + Usage(**(effect.usage or {}))
    found: dict[str, object] = {}
    print(f"{'':46}{'estimated':>22}{'taken':>12}{'middle off by':>15}")
    for (metric, spec), used in took.items():
        shopper_context = rules if metric == "faithfulness" else "default"
        (one,) = estimate_judging(bare, [metric], [judge_of(spec)], rules=shopper_context)
        read = used.input_uncached + used.cache_read + used.cache_creation
        for what, taken in (("calls", used.calls), ("input", read), ("output", used.output)):
            _print(f"{one.name}, {what}", getattr(one, what), taken)
        found[one.name] = {"estimated": asdict(one), "taken": used.model_dump()}
    return found


def of_claims(experiment: Path, folder: Path, rules: Rules, metrics: Sequence[str]) -> dict[str, object]:
    bare = folder / "exp"
    shutil.copytree(experiment, bare, ignore=shutil.ignore_patterns("verdicts", "scores.json"))
    found: dict[str, list[Statement]] = {}
    for path in judge_journals(experiment):
        for effect in read_journal_of(path) if path.parents[2].name == "faithfulness" else ():
            if effect.request["schema"]["title"] in ("AllClaims", "ReportClaims"):
                report = tag_content("report", effect.request["messages"][0]["content"]) or ""
                claims = json.loads(effect.response)["claims"]
                found[report.strip()] = [
                    Statement(claim["quote"], claim["claim"], tuple(claim["sources"])) for claim in claims
                ]
    by_sentence = estimate_judging(bare, metrics, [judge_of(JUDGE)], rules=rules)
    with patch("drretail.llm.stand_in.statements", lambda report: found[report.strip()]):
        by_claims = estimate_judging(bare, metrics, [judge_of(JUDGE)], rules=rules)
    print(f"{sum(map(len, found.values()))} claims that a judge found in {len(found)} reports")
    print(f"{'':46}{'by sentences':>22}{'by claims':>12}{'middle off by':>15}")
    for some, real in zip(by_sentence, by_claims, strict=True):
        for what in ("calls", "input", "output"):
            _print(f"{some.name}, {what}", getattr(some, what), getattr(real, what).middle)
    return {
        "by sentences": [asdict(estimate) for estimate in by_sentence],
        "by claims": [asdict(claim) for claim in by_claims],
    }


def judge_of(spec: str) -> Judge:
    return Judge.of(open_model(spec, prices=read_prices(), sends=False, environ={"ANTHROPIC_API_KEY": "none"}))


def _print(name: str, expected: Range, taken: float) -> None:
    off = f"{expected.middle / taken - 1:+.1%}" if taken else ""
    print(f"{name:46}{f'{expected.low:,.0f} – {expected.high:,.0f}':>22}{taken:>12,.0f}{off:>15}")


if __name__ == "__main__":
    main()
