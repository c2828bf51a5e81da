"""The main values of scores.json, worked out again from an experiment's files by the formulas of the docs.

What recomputes them reads JSON and imports nothing of drretail, so that an error in its code isn't repeated here.
"""

import gzip
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

Share = tuple[float, float]
"""A numerator and a denominator, to be added up over reports."""


def lines_of(path: Path) -> list[Any]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def digest(value: Any) -> str:
    """Of canonical JSON, as items of verdicts are named."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


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

    @cached_property
    def evidence(self) -> Mapping[str, Any]:
        return {
            one["id"]: one for one in lines_of(self.folder / "runs" / self.system / self.name / "evidence.jsonl.gz")
        }

    def frozen(self, family: str) -> Any:
        """What was written down of the query before reports were judged."""
        return json.loads((self.folder / "rubrics" / family / f"{self.query['query_id']}.json").read_text("utf-8"))

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


@pytest.fixture
def shopped_scores(shopped: Path) -> Scored:
    return Scored(shopped)


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


def test_rubrics(judged_scores: Scored) -> None:
    def rubrics(report: Planned) -> Formulas:
        met = report.values("rubrics", "criteria_met")
        groups = report.frozen("rubrics")["groups"]
        marks = {
            group["name"]: [
                (
                    each["weight"],
                    met[f"{group['name']}@{digest([each['text'], each['explanation'], each['kind']])[:8]}"],
                )
                for each in group["criteria"]
            ]
            for group in groups
        }
        every = [mark for group in marks.values() for mark in group]
        return {
            "score": points(every),
            "strict": points([(w, float(s == 1 if w > 0 else s > 0)) for w, s in every]),
            "faults": mean(float(s > 0) for w, s in every if w < 0),
            **{name: points(group) for name, group in marks.items()},
        }

    check_means(judged_scores, "rubrics", rubrics)


def points(marks: list[tuple[float, float]]) -> float:
    """Σ w · s / Σ w over criteria of positive weight."""
    return sum(w * s for w, s in marks) / sum(w for w, _ in marks if w > 0)


def facts_of(report: Planned, family: str) -> list[list[Any]]:
    """Of each unique fact the verdicts on its sources; none for a fact that cites nothing that there is."""
    ruled = report.verdicts(family, "triplet_support")
    facts: dict[str, list[Any]] = {}
    for triplet in report.values(family, "triplets")["report"]:
        own = facts.setdefault(triplet["fact"], [])
        if "source" in triplet:
            own.append(ruled[digest([triplet["fact"], triplet["source"]])[:12]])
    return list(facts.values())


def weighted(group: Mapping[str, Any], scores: Mapping[str, float]) -> float:
    """Σ w · s over a dimension's criteria."""
    return sum(each["weight"] * scores[each["text"]] for each in group["criteria"])


PQR = {
    "P": {
        "goal_alignment": "GOAL",
        "content_alignment": "CONT",
        "presentation_fit": "PRES",
        "actionability_practicality": "ACTI",
    },
    "Q": {"depth_insight": "DEIN", "logical_coherence": "LOGC", "clarity_readability": "CLAR"},
}


def test_pqr(judged_scores: Scored) -> None:
    def pqr(report: Planned) -> Formulas:
        groups = {group["name"]: group for group in report.frozen("pqr")["groups"]}
        scored = {item.split("@")[0]: each for item, each in report.values("pqr", "scoring").items()}
        dims = {
            name: weighted(groups[name], {each["criterion"]: each["target_score"] for each in text})
            for name, text in scored.items()
        }
        found: dict[str, float | None] = {
            short: dims.get(name) for keys in PQR.values() for name, short in keys.items()
        }
        for axis, keys in PQR.items():
            has_all = all(key in dims for key in keys)
            found[f"S_{axis}"] = sum(groups[key]["weight"] * dims[key] for key in keys) if has_all else None
        facts = facts_of(report, "pqr")
        cited = [pairs for pairs in facts if pairs]
        v = [mean(float(pair["value"] == 1) for pair in pairs if pair["state"] == "scored") for pairs in cited]
        fa, cc = mean(v), len(cited) / len(facts)
        found |= {"N_total": len(facts), "N_cited": len(cited), "CC": 10 * cc, "FA": None if fa is None else 10 * fa}
        found["S_R"] = None if fa is None else (10 * fa + 10 * cc) / 2
        parts = [found["S_P"], found["S_Q"], found["S_R"]]
        return {**found, "S_overall": None if None in parts else mean(parts)}

    def without_citation(report: Planned, variant: str) -> float | None:
        """Reliability is 0, personalization and quality stay."""
        values = pqr(report)
        parts = (values["S_P"], values["S_Q"], 0.0)
        return None if None in parts or values["S_R"] is not None else mean(parts)

    check_means(judged_scores, "pqr", pqr, lacking=without_citation)


def test_race(judged_scores: Scored) -> None:
    def race(report: Planned) -> Formulas:
        groups = report.frozen("race")["groups"]
        orders = {item.split("@")[0]: each for item, each in report.values("race", "side_by_side").items()}
        by_order = {order: shares(groups, text) for order, text in orders.items()}
        both = {
            name: mean(found.get(name) for found in by_order.values())
            for name in ("RACE", *(group["name"] for group in groups))
        }
        pairs = [pair for pairs in facts_of(report, "race") for pair in pairs]
        known = [each for each in pairs if each["state"] == "scored" and "unknown" not in each["notes"]]
        supported = sum(each["value"] == 1 for each in known)
        return {
            **both,
            "RACE_first": by_order.get("target_first", {}).get("RACE"),
            "RACE_second": by_order.get("reference_first", {}).get("RACE"),
            "valid_rate_mean": supported / len(known) if known else None,
            "citations": len(known) if pairs or unresolved(report) else None,
            "valid_citations": supported if pairs or unresolved(report) else None,
        }

    def shares(groups: list[Any], text: list[Any]) -> dict[str, float]:
        """T / (T + R), as a whole and by dimension."""
        sides: dict[str, dict[str, float]] = {}
        for side in ("target", "reference"):
            dims = {
                group["name"]: weighted(
                    group, {s["criterion"]: s[side] for s in text if s["dimension"] == group["name"]}
                )
                for group in groups
            }
            sides[side] = {**dims, "RACE": sum(group["weight"] * dims[group["name"]] for group in groups)}
        target, reference = sides["target"], sides["reference"]
        return {name: target[name] / (target[name] + reference[name]) for name in target}

    def unresolved(report: Planned) -> bool:
        return any(value["ref"] and "source" not in value for value in report.values("race", "triplets")["report"])

    def pooled(report: Planned) -> Mapping[str, Share]:
        pairs = [pair for pairs in facts_of(report, "race") for pair in pairs]
        known = [each for each in pairs if each["state"] == "scored" and "unknown" not in each["notes"]]
        return {"valid_rate": (sum(each["value"] == 1 for each in known), len(known))}

    check_means(judged_scores, "race", race)
    check_pools(judged_scores, "race", pooled)


def test_report_eval(judged_scores: Scored) -> None:
    def report_eval(report: Planned) -> Formulas:
        pairs = report.values("report_eval", "redundancy")
        labels = list(report.values("report_eval", "factuality").values())
        return {
            **report.values("report_eval", "quality"),
            "redundancy": mean(pairs.values()),
            "pairs_scored": len(pairs),
            "support": mean(labels),
            "strong_support": mean(float(label == 1) for label in labels),
            "partial_support": mean(float(label == 0) for label in labels),
            "no_support": mean(float(label == -1) for label in labels),
        }

    def pooled(report: Planned) -> Mapping[str, Share]:
        labels = report.values("report_eval", "factuality").values()
        return {
            "support_pooled": (sum(labels), len(labels)),
            "strong_support_pooled": (sum(label == 1 for label in labels), len(labels)),
        }

    check_means(judged_scores, "report_eval", report_eval)
    check_pools(judged_scores, "report_eval", pooled)


def percent(values: Iterable[bool]) -> float | None:
    share = mean(map(float, values))
    return None if share is None else 100 * share


def gold_of(report: Planned) -> Any:
    path = report.folder / "gold" / f"{report.query['query_id']}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def sources_of(report: Planned) -> dict[str, dict[str, Any]]:
    """By claim that cites something, the verdicts on each of its sources alone."""
    found: dict[str, dict[str, Any]] = {}
    for item, verdict in report.verdicts("dr3", "support").items():
        claim, source = item.split(" ")
        found.setdefault(claim, {})[source] = verdict
    return found


def accuracy(claims: Iterable[Mapping[str, Any]], least: float = 1) -> float | None:
    """Of the claims that could be judged, those that all readable sources bear out."""
    read = [[each["value"] for each in claim.values() if each["state"] == "scored"] for claim in claims]
    return percent(min(values) >= least for values in read if values)


def test_dr3(judged_scores: Scored) -> None:
    def dr3(report: Planned) -> Formulas:
        gold, claims = gold_of(report), sources_of(report)
        fields = {item.split("@")[0]: each for item, each in report.values("dr3", "insights").items()}
        marks = re.findall(r"\[([A-Z]:[^\]]+)\]", report.run["report"])
        cited = {url for mark in marks if (url := report.evidence.get(mark, {}).get("url"))}
        found: dict[str, float | None] = {"IR_UF": None, "IR_SC": None, "CC": None, "CC_UF": None, "CC_SC": None}
        if gold is not None:
            insights = {
                part: [f"{part}/{one['id']}" for one in gold[part]["insights"]] for part in ("files", "sandbox")
            }
            has = {part: [one.get("url") in cited for one in gold[part]["documents"]] for part in ("files", "sandbox")}
            found = {
                "IR_UF": percent(fields[insight] == 1 for insight in insights["files"]),
                "IR_SC": percent(fields[insight] == 1 for insight in insights["sandbox"]),
                "CC": percent([*has["files"], *has["sandbox"]]),
                "CC_UF": percent(has["files"]),
                "CC_SC": percent(has["sandbox"]),
            }
        pages = [{name: each for name, each in claim.items() if type_of(name) == "web"} for claim in claims.values()]
        pairs = [each["value"] for claim in claims.values() for each in claim.values() if each["state"] == "scored"]
        found |= {
            "FA": accuracy(claims.values()),
            "FA_SC": accuracy(pages),
            "FA_pair": percent(pair == 1 for pair in pairs),
            "IF": percent(value == 1 for value in report.values("dr3", "requirements").values()),
            "DQ": 10 * next(iter(report.values("dr3", "depth").values())),
        }
        six = [found[name] for name in ("IR_UF", "IR_SC", "CC", "FA", "IF", "DQ")]
        return {
            **found,
            "IR": mean((found["IR_UF"], found["IR_SC"])),
            "avg6": None if None in six else mean(six),
            "avg_available": mean(six),
        }

    check_means(judged_scores, "dr3", dr3)


MOVES = ("Reason", "LaunchResearcher", "Finalize")
"""What agents do among themselves, which is no call of a tool."""


def ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def test_process(shopped_scores: Scored) -> None:
    def process(report: Planned) -> Formulas:
        steps, expected = report.run["steps"], set(report.query["expected_tools"])
        calls = [step for step in steps if step["kind"] == "tool" and step["name"] not in MOVES]
        different = {(call["name"], json.dumps(call["args"], sort_keys=True)) for call in calls}
        wrong = ("invalid_argument", "not_found", "unknown_tool")
        handed = {name for name, entry in report.evidence.items() if any(text["shown"] for text in entry["texts"])}
        cited = {citation.get("evidence_id") for citation in report.run["citations"]}
        pages = {report.evidence[each]["url"] for each in handed if report.evidence[each]["kind"] == "web"}
        return {
            "tool_coverage": len(expected & {call["name"] for call in calls}) / len(expected) if steps else None,
            "unneeded": ratio(sum(call["name"] not in expected for call in calls), len(calls)),
            "repeated": ratio(len(calls) - len(different), len(calls)),
            "invalid": ratio(sum((call.get("error") or "").split(":")[0] in wrong for call in calls), len(calls)),
            "retrieved_uncited": ratio(len(handed - cited), len(handed)),
            "pages_seen": len(pages) if steps or report.evidence else None,
            "turns": sum(
                step["kind"] != "tool" and step["role"] != "summariser" and not step.get("error") for step in steps
            )
            if steps
            else None,
            "tool_calls": len(calls) if steps else None,
        }

    check_means(shopped_scores, "process", process)


def price_of(report: Planned, product: str) -> Decimal | None:
    """On the record that the run was handed, else on that of the basket's reference."""
    for text in report.evidence.get(f"P:{product}", {"texts": []})["texts"]:
        if text["form"] == "record" and (price := json.loads(text["text"]).get("price")) is not None:
            return Decimal(str(price))
    fits = (fit for thing in report.frozen("basket")["things"] for fit in thing["fits"])
    found = next((fit.get("price") for fit in fits if fit["product_id"] == product), None)
    return None if found is None else Decimal(found)


def test_basket(shopped_scores: Scored) -> None:
    def basket(report: Planned) -> Formulas:
        reference = report.frozen("basket")
        if reference.get("proof", {}).get("state") == "proved" or "best" not in reference or not reference["things"]:
            return {}
        picks = report.run["picks"]
        pieces = [pick["product"] for pick in picks for _ in range(pick["quantity"])]
        worths = [{fit["product_id"]: fit["worth"] for fit in thing["fits"]} for thing in reference["things"]]
        # Each want has one piece; every way to give them out is tried.
        ways = [
            [(want, piece) for want, piece in enumerate(way) if piece is not None]
            for way in itertools.product([None, *range(len(pieces))], repeat=len(worths))
        ]
        fitting = [
            way
            for way in ways
            if len({piece for _, piece in way}) == len(way)
            and all(pieces[piece] in worths[want] for want, piece in way)
        ]
        taken = max(fitting, key=len)
        prices = [price_of(report, piece) for piece in pieces]
        total = None if None in prices else sum(price for price in prices if price is not None)
        is_within = total is not None and total <= Decimal(report.query["wish"]["budget"]["amount"])
        has_all, has_only = len(taken) == len(worths), len(taken) == len(pieces)
        worth = sum(worths[want][pieces[piece]] for want, piece in taken) / reference["best"]["worth"]
        cheapest = Decimal(reference["cheapest"]["total"]["amount"])
        return {
            "covered": len(taken) / len(worths),
            "within_budget": float(is_within) if picks else None,
            "feasible": float(has_all and is_within and (has_only or report.query["wish"]["room"])),
            "cost_ratio": float(total / cheapest) if has_all and total is not None else None,
            "utility_ratio": min(1, worth) * len(taken) / len(pieces) if is_within else 0.0,
        }

    check_means(shopped_scores, "basket", basket)


def test_outcome(shopped_scores: Scored) -> None:
    def outcome(report: Planned) -> Formulas:
        reference, declared = report.frozen("basket"), report.run.get("outcome")
        proof = reference.get("proof", {"state": "open"})
        if proof["state"] == "open":
            return {}
        decision = (declared or {}).get("decision")
        picks_all = len(report.run.get("picks") or ()) >= len(reference["things"])
        refused = float(decision == "none" or (decision == "part" and not picks_all))
        is_proved = proof["state"] == "proved"
        because = set((declared or {}).get("because", ()))
        right = because & {*proof["cheapest_without"], proof.get("lack")}
        reason = len(right) / len(because) if because else 0.0
        return {
            "refusal_recall": refused if is_proved else None,
            "false_refusal": None if is_proved else refused,
            "reason": reason if is_proved and refused else None,
            "bought_anyway": float(decision in ("buy", "part")) if is_proved else None,
            "undeclared": float(declared is None),
        }

    check_means(shopped_scores, "outcome", outcome)
    rows = shopped_scores.rows("outcome", "answered")
    for system in {run.system for run in shopped_scores.runs}:
        recall, false = rows["refusal_recall", system], rows["false_refusal", system]
        assert recall is not None
        assert false is not None
        assert rows["J", system] == pytest.approx(recall - false)


OF_ANY_REPORT = {
    *("no_decision", "old_page", "after_today", "personal_data_sent", "profile_changed", "repeated_section"),
}
"""Checks that are about no statement of a report: they alone make no report clean."""


def test_checks(shopped_scores: Scored) -> None:
    def checks(report: Planned) -> Formulas:
        read = report.values("checks", "read")["report"]
        found = report.values("checks", "check")
        errors = {code: sum(finding["severity"] == "error" for finding in findings) for code, findings in found.items()}
        is_read = read["read"] >= read["seen"] / 2 and read["picks"] is not None
        can_be_clean = errors.get("no_decision") or (is_read and not errors.keys() <= OF_ANY_REPORT)
        codes = ("not_in_catalog", "not_wanted", "over_budget")
        return {
            "clean": float(not any(errors.values())) if can_be_clean else None,
            "coverage": ratio(read["read"], read["seen"]),
            **{code: float(errors[code] == 0) for code in codes if code in errors},
        }

    check_means(shopped_scores, "checks", checks)
