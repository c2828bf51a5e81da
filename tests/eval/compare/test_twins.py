"""The same systems on twins of queries and in two experiments."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.api.compare import compare
from drretail.errors import UserError
from drretail.eval.compare.ablations import all_ablations
from drretail.eval.compare.comparing import compare_beside
from drretail.eval.compare.twins import twin_rows
from drretail.experiment import read_definition, reference_path, write_definition
from drretail.files import write_json
from drretail.records.query import Proof, Reference, WantedThing
from drretail.records.reading import Outcome
from drretail.records.wish import Want, Wish
from drretail.viewer.experiment import read_view
from drretail.viewer.page.appendix import render_scores
from drretail.viewer.tables.ablations import twin_table
from tests import build
from tests.build import SYSTEM, Reports, experiment, known
from tests.eval.compare.crafted import CODE, gathered, runs
from tests.eval.own import STUB

WISH = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),))
DECIDED = {
    "honest": ("none", "buy", "none", "buy"),
    "quitter": ("none", "none", "none", "none"),
    "late": ("buy", "none"),
}
"""What each system decides on q1 (proved), q2 (its twin), q3 (proved), q4 (its twin)."""


def folder(path: Path, *, tasks: bool = True, level: int | None = None) -> Path:
    """Twins of two tasks; with a ``level`` the second task is that hard, and the first one easy."""
    levels = [None] * 4 if level is None else [0, 0, level, level]
    queries = tuple(
        build.query(f"q{n}", wish=WISH, task_id=f"t{(n + 1) // 2}" if tasks else None, level=of_query)
        for n, of_query in enumerate(levels, 1)
    )
    runs = {
        label: {
            f"q{n}-r1": build.run(
                f"q{n}-r1", picks=(), label=label, outcome=Outcome.model_validate({"decision": decision})
            )
            for n, decision in enumerate(decisions, start=1)
        }
        for label, decisions in DECIDED.items()
    }
    build.experiment(path, runs, queries=queries)
    for n in range(1, 5):
        proof = Proof(state="proved", lack="owned") if n % 2 else Proof(state="refuted")
        reference = Reference(query_id=f"q{n}", things=(WantedThing(name="feeder"),), proof=proof)
        write_json(reference_path(path, f"q{n}"), reference.model_dump(mode="json", exclude_none=True))
    return path


def judged(path: Path) -> Path:
    build.scored(path, ["outcome"])
    return path


def test_a_row_says_how_each_system_decided_its_pairs_and_without_pairs_how_to_make_them(tmp_path: Path) -> None:
    path = judged(folder(tmp_path / "exp"))
    rows = {row.system: row for row in twin_rows(path)}
    assert (rows["honest"].right, rows["honest"].j) == (2, 1.0)
    assert (rows["quitter"].refused_both, rows["quitter"].j, rows["quitter"].p) == (2, 0.0, 1.0)
    assert (rows["late"].reversed, rows["late"].missing, rows["late"].j) == (1, 1, -1.0)
    shown = {row.name: [cell and cell.text for cell in row.cells] for row in twin_table(list(rows.values())).rows}
    assert shown["quitter"] == ["0", "2", "0", "0", "0", "0.00", "1.000"]

    written = read_definition(path)
    alone = {query: {"task_id": "alone"} if query == "q3" else {} for query in ("q1", "q2", "q3", "q4")}
    kept = tuple(query.model_copy(update=alone[query.query_id]) for query in written.queries)
    write_definition(path, written, kept)
    assert {row.system: row.right + row.missing for row in twin_rows(path)} == {"honest": 1, "quitter": 0, "late": 0}

    with pytest.raises(UserError, match="queries spoil"):
        twin_rows(judged(folder(tmp_path / "apart", tasks=False)))
    with pytest.raises(UserError, match="--metrics outcome"):
        twin_rows(folder(tmp_path / "other"))


def test_the_page_has_one_table_by_intent_moves_level_and_twin_each(tmp_path: Path) -> None:
    """One agent asks and does not, in a shop that moves and does not."""
    settings = [
        {"intent": intent} | moves for intent in ("mute", "asked") for moves in ({}, {"moves": "prices:0.2,stock:0.1"})
    ]
    systems = {str(at): SYSTEM.model_copy(update={"options": options}) for at, options in enumerate(settings)}
    values = {label: runs([0.2, 0.4, 0.6, 0.8]) for label in systems}
    made = gathered(("basket", "utility_ratio", CODE, values), ("moves", "utility", CODE, values))
    ablations = tuple(all_ablations(replace(made, definition=build.definition([*made.definition.queries], systems))))
    view = read_view(judged(folder(tmp_path / "exp", level=7)))
    html = render_scores(replace(view, scores=view.scores.model_copy(update={"ablations": ablations})), ())
    assert re.findall(r'id="by-(\w+)"', html) == ["intent", "moves", "level", "twin"]
    parts = dict(re.findall(r'id="by-(\w+)"(.*?)(?=<h3|$)', html, re.DOTALL))
    shown = {name: part.partition("<details")[0] for name, part in parts.items()}
    titles = {name: re.findall("<h4>(.*?)</h4>", part) for name, part in shown.items()}
    assert titles["intent"] == ["Basket: utility ratio by intent, by code"]
    assert titles["moves"] == ["Moves: utility by moves, by code"]
    assert all("1 more table" in parts[name] for name in ("intent", "moves"))
    assert "prices:0.2, stock:0.1" in shown["moves"]
    assert ("level 0" in shown["level"], "level 7" in shown["level"]) == (True, True)
    assert "quitter" in shown["twin"]
    untwinned = read_view(judged(folder(tmp_path / "other", tasks=False)))
    assert 'id="by-' not in render_scores(untwinned, ())


def test_scores_by_level_are_compared(tmp_path: Path) -> None:
    experiment = judged(folder(tmp_path / "exp", level=7))
    compared = compare(experiment, by="level", metrics=["outcome:refusal_recall"])
    levels = known(compared.sliced)
    found = {(row.system, row.part): row.value for row in levels.slices}
    assert found["honest", "level 0"] == found["honest", "level 7"] == 1.0
    assert {name for _, name in found} == {"level 0", "level 7"}
    assert "refusal_recall by level" in repr(compared.result())
    with pytest.raises(UserError, match="queries difficulty"):
        compare(judged(folder(tmp_path / "other")), by="level")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ["outcom"]}, "no metric 'outcom'. Did you mean outcome?"),
        ({"metrics": ["outcome:nosuch"]}, "no variant of outcome 'nosuch'. Known are"),
        ({"metrics": ["basket", "pairwise"]}, "pairwise judges two reports at once"),
        ({"metrics": ["basket"]}, "has no scores by level of basket; it has some of outcome."),
        ({"judges": ["nosuch"]}, "no judge with scores here 'nosuch'. Known are code."),
    ],
)
def test_what_has_no_scores_by_level_is_named(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    experiment = folder(tmp_path / "exp", level=7)
    with pytest.raises(UserError, match="has no scores yet: drretail score"):
        compare(experiment, by="level", **options)
    with pytest.raises(UserError, match=re.escape(message)):
        compare(judged(experiment), by="level", **options)


A, B = "react@model", "hybrid@model"


def stubbed(folder: Path, systems: Mapping[str, Reports]) -> Path:
    experiment(folder, systems)
    build.scored(folder, (STUB,))
    return folder


def values(at: float) -> Reports:
    return {f"q{number}-r1": str(round(at + number / 100, 2)) for number in range(12)}


def test_a_system_is_paired_with_itself_query_by_query_and_what_nothing_shares_is_told(tmp_path: Path) -> None:
    here = stubbed(tmp_path / "here", {A: values(0.8), B: values(0.5)})
    there = stubbed(tmp_path / "there", {A: values(0.3), B: values(0.5)})
    made = {each.a: each for each in compare_beside(here, there, metrics=[STUB])}
    assert {each.b for each in made.values()} == {f"{A}@there", f"{B}@there"}
    rows = {label: next(row for row in one.tables[0].rows if row.variant == "said") for label, one in made.items()}
    assert (rows[A].difference, rows[A].n_pairs, rows[A].outcome) == (pytest.approx(0.5), 12, "higher")
    assert (rows[B].difference, rows[B].n_pairs) == (0, 12)

    other = stubbed(tmp_path / "other", {A: {"q77-r1": "0.5"}})
    assert [each.a for each in compare_beside(here, there, "react", metrics=[STUB])] == [A]
    with pytest.raises(UserError, match="share no system, or no query"):
        compare_beside(here, other, metrics=[STUB])
    with pytest.raises(UserError, match="is the experiment itself"):
        compare_beside(here, here, metrics=[STUB])
