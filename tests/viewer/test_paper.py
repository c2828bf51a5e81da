import json
from functools import partial
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev

import pytest

from drretail.errors import UserError
from drretail.eval.scores.board import Board, write_board
from drretail.files import write_json, write_lines
from drretail.records.base import ModelKind
from drretail.records.comparison import Share
from drretail.records.run import RoleModel, Run, Step, System, Usage
from drretail.records.score import Agreement, Score, Scores
from drretail.records.tables.table import Row
from drretail.records.vote import Choice, Vote
from drretail.viewer.paper import (
    HERE,
    SYSTEMS,
    PaperTable,
    PaperView,
    columns_of,
    people_agree,
    read_paper_view,
    rows_of,
)
from tests import build
from tests.eval.compare.crafted import preference
from tests.viewer import scores
from tests.viewer.agents import vote

MODEL = RoleModel(spec="anthropic:m", kind="llm")


def system(name: str, **options: object) -> System:
    agent, _, web = name.partition("+")
    return System(agent=agent, web_mode="ws" if web else "snippets", models={"report": MODEL}, options=dict(options))


def label(name: str) -> str:
    return system(name).label()


def experiment(folder: Path, *names: str, extra: tuple[System, ...] = ()) -> Path:
    """Two queries; each system answers the first in ten words with three calls of tools, and fails the second."""
    systems = {one.label(): one for one in (*map(system, names), *extra)}
    queries = [build.query(name, expected_tools=("web_search",)) for name in ("q1", "q2")]
    runs = {name: {"q1-r1": done(name), "q2-r1": None} for name in systems}
    return build.experiment(folder, runs, queries=queries, of=systems)


def done(name: str) -> Run:
    tools = ("web_search", "web_search", "calculator", "reason")
    calls = tuple(Step(path="0", seq=n, kind="tool", role="report", name=tool) for n, tool in enumerate(tools))
    usage = {"report": Usage(calls=1, input_uncached=1500, cache_read=500, output=250)}
    report = "one two three four five six seven eight nine ten"
    return build.run("q1-r1", report, label=name, steps=calls, usage=usage)


score = partial(scores.score, judge="anthropic:j", n_planned=2, n_scored=1, n_failed=1)


def keep(folder: Path, *rows: Score, judges: tuple[str, ...] = ("anthropic:j",), **others: object) -> None:
    write_board(folder, Board(judge=judges))
    scores = Scores.model_validate({"scores": rows, "judgings": (), **others})
    write_json(folder / "scores.json", scores.model_dump(mode="json", exclude_none=True))


def table(view: PaperView, name: str) -> PaperTable:
    (found,) = [table for table in view.tables if table.name == name]
    return found


def here(view: PaperView, name: str) -> list[Row]:
    return table(view, name).here


def values(row: Row) -> tuple[float | str | None, ...]:
    """The row's values but for where it is from."""
    assert row.cells[0] == HERE
    return tuple(None if cell is None else cell.value for cell in row.cells[1:])


def test_each_system_stands_above_its_line_of_the_paper_and_others_below(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", "react", "react+ws", extra=(system("react", without=["web"]),))
    names = [
        (row.name, row.cells[0] and row.cells[0].value)
        for row in table(read_paper_view(folder, None), "Table 5").table.rows
        if row.name.startswith("react")
    ]
    assert names == [
        (label("react"), "here"),
        ("react", "paper"),
        (label("react+ws"), "here"),
        ("react+ws", "paper"),
        (system("react", without=["web"]).label(), "here"),
    ]


def test_tokens_words_and_calls_are_those_of_finished_runs(tmp_path: Path) -> None:
    view = read_paper_view(experiment(tmp_path / "exp", "react"), None)
    (row,) = here(view, "Table 5")
    assert values(row) == (2.0, 0.25, 10, 10, 3)
    assert [cell and (cell.n, cell.planned) for cell in row.cells[1:]] == [(1, 2)] * 5
    (cost,) = (each for each in view.document()["tables"] if each["name"] == "Table 5")
    (shown,) = (each for each in cost["rows"] if each["source"] == "here")
    assert shown["input tokens (k)"] == {"value": 2.0, "n": 1, "planned": 2}
    (calls,) = here(view, "Figure 4")
    tools = [column.name for column in table(view, "Figure 4").table.columns[1:]]
    counted = dict(zip(tools, values(calls), strict=True))
    assert (counted["web_search"], counted["calculator"], counted["get_user_orders"]) == (2, 1, 0)
    assert any("1 run of" in sentence for sentence in view.settings)


@pytest.mark.parametrize(
    ("judges", "chosen"),
    [
        ([("offline:judge", "rule_based"), ("anthropic:j", "llm")], "anthropic:j"),
        ([("anthropic:j", "llm"), ("openai:k", "llm"), ("panel(median):anthropic:j+openai:k", "llm")], "openai:k"),
        ([("offline:judge", "rule_based")], "offline:judge"),
    ],
)
def test_one_judge_alone_stands_beside_the_paper(
    tmp_path: Path, judges: list[tuple[str, ModelKind]], chosen: str
) -> None:
    folder = experiment(tmp_path / "exp", "react")
    rows = [
        score(label("react"), value=place / 10, judge=judge, judge_kind=kind)
        for place, (judge, kind) in enumerate(judges)
    ]
    keep(folder, *rows, judges=("offline:judge", "openai:k", "anthropic:j"))
    view = read_paper_view(folder, None)
    assert len(here(view, "Table 1")) == 1
    note, whose = table(view, "Table 1").table.notes
    assert "that FP is computed per report" in whose
    assert "is an inference" in whose
    assert note == f"Judged here by {chosen}, rules default."


def test_ratings_by_rules_are_missing_pairs_are_figure_6_and_agreement_is_appendix_e(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", "react", "react+ws", "hybrid_react+ws", "plan_to_function+ws")
    of_judge = {"version": 1, "dimension": "depth", "judge": "anthropic:j", "judge_kind": "llm"}
    shares = {"win": Share(value=0.6), "tie": Share(value=0.1), "loss": Share(value=0.3)}
    counts = {"n_planned": 2, "n_scored": 1, "n_failed": 1}
    one = preference(a=label("hybrid_react+ws"), b=label("react+ws"), **of_judge, **shares, **counts)
    other = one.model_copy(update={"a": label("react"), "b": label("react+ws")})
    by_rules = {"judge": "offline:judge", "judge_kind": "rule_based", "note": "not rated (rule-based)"}
    params = "1f-prompts-mine-2a"
    rated = score(label("react"), "depth", metric="quality", value=None, judge_params=params, **by_rules)
    agreed = {"metric": "quality", "variant": "depth", "first": "a:1", "second": "b:2", "rho_report": 0.8}
    agreement = Agreement.model_validate({**agreed, "n_reports": 4, "n_dropped": 0, "n_systems": 1})
    keep(
        folder,
        rated,
        pairs=(one.model_copy(update={"judge": "panel(majority):anthropic:j+b"}), one, other),
        agreements=(agreement, agreement.model_copy(update={"metric": "faithfulness"})),
        judges=(f"offline:judge {params}", "anthropic:j"),
    )
    view = read_paper_view(folder, None)
    assert "judges mine-2a." in " ".join(view.settings)
    assert set(values(here(view, "Table 2")[0])) == {None}
    assert "a language model" in " ".join(table(view, "Table 2").missing)
    (row,) = here(view, "Figure 6")
    assert values(row) == (0.6, 0.1, 0.3, 1)
    (found,) = here(view, "Appendix E")
    assert (found.name, values(found)) == ("depth", (0.8, 4, None, 1))
    assert table(view, "Appendix E").table.notes[0] == "Judged here by a:1 and b:2, rules default."


def votes(folder: Path, *given: Vote) -> None:
    for person in {one.annotator for one in given}:
        write_lines(folder / "votes" / f"{person}.jsonl", [one.as_line() for one in given if one.annotator == person])


def test_two_peoples_votes_give_kappa_without_ties_and_the_last_vote_holds(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", "react")
    ann = [vote("ann", pair, choice) for pair, choice in zip("12345", ("a", "b", "a", "b", "tie"), strict=True)]
    ben = [vote("ben", pair, choice) for pair, choice in zip("12345", ("a", "b", "a", "a", "a"), strict=True)]
    votes(folder, *ann, vote("ben", "4", "b"), *ben[:3], ben[3], ben[4])
    (row,) = here(read_paper_view(folder, None), "Appendix D")
    # Of 1 to 4: ann a b a b, ben a b a a: p_o = 3/4, p_e = (2·3 + 2·1) / 16 = 1/2
    assert values(row) == (pytest.approx(0.5), 5, 4, 0.5)
    votes(folder, *ann, *ben, vote("ben", "4", "b"))
    assert values(here(read_paper_view(folder, None), "Appendix D")[0])[0] == 1


def coins(seed: int, systems: int, ties: float = 0.0) -> list[Vote]:
    """Two people who toss a coin over 30 queries of every two systems, which each line names in either order."""
    lot = Random(seed)
    labels = [f"s{number}" for number in range(systems)]
    made: list[Vote] = []
    for person in ("ann", "ben"):
        for pair in combinations(labels, 2):
            for query in range(30):
                a, b = lot.sample(pair, 2)
                choice: Choice = "tie" if lot.random() < ties else lot.choice(("a", "b"))
                made.append(vote(person, f"{'~'.join(pair)}~{query}", choice, a=a, b=b))
    return made


@pytest.mark.parametrize("systems", [2, 3, 6])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_coins_agree_as_chance_does_among_any_number_of_systems(systems: int, ties: float) -> None:
    kappas: list[float] = []
    for seed in range(40):
        (row,) = people_agree(coins(seed, systems, ties)).here
        value, _, decided = values(row)[:3]
        assert isinstance(value, float)
        assert isinstance(decided, int)
        assert abs(value) < 4 / sqrt(decided), seed
        kappas.append(value * sqrt(decided))  # with a standard deviation of 1
    assert abs(mean(kappas)) < 3.5 / sqrt(len(kappas))
    assert 0.6 < stdev(kappas) < 1.4


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        ([json.dumps({"format": 1, "choice": "left"})], r"ann\.jsonl, vote 1, is none"),
        ([vote("ann", "1", "a").as_line(), '{"format": 1, "choi'], r"ann\.jsonl, line 2, is not JSON"),
        (
            [vote("ann", "1", "a", dimension="dephts").as_line()],
            r"no dimension \(.*ann\.jsonl, vote 1\) 'dephts'. Did you mean depth",
        ),
    ],
)
def test_what_is_no_vote_is_named(tmp_path: Path, lines: list[str], match: str) -> None:
    folder = experiment(tmp_path / "exp", "react")
    write_lines(folder / "votes" / "ann.jsonl", lines)
    with pytest.raises(UserError, match=match):
        read_paper_view(folder, None)


def test_the_papers_tables_have_every_system_and_add_up_as_they_do_in_the_paper() -> None:
    for table in ("faithfulness", "quality", "cost"):
        rows = rows_of(table)
        assert tuple(rows) == SYSTEMS
        assert {len(cells) for cells in rows.values()} == {len(columns_of(table))}
    for cells in rows_of("faithfulness").values():
        cited, web, product = (cell.value for cell in cells[4:] if isinstance(cell.value, float))
        assert cited == pytest.approx(web + product)
    for cells in rows_of("quality").values():
        *ratings, average = (cell.value for cell in cells if isinstance(cell.value, float))
        assert average == pytest.approx(mean(ratings), abs=0.0051)
