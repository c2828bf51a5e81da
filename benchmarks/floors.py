"""What floors and the oracle get beside an agent: the table of docs/results.md.

    python benchmarks/floors.py exp [--queries FILE] [--json floors.json]

An experiment that is not there yet is made first: react, the floors and the oracle by the shipped fifty queries (or
those of FILE) on the demo shop, judged offline; that takes a minute. It says which queries these were: run it again
when the shipped ones have been drawn anew.
"""

import hashlib
from pathlib import Path

from command import drretail
from figures import hold, keep, parser_of

from drretail.eval.numbers.file import read_scores
from drretail.experiments.experiment import read_definition
from drretail.records.run import in_order

COLUMNS = {
    ("faithfulness", "FR"): "FR",
    ("faithfulness", "N_cited"): "citations",
    ("checks", "clean"): "checks: clean",
    ("basket", "covered"): "covered",
    ("basket", "right"): "right",
    ("basket", "utility_ratio"): "utility_ratio",
}


def make(experiment: Path, queries: Path | None) -> None:
    """The experiment, run."""
    if queries is None:
        queries = experiment.with_suffix(".queries.jsonl")
        drretail("queries", "shipped", "--split", "all", "--to", str(queries))
    drretail("run", "--world", "demo", "--queries", str(queries), "--to", str(experiment), "--agent", "react")


def judge(experiment: Path) -> None:
    """Scores of what is not judged yet."""
    metrics = ",".join(dict.fromkeys(metric for metric, _ in COLUMNS))
    drretail("score", str(experiment), "--metrics", metrics, "--judge", "offline:judge")


def measured(experiment: Path) -> dict[str, dict[str, float | None]]:
    """By system and column, the mean; None where nothing applies."""
    scores = read_scores(experiment)
    if scores is None:
        raise SystemExit(f"{experiment} has no scores: run drretail score first.")
    found = {(score.system, score.metric, score.variant): score.value for score in scores.scores}
    systems = in_order(dict.fromkeys(system for system, _, _ in found), scores.systems)
    return {system: {name: found.get((system, *column)) for column, name in COLUMNS.items()} for system in systems}


def table(rows: dict[str, dict[str, float | None]]) -> str:
    """As Markdown."""
    lines = ["| | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for system, cells in rows.items():
        figures = ("n/a" if value is None else f"{value:.2f}" for value in cells.values())
        lines.append(f"| {system.partition('@')[0]} | {' | '.join(figures)} |")
    return "\n".join(lines)


def drawn(experiment: Path) -> str:
    """How many queries there were, and a digest of their lines: another set has another."""
    lines = sorted(query.as_line() for query in read_definition(experiment).queries)
    return f"{len(lines)} queries, {hashlib.sha256(''.join(lines).encode()).hexdigest()[:12]}"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--queries", type=Path)
    arguments = parser.parse_args()
    if not (arguments.experiment / "experiment.json").exists():
        make(arguments.experiment, arguments.queries)
    judge(arguments.experiment)
    rows = measured(arguments.experiment)
    hold(rows and all(row["right"] is not None for row in rows.values()), "every system has a value for right")
    print(f"{drawn(arguments.experiment)}\n\n{table(rows)}")
    keep(arguments.json, {"queries": drawn(arguments.experiment), "systems": rows})


if __name__ == "__main__":
    main()
