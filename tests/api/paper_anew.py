"""Tables 1 and 2 and Appendix D of the paper from an experiment's files alone. Nothing here comes from the package, so
that they may differ.

METRICS in one sentence each: a value a report, the mean of a query's repeats, then the mean over queries; what has no
value is left out, and never 0.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import correlation, mean, stdev
from typing import Any

Row = dict[str, float | None]
"""The values of one row of a table, by column; None where there is none."""
SEVEN = ("clarity", "depth", "breadth", "insight", "constraints", "personalization", "overall")
PLUS_MINUS = " ±"
"""What follows the name of a column whose value is a standard deviation."""
COUNT = " n"
"""What follows the name of a column whose value counts reports with a value."""
PLANNED = "planned"
"""The column of all runs."""


def lines_of(path: Path) -> list[Any]:
    """The JSON lines of a file, packed or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return [json.loads(line) for line in text.splitlines() if line]


def average(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


@dataclass(frozen=True)
class Files:
    """An experiment as it lies on disk."""

    folder: Path

    @cached_property
    def runs(self) -> list[dict[str, Any]]:
        return [lines_of(path)[1] for path in sorted((self.folder / "runs").rglob("*.jsonl.gz"))]

    @cached_property
    def board(self) -> tuple[str, str]:
        """The first judge and the rules that were asked for last."""
        held = json.loads((self.folder / "board.json").read_text())
        return held["judge"][0], held["rules"]

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """The last verdict on each thing by the board's judge."""
        names = ("metric", "stage", "item", "run_id", "other_run_id", "order", "judge_repeat")
        last: dict[tuple[Any, ...], dict[str, Any]] = {}
        for path in sorted((self.folder / "verdicts").rglob("*.jsonl*")):
            if ".journal." not in path.name:
                for line in lines_of(path):
                    if "metric" in line and (self._judge(line["judge"]), line.get("rules", "default")) == self.board:
                        last[tuple(line.get(name) for name in names)] = line
        return list(last.values())

    def ratings(self, judge: str, dimension: str) -> list[dict[str, Any]]:
        """A judge's ratings by the board's rules, each report's once."""
        paths = sorted((self.folder / "verdicts" / "quality").rglob("*.jsonl*"))
        lines = (line for path in paths if ".journal." not in path.name for line in lines_of(path) if "metric" in line)
        wanted = (judge, self.board[1], dimension, "scored")
        return [
            each
            for each in lines
            if (each["judge"]["spec"], each.get("rules", "default"), each["item"], each["state"]) == wanted
        ]

    @staticmethod
    def _judge(judge: Mapping[str, str]) -> str:
        return f"{judge['spec']} {judge.get('params_hash', '')}".strip()

    def about(self, metric: str, run: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The verdicts on a run's present report."""
        shas = run["run_id"], run.get("report_sha")
        return [
            each for each in self.verdicts if each["metric"] == metric and (each["run_id"], each["report_sha"]) == shas
        ]

    def rows(self, of_run: Callable[[dict[str, Any]], Row]) -> dict[str, Row]:
        """By system: the values of runs with a report, first over a query's repeats and then over queries."""
        by_label: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for run in self.runs:
            if run["status"] == "done":
                by_label[run["system"]][run["query_id"]].append(of_run(run))
        rows: dict[str, Row] = {}
        for label, by_query in by_label.items():
            columns = next(iter(by_query.values()))[0]
            rows[label] = {PLANNED: float(sum(run["system"] == label for run in self.runs))}
            for column in columns:
                means = [average(row[column] for row in its) for its in by_query.values()]
                known = [value for value in means if value is not None]
                valued = [row for its in by_query.values() for row in its if row[column] is not None]
                rows[label][f"{column}{COUNT}"] = float(len(valued))
                rows[label][column] = average(known)
                rows[label][f"{column}{PLUS_MINUS}"] = stdev(known) if len(known) > 1 else None
        return rows


def kind_of(source: str) -> str | None:
    """Web, product, or None for what is no source of the paper's: orders, users, calculations, files."""
    if source.startswith("P:") or source.removeprefix("https://").removeprefix("http://").startswith("ecommerce.com"):
        return "product"
    return None if source[:2] in ("O:", "U:", "C:", "F:") else "web"


def has_address(claim: Mapping[str, Any]) -> bool:
    """True if the claim cites a product or a page; ids and numbers that lead nowhere have no address."""
    return any(kind_of(source) for source in claim["sources"]) or any("://" in name for name in claim["unresolved"])


def table_1(files: Files) -> dict[str, Row]:
    """Faithfulness (METRICS 1)."""
    judged = {each["run_id"].partition("/")[0] for each in files.verdicts if each["metric"] == "faithfulness"}
    rows = files.rows(lambda run: _faithfulness(files.about("faithfulness", run)))
    rows = {label: row for label, row in rows.items() if label in judged}
    for row in rows.values():
        web, product = row["FP_web"], row["FP_product"]
        row["FP_eq2"] = None if web is None or product is None else (web + product) / 2
    return rows


def _faithfulness(verdicts: Sequence[Mapping[str, Any]]) -> Row:
    lists = {
        each["stage"]: each["value"] for each in verdicts if each["item"] == "report" and each["state"] == "scored"
    }
    labels = {each["item"]: each for each in verdicts if each["stage"] == "support"}
    cited, every = lists.get("extract_cited"), lists.get("extract_all")
    row: Row = dict.fromkeys(("FP", "FP_web", "FP_product", "FR", "N_cited", "N_web", "N_product"))
    if cited is not None:
        by_kind = {kind: [each for each in cited if kind in _kinds(each)] for kind in ("web", "product")}
        found = {kind: _of_kind(its, labels, kind) for kind, its in by_kind.items()}
        row["FP_web"], row["FP_product"] = (value for value, _ in found.values())
        # If the judge failed on a type that the report cites, the mean of the other would be another measure.
        row["FP"] = None if any(failed for _, failed in found.values()) else average((row["FP_web"], row["FP_product"]))
        row["N_web"], row["N_product"] = (float(len(by_kind[kind])) for kind in ("web", "product"))
        row["N_cited"] = row["N_web"] + row["N_product"]
    if every:
        row["FR"] = mean(has_address(each) for each in every)
    return row


def _of_kind(
    claims: Sequence[Mapping[str, Any]], labels: Mapping[str, Mapping[str, Any]], kind: str
) -> tuple[float | None, bool]:
    """The mean support of a report's claims that cite a type, and whether the judge failed on most of them."""
    found = [_support(each, labels, kind) for each in claims]
    failures = sum(
        value is None and labels.get(each["claim_id"], {}).get("state") == "failed"
        for each, value in zip(claims, found, strict=True)
    )
    is_failed = 2 * failures > len(claims) or (failures > 0 and average(found) is None)
    return None if is_failed else average(found), is_failed


def _kinds(claim: Mapping[str, Any]) -> set[str | None]:
    return {kind_of(source) for source in (*claim["sources"], *claim["unresolved"])}


def _support(claim: Mapping[str, Any], labels: Mapping[str, Mapping[str, Any]], kind: str) -> float | None:
    """A claim's support for one type that it cites; None if no source of the type was read, or nobody could say."""
    label: Mapping[str, Any] = labels.get(claim["claim_id"], {})
    sources = {source for source in claim["sources"] if kind_of(source) == kind}
    if sources <= {*label.get("absent", ())}:  # a mark that leads nowhere, no such product, no such page
        return 0.0
    read = {source["id"] for source in label.get("sources", ())}
    return float(label["value"]) if label.get("state") == "scored" and read & sources else None


def table_2(files: Files) -> dict[str, Row]:
    """Answer quality (METRICS 2)."""

    def of_run(run: dict[str, Any]) -> Row:
        ratings = {each["item"]: each["value"] for each in files.about("quality", run) if each["state"] == "scored"}
        row: Row = {dimension: ratings.get(dimension) for dimension in SEVEN}
        known = [value for value in row.values() if value is not None]
        return {**row, "average": mean(known) if len(known) == len(SEVEN) else None}

    return files.rows(of_run)


def rho(files: Files, dimension: str, *judges: str) -> float:
    """Appendix E: Spearman's ρ of two judges' ratings over the reports that both have rated: r of the ranks."""
    by_judge = [{each["run_id"]: each["value"] for each in files.ratings(judge, dimension)} for judge in judges]
    both = sorted(by_judge[0].keys() & by_judge[1].keys())
    return correlation(*(_ranks([ratings[run] for run in both]) for ratings in by_judge))


def _ranks(values: Sequence[float]) -> list[float]:
    """Equal values share the mean of their ranks."""
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


def kappas(folder: Path) -> dict[str, float]:
    """Appendix D: κ without ties of the first two people by name, by dimension, on the sides that the first saw."""
    first, second = (map(json.loads, path.read_text().splitlines()) for path in sorted((folder / "votes").glob("*")))
    seen = {(vote["pair_id"], vote["dimension"]): vote for vote in first}
    answers: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for vote in second:
        its = seen[vote["pair_id"], vote["dimension"]]
        chosen = [one.get(one["choice"]) for one in (its, vote)]
        if None not in chosen:  # neither is a tie
            shown_as_a = its[its["shown_left"]]
            answers[vote["dimension"]].append((chosen[0] == shown_as_a, chosen[1] == shown_as_a))
    return {dimension: _kappa(pairs) for dimension, pairs in answers.items()}


def _kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    observed = mean(one == other for one, other in pairs)
    one_says, other_says = (mean(pair[at] for pair in pairs) for at in (0, 1))
    by_chance = one_says * other_says + (1 - one_says) * (1 - other_says)
    return (observed - by_chance) / (1 - by_chance)
