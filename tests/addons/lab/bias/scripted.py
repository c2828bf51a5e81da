"""Judges with a bias of known strength, reports for them, and what the probes find of them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.addons.lab.bias.probe import Case, ask, bias_folder, choose_reports, make_copies
from drretail.addons.lab.bias.probes import PROBES, metrics_of, probe_found
from drretail.addons.lab.findings import Figure
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import pair_name
from drretail.eval.metrics.quality import criteria
from drretail.llm.offline.judge import tag_contents
from drretail.llm.prompt import tag_content
from drretail.records.base import sha256_of
from drretail.records.run import RoleModel
from tests import build
from tests.build import SYSTEM, experiment, scripted_judge

A, B = "a@model", "b@model"
FIRST_DAY, LATER = "2025-01-01", "2025-02-01"
SENTENCES = 8
QUERIES = 8
TITLES = {criteria_of: told["title"] for criteria_of, told in criteria().items()}
Rate = Callable[[str, str, int], float]
"""A report, its dimension's title, and its words, to a rating that may lie off the scale's whole numbers."""


def chance(*of: object) -> float:
    """From 0 to 1, the same for the same things."""
    return int(sha256_of([str(member) for member in of])[:8], 16) / 16**8


def reports(name: str, queries: int) -> dict[str, str]:
    """Reports of eight sentences that say whose they are, and on which query."""
    lines = [f"Point {n} of {name} on it is that feeders of kind {n} are cleaned each week." for n in range(SENTENCES)]
    return {f"q{n}-r1": f"# Advice of {name} on q{n}\n\n" + "\n\n".join(lines) + "\n" for n in range(1, queries + 1)}


def an_experiment(folder: Path, queries: int = QUERIES, **models: str) -> Path:
    """Two systems with a report on each query; ``models`` are those of systems a and b."""
    by_model = {
        f"{name}@model": SYSTEM.model_copy(update={"models": {"writer": RoleModel(spec=spec, kind="llm")}})
        for name, spec in models.items()
    }
    said = {system: reports(system[0], queries) for system in (A, B)}
    return experiment(folder, said, of=by_model)


def whole(value: float, *of: object) -> int:
    """A whole number from 0 to 10 whose mean over all that it is of is ``value``."""
    below = int(value // 1)
    return min(10, max(0, below + (chance("whole", *of) < value - below)))


def worth(report: str, title: str) -> float:
    """What a report is worth: its query and the dimension decide, and neither its length nor whose it is."""
    query = report.partition(" on ")[2].split()[0]
    return 4 + 2 * chance("worth", query, title)


def rater(rate: Rate) -> Callable[[str], Any]:
    """A judge that rates by a function of report, title and words, one dimension in a call or all."""

    def one(question: str, title: str) -> dict[str, Any]:
        report = tag_content("report", question) or ""
        words = len(report.split())
        value = whole(rate(report, title, words), report, title, words)
        return {"justification": f"It is worth {value}.", "rating": value}

    def answer(question: str) -> Any:
        titles = [content.split("\n")[0] for content in tag_contents("criterion", question)]
        if len(titles) == 1:
            return one(question, titles[0])
        return {name: one(question, title) for name, title in TITLES.items() if title in titles}

    return answer


def judge_of(answer: Callable[[str], Any], name: str = "test") -> Judge:
    return scripted_judge(answer, name=name)[0]


def probed(
    exp: Path,
    judge: Judge,
    names: Sequence[str],
    *,
    day: str = FIRST_DAY,
    pin: Path | None = None,
    before: Callable[[Case], None] = lambda _: None,
) -> Mapping[str, list[Figure]]:
    """What these probes find of a judge, all asked as the command asks; ``before`` their own questions."""
    probes = [PROBES[name] for name in names]
    chosen = choose_reports(exp, limit=0, seed="1")
    make_copies(exp, chosen, with_lengths=any(probe.with_lengths for probe in probes))
    case = Case(exp, bias_folder(exp), judge, chosen, "1", day, pin)
    pairs = [pair_name(pair) for pair in chosen.pairs]
    metrics = metrics_of(probes, with_pairs=bool(pairs))
    build.scored(case.folder, metrics, judge, pairs=pairs)
    before(case)
    for probe in probes:
        asyncio.run(ask(case, probe, again="nothing", allowance=Allowance()))
        probe.keep(case)
    return {probe.name: probe_found(case, probe) for probe in probes}


def effect(found: Sequence[Figure], name: str, dimension: str = "all") -> Figure:
    (it,) = [row for row in found if row.name.startswith(name) and row.part == dimension]
    return it


def holds(effect: Figure, value: float) -> bool:
    if effect.ci_low is None or effect.ci_high is None:  # all queries say the same
        return effect.value == value
    return effect.ci_low <= value <= effect.ci_high
