"""The paper's values in scores.json, worked out again from an experiment's files by the formulas of the docs.

What recomputes them reads JSON and imports nothing of drretail, so that an error in its code isn't repeated here.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

Share = tuple[float, float]
"""A numerator and a denominator, to be added up over reports."""


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@dataclass(frozen=True)
class Planned:
    """A run that was made, whether it left a report or failed."""

    folder: Path
    system: str
    query: Mapping[str, Any]
    repeat: int

    @property
    def name(self) -> str:
        return f"{self.query['query_id']}-r{self.repeat}"

    @cached_property
    def run(self) -> Mapping[str, Any]:
        return json.loads((self.folder / "runs" / self.system / self.name / "run.json").read_text("utf-8"))

    def verdicts(self, family: str, stage: str) -> dict[str, Any]:
        """By item."""
        (path,) = self.folder.glob(f"verdicts/{family}/*/{self.system}/{self.name}.jsonl")
        return {each["item"]: each for each in lines_of(path) if each["stage"] == stage}

    def values(self, family: str, stage: str) -> dict[str, Any]:
        """Those of verdicts that have one, by what stands before the item's hash."""
        return {item: one["value"] for item, one in self.verdicts(family, stage).items() if one["state"] == "scored"}


@dataclass(frozen=True)
class Scored:
    folder: Path

    @cached_property
    def scores(self) -> Any:
        return json.loads((self.folder / "scores.json").read_text("utf-8"))

    @cached_property
    def runs(self) -> list[Planned]:
        queries = json.loads((self.folder / "experiment.json").read_text("utf-8"))["queries"]
        by_id = {query["query_id"]: query for query in queries}
        names = [(path.parts[-3], *path.parts[-2].rsplit("-r", 1)) for path in self.folder.glob("runs/*/*/run.json")]
        return [Planned(self.folder, system, by_id[query], int(repeat)) for system, query, repeat in sorted(names)]

    def rows(self, family: str, policy: str) -> dict[tuple[str, str], float | None]:
        """By variant and system."""
        rows = (row for row in self.scores["scores"] if (row["metric"], row["policy"]) == (family, policy))
        return {(row["variant"], row["system"]): row.get("value") for row in rows}


@pytest.fixture
def judged_scores(judged: Path) -> Scored:
    return Scored(judged)


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def over_queries(values: Iterable[tuple[Planned, float | None]]) -> float | None:
    """Repeats inside their query first."""
    by_query: dict[str, list[float | None]] = {}
    for planned, value in values:
        by_query.setdefault(planned.query["query_id"], []).append(value)
    return mean(map(mean, by_query.values()))


Formulas = Mapping[str, float | None]
"""By variant, of one report."""


def check_means(
    scored: Scored,
    family: str,
    formulas: Callable[[Planned], Formulas],
    *,
    lacking: Callable[[Planned, str], float | None] = lambda planned, variant: None,
) -> None:
    """Compares the means over reports with a value, and those over all planned runs.

    Over planned runs one that failed earns 0 if any report on its query has a value or earns one, and a report without
    one earns what ``lacking`` says.
    """
    done = {(run.system, run.name): formulas(run) for run in scored.runs if run.run["status"] == "done"}
    variants = dict.fromkeys(variant for values in done.values() for variant in values)

    def value_of(it: Planned, variant: str) -> float | None:
        return done.get((it.system, it.name), {}).get(variant)

    def earned(it: Planned, variant: str) -> float | None:
        if it.run["status"] != "done":
            same = (other for other in scored.runs if other.query == it.query and other.run["status"] == "done")
            return 0.0 if any(earned(other, variant) is not None for other in same) else None
        value = value_of(it, variant)
        return lacking(it, variant) if value is None else value

    answered, planned = scored.rows(family, "answered"), scored.rows(family, "planned")
    compared = [key for key in answered if key[0] in variants]
    assert {variant for variant, _ in compared} == set(variants)
    assert any(answered[key] for key in compared)
    for variant, system in compared:
        own = [run for run in scored.runs if run.system == system]
        expected = over_queries((each, value_of(each, variant)) for each in own)
        assert answered[variant, system] == pytest.approx(expected), (variant, system)
        if (variant, system) in planned:
            expected = over_queries((each, earned(each, variant)) for each in own)
            assert planned[variant, system] == pytest.approx(expected), (variant, system, "planned")


def check_pools(scored: Scored, family: str, shares: Callable[[Planned], Mapping[str, Share]]) -> None:
    """Compares Σ numerators / Σ denominators over all reports of a system."""
    rows = scored.rows(family, "answered")
    for system in {run.system for run in scored.runs}:
        reports = [shares(run) for run in scored.runs if run.system == system and run.run["status"] == "done"]
        for variant in reports[0]:
            above, below = (sum(report[variant][part] for report in reports) for part in (0, 1))
            assert rows[variant, system] == (pytest.approx(above / below) if below else None), (variant, system)


def type_of(source: str) -> str:
    if source.startswith("W:") or ("://" in source and "ecommerce.com" not in source):
        return "web"
    return "product" if source.startswith("P:") or "://" in source else "internal"


def support_of(report: Planned, *types: str) -> list[float | None]:
    """s of each claim that cites a source of these types; None where none of these could be read."""
    ruled = report.verdicts("faithfulness", "support")
    found: list[float | None] = []
    for claim in report.values("faithfulness", "extract")["report"]:
        if any(type_of(source) in types for source in claim["sources"]):
            verdict = ruled[claim["claim_id"]]
            is_read = any(type_of(source["id"]) in types for source in verdict["sources"])
            found.append(verdict["value"] if verdict["state"] == "scored" and is_read else None)
    return found


def faithfulness(report: Planned) -> Formulas:
    claims = report.values("faithfulness", "extract")["report"]
    cited, web, product = support_of(report, "web", "product"), support_of(report, "web"), support_of(report, "product")
    unresolved = sum(any(type_of(each) != "internal" for each in claim["unresolved"]) for claim in claims)
    with_url = [claim for claim in claims if any(type_of(source) != "internal" for source in claim["sources"])]
    contradicted = [
        verdict for verdict in report.verdicts("faithfulness", "support").values() if "contradicted" in verdict["notes"]
    ]
    strict = [each or 0.0 for each in cited] + [0.0] * unresolved
    return {
        "FP": mean(cited),
        "N_supported": sum(each for each in cited if each is not None),
        "FP_web": mean(web),
        "FP_product": mean(product),
        "FP_internal": mean(support_of(report, "internal")),
        "FP_types": mean((mean(web), mean(product))),
        "FP_eq2_report": None if None in (mean(web), mean(product)) else mean((mean(web), mean(product))),
        "FP_strict": mean(strict) if mean(cited) is not None else None,
        "FR": mean(float(bool(claim["sources"])) for claim in claims),
        "FR_url": len(with_url) / len(claims),
        "N_contradicted": sum(
            any(type_of(source["id"]) != "internal" for source in one["sources"]) for one in contradicted
        ),
        "N_cited": len(web) + len(product),
        "N_web": len(web),
        "N_product": len(product),
    }


def pooled_faithfulness(report: Planned) -> Mapping[str, Share]:
    pairs = [each for each in (*support_of(report, "web"), *support_of(report, "product")) if each is not None]
    claims = report.values("faithfulness", "extract")["report"]
    return {
        "FP_pooled": (sum(pairs), len(pairs)),
        "FR_pooled": (sum(bool(claim["sources"]) for claim in claims), len(claims)),
    }


def test_faithfulness(judged_scores: Scored) -> None:
    def cites_nothing(report: Planned, variant: str) -> float | None:
        return 0.0 if variant == "FP" and "[" not in report.run["report"] else None

    check_means(judged_scores, "faithfulness", faithfulness, lacking=cites_nothing)
    check_pools(judged_scores, "faithfulness", pooled_faithfulness)
    rows = judged_scores.rows("faithfulness", "answered")
    for system in {run.system for run in judged_scores.runs}:
        both = rows["FP_web", system], rows["FP_product", system]
        assert rows["FP_eq2", system] == pytest.approx(mean(both))


def quality(report: Planned) -> Formulas:
    rated = report.values("quality", "rating")
    names = ("clarity", "depth", "breadth", "insightfulness", "constraint_following", "overall", "personalization")
    return {
        **{name: rated.get(name) for name in names},
        "Avg": mean(rated.values()) if len(rated) == 7 else None,
        "Avg_6": mean(rated[name] for name in names[:6]),
    }


def test_quality(judged_scores: Scored) -> None:
    check_means(judged_scores, "quality", quality)


def test_pairwise(judged_scores: Scored) -> None:
    """The same winner in both orders wins, else it is a tie; a side without a report loses."""
    for row in judged_scores.scores["pairs"]:
        runs = {(run.system, run.name): run for run in judged_scores.runs}
        wins: list[tuple[Planned, float]] = []
        flips: list[tuple[Planned, float]] = []
        firsts: list[tuple[Planned, float]] = []
        for a in (run for run in judged_scores.runs if run.system == row["a"]):
            b = runs[row["b"], a.name]
            if "failed" in (a.run["status"], b.run["status"]):
                wins.append((a, float(a.run["status"] == "done")))
                continue
            (path,) = judged_scores.folder.glob(f"verdicts/pairwise/*/{a.system}~{b.system}/{a.name}.jsonl")
            verdicts = [one for one in lines_of(path) if one["item"] == row["dimension"] and one["state"] == "scored"]
            winners = {verdict["order"]: verdict["value"] for verdict in verdicts}
            if winners:
                is_flip = winners["ab"] != winners["ba"]
                wins.append((a, 0.5 if is_flip else float(winners["ab"] == "a")))
                flips.append((a, float(is_flip)))
                firsts.append((a, ((winners["ab"] == "a") + (winners["ba"] == "b")) / 2))
        counts = [sum(value == each for _, value in wins) for each in (1, 0.5, 0)]
        assert [row["wins"], row["ties"], row["losses"]] == counts, row["dimension"]
        assert row["win_rate"] == pytest.approx(over_queries(wins)), row["dimension"]
        assert row["flip_rate"] == pytest.approx(over_queries(flips)), row["dimension"]
        assert row["first_position_rate"] == pytest.approx(over_queries(firsts)), row["dimension"]
