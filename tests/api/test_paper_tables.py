"""Tables 1 and 2 of the paper, recomputed by code that shares nothing with ours. Tests viewer/paper.py."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import ModelError
from drretail.eval.judging.session import Judge
from drretail.llm.prompt import tag_content
from drretail.packs import pack_below
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence
from drretail.records.run import RoleModel, Run, System
from drretail.viewer.paper import read_paper_view
from tests import build
from tests.api.paper_anew import Files, rho
from tests.api.printed_tables import differing, printed
from tests.build import Reports, known
from tests.eval.metrics.faithfulness.reports import BED, BOWL, ORDER, PAGE, WALL

METRICS = ("faithfulness", "quality", "pairwise")
MODELS = {role: RoleModel(spec="x:m", kind="llm") for role in ("researcher", "report")}
SYSTEMS = {
    f"{agent}{'+ws' * is_ws}@m": System(agent=agent, web_mode="ws" if is_ws else "snippets", models=MODELS)
    for agent, is_ws in (
        ("plan_to_function", True),
        ("react", False),
        ("react", True),
        ("hybrid_react", True),
        ("grounded_hybrid", False),
    )
}
GONE = build.evidence("P:B0GONE0001", looked_up=True, state="not_found")
LOST = build.evidence("W:aaaaaaaa", url="https://lost.example/page", looked_up=True, state="not_found")
UNREAD = build.evidence("W:bbbbbbbb", build.text("A snippet.", "snippet"), url="https://later.example/page")
EVIDENCE = (BED, BOWL, ORDER, PAGE, WALL, GONE, LOST, UNREAD)
MARKS = (*(f"[{entry.id}]" for entry in EVIDENCE), "[P:B0STRANGE1]", "[W:zzzzzzzz]")
"""The last two nobody was handed."""


def drawn(*about: object) -> random.Random:
    return random.Random(sha256_of([str(each) for each in about]))


def report(random_: random.Random, marks: Sequence[str]) -> str:
    """A report of sentences with no mark, one, or two."""
    sentences: list[str] = []
    for number in range(random_.randint(1, 9)):
        its = "".join(f" {mark}" for mark in random_.sample(marks, random_.choice((0, 1, 1, 2)))) if marks else ""
        sentences.append(f"Finding {random_.randint(1, 999)} of part {number} holds{its}.")
    return " ".join(sentences)


def made(label: str, name: str, marks: Sequence[str], failing: float) -> Run:
    """A run, which fails by chance."""
    random_ = drawn(label, name)
    text = None if random_.random() < failing else report(random_, marks)
    return build.run(name, text, label=label)


def answer(question: str, judge: str, failing: float) -> Any:
    """What a judge says, drawn by the question alone."""
    random_ = drawn(judge, question)
    if random_.random() < failing:
        return ModelError("refusal", "no answer")
    if question.startswith("You extract information"):
        return {"claims": list(claims(tag_content("report", question) or "", all_="Never infer" in question))}
    if "full_support" in question:
        label = random_.choice(("full_support", "partial_support", "no_support"))
        return {"support": label, "justification": "So."}
    if "`winner`" in question:
        return {"justification": "So.", "winner": random_.choice("AB")}
    return {"justification": "So.", "rating": random_.randint(0, 10)}


def claims(text: str, *, all_: bool) -> Iterator[dict[str, Any]]:
    """A claim for each sentence of a report, or for those with a mark."""
    number = 0
    for sentence in re.split(r"(?<=\.) ", text.strip()):
        sources = re.findall(r"\[([^]]+)\]", sentence)
        if sources or all_:
            number += 1
            words = re.sub(r" ?\[[^]]+\]", "", sentence)
            yield {"claim_id": number, "claim": words, "quote": "", "sources": sources}


def judge(name: str, failing: float) -> Judge:
    return build.scripted_judge(lambda question: answer(question, name, failing), name=name)[0]


def experiment(
    folder: Path, *, queries: int, users: int, repeats: int = 1, failing: float = 0.0, uncited: str = ""
) -> Path:
    """Reports of five systems; those of the one that is ``uncited`` cite nothing."""
    names = [f"q{query}-r{repeat}" for query in range(1, queries + 1) for repeat in range(1, repeats + 1)]
    systems: Mapping[str, Reports] = {
        label: {name: made(label, name, () if label == uncited else MARKS, failing) for name in names}
        for label in SYSTEMS
    }
    of_user = {f"q{query}": f"u{query % users}" for query in range(1, queries + 1) if query > 1}
    held: Sequence[Evidence] = EVIDENCE
    return build.experiment(folder, systems, of=SYSTEMS, users=of_user, evidence=held)


CASES: Mapping[str, Mapping[str, Any]] = {
    "failed runs, and reports without citations": {"queries": 5, "users": 5, "failing": 0.2, "uncited": "react@m"},
    "several queries a user and several repeats": {"queries": 3, "users": 2, "repeats": 2},
    "all of it": {"queries": 4, "users": 2, "repeats": 2, "failing": 0.3, "uncited": "react@m"},
}
PAIRS = [f"{a}~{b}" for a, b in combinations([label for label in SYSTEMS if "+ws" in label], 2)]


@pytest.mark.parametrize("case", CASES)
def test_no_cell_differs_from_what_the_files_say(tmp_path: Path, case: str) -> None:
    folder = experiment(tmp_path / "exp", **CASES[case])
    one, other = (judge(name, failing=0.15 if case == "all of it" else 0.0) for name in ("one", "other"))
    shown: list[str] = []
    for judges in ([one], [other, one]):  # the board is that of who was asked last, and first
        scored(folder, *judges)
        assert differing(folder) == []
        shown.append(json.dumps(printed(folder)["Table 2"]))
    assert shown[0] != shown[1]
    view = read_paper_view(folder, None)
    assert view.tables[1].table.notes[0] == "Judged here by scripted:other, rules paper."
    (overall,) = (row for row in view.tables[-1].here if row.name.startswith("overall"))
    expected = rho(Files(folder), "overall", "scripted:one", "scripted:other")
    assert known(overall.cells[0]).value == pytest.approx(expected)


def scored(folder: Path, *judges: Judge) -> None:
    build.scored(folder, METRICS, *judges, rules="paper", pairs=PAIRS)
    pack_below(folder / "verdicts")
