"""The tables as the paper has them. Also tests published.py.

tables_markdown: tests/addons/reproduction/test_reproduce.py.
"""

import json
from pathlib import Path
from random import Random

import pytest

from drretail import report
from drretail.errors import UserError
from drretail.eval.numbers.judges import Board, write_board
from drretail.files import write_json, write_lines
from drretail.records.run import NINE, RoleModel, Run, Step, System, Usage
from drretail.records.score import Agreement, Scores, ShownColumn
from drretail.records.vote import Vote
from drretail.viewer.drawing.table import Row
from drretail.viewer.paper import PaperView, read_paper_view
from drretail.viewer.published import PaperTable, published
from tests import build
from tests.build import known
from tests.eval.numbers.crafted import preference
from tests.viewer import scores
from tests.viewer.agents import vote

MODEL = RoleModel(spec="anthropic:m", kind="llm")


def system(name: str) -> System:
    agent, _, web = name.partition("+")
    return System(agent=agent, web_mode="ws" if web else "snippets", models={"report": MODEL})


def experiment(folder: Path, *names: str) -> Path:
    """Two queries; each system answers the first in ten words with three calls of tools, and fails the second."""
    systems = {one.label(): one for one in map(system, names)}
    queries = [build.query(name, expected_tools=("web_search",)) for name in ("q1", "q2")]
    runs = {name: {"q1-r1": done(name), "q2-r1": None} for name in systems}
    return build.experiment(folder, runs, queries=queries, of=systems)


def done(name: str) -> Run:
    tools = ("web_search", "web_search", "calculator", "reason")
    calls = tuple(Step(path="0", seq=n, kind="tool", role="report", name=tool) for n, tool in enumerate(tools))
    usage = {"report": Usage(calls=1, input_uncached=1500, cache_read=500, output=250)}
    report = "one two three four five six seven eight nine ten"
    return build.run("q1-r1", report, label=name, steps=calls, usage=usage)


def table(view: PaperView, name: str) -> PaperTable:
    (found,) = [table for table in view.tables if table.name == name]
    return found


def here(view: PaperView, name: str) -> list[Row]:
    return table(view, name).here


def values_of(row: Row) -> tuple[float | str | None, ...]:
    return tuple(None if cell is None else cell.value for cell in row.cells)


def test_tokens_words_and_calls_are_those_of_finished_runs(tmp_path: Path) -> None:
    view = read_paper_view(experiment(tmp_path / "exp", "react"), None)
    (row,) = here(view, "Table 5")
    assert values_of(row) == (2.0, 0.25, 10, 3)
    assert [cell and (cell.n, cell.planned) for cell in row.cells] == [(1, 2)] * 4
    (cost,) = (each for each in view.document()["tables"] if each["name"] == "Table 5")
    (shown,) = (each for each in cost["rows"] if each["source"] == "here")
    assert shown["input tokens (k)"] == {"value": 2.0, "n": 1, "planned": 2}
    assert any("1 run of" in sentence for sentence in view.settings)
    (of_tools,) = here(view, "Figure 4")
    assert dict(zip(published()["calls"]["columns"], values_of(of_tools), strict=True)) == {
        **dict.fromkeys(NINE, 0.0),
        "web_search": 2.0,
        "calculator": 1.0,
    }


def test_preferences_are_win_rates_by_pair_and_dimension_of_the_judge_whom_the_board_shows(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", "react", "hybrid_react")
    a, b = map(System.label, map(system, ("hybrid_react", "react")))
    pair = {"version": 1, "judge_kind": "llm", "a": a, "b": b, "n_planned": 4, "n_scored": 3, "win": {"value": 0.5}}
    rows = [
        preference(**pair, judge=judge, dimension="overall", win_rate=rate)
        for judge, rate in (("p:x", 0.6), ("p:m", 0.8))
    ]
    write_board(folder, Board(judge=("p:m",)))
    write_json(folder / "scores.json", Scores(scores=(), judgings=(), pairs=tuple(rows)).document())
    (row,) = here(read_paper_view(folder, None), "Figure 6")
    assert (row.name, known(row.cells[-1]).whole) == (f"{a} over {b}", "0.80, 3 of 4")


def test_the_boards_own_table_stands_above_the_papers_with_eq_2_of_its_columns(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", "react")
    columns = [
        ShownColumn(name=variant, variant=variant, metric="faithfulness", table="Table 1")
        for variant in ("FP", "FP_web", "FP_product")
    ]
    values = {"FP": 0.8, "FP_web": 0.6, "FP_product": 0.9}
    cells = {name: scores.cell(value, 2, n_scored=1, variant=name) for name, value in values.items()}
    board = scores.board({system("react").label(): cells}, columns=tuple(columns))
    agreed = {"metric": "quality", "variant": "depth", "first": "a:1", "second": "b:2", "rho_report": 0.8}
    agreement = Agreement.model_validate({**agreed, "n_reports": 4, "n_dropped": 0, "n_systems": 1})
    write_board(folder, Board(judge=("anthropic:j 057c", "openai:k")))
    agreements = (agreement, agreement.model_copy(update={"metric": "faithfulness"}))
    kept = Scores(scores=(), judgings=(), scoreboard=board, agreements=agreements)
    write_json(folder / "scores.json", kept.model_dump(mode="json", exclude_none=True))
    view = read_paper_view(folder, None)
    (row,) = here(view, "Table 1")
    assert values_of(row) == (0.8, 0.75, 0.6, 0.9, None, None, None, None)
    first, last = table(view, "Table 1").table.rows[0], table(view, "Table 1").table.rows[-1]
    assert known(first.cells[0]).counts == "1 of 2"
    assert (last.name, values_of(last)[:4]) == ("hybrid_react+ws (paper)", (0.69, pytest.approx(0.685), 0.61, 0.76))
    note, whose = table(view, "Table 1").table.notes
    assert "that FP is computed per report" in whose
    assert note == "Judged here by a:judge, rules default."
    assert [text.partition(":")[0] for _, text in view.missing][:3] == [
        "not run here",
        "faithfulness by the paper's rules",
        "not run here",
    ]
    command = table(view, "Table 1").missing[1].partition(": ")[2]
    assert command.endswith("--rules paper --judge anthropic:j --judge openai:k")
    assert "quality of a language model" in " ".join(table(view, "Table 2").missing)
    rated = kept.model_copy(update={"scores": (scores.score("a", "overall", metric="quality", judge="b:other"),)})
    write_json(folder / "scores.json", rated.document())
    command = table(read_paper_view(folder, None), "Table 2").missing[-1].partition(": ")[2]
    assert command.endswith("--metrics quality --rules default --judge b:other"), "which asks nothing again"
    assert report(folder, form="latex").hints == ["Also judged by b:other: --details has these tables."]
    (found,) = here(view, "Appendix E")
    assert (found.name, values_of(found)) == ("depth (a:1 and b:2, rules default)", (0.8, 4, None, 1))


def votes(folder: Path, *given: Vote) -> None:
    for person in {one.annotator for one in given}:
        write_lines(folder / "votes" / f"{person}.jsonl", [one.as_line() for one in given if one.annotator == person])


def test_two_peoples_votes_give_kappa_without_ties_and_the_last_vote_holds(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path / "exp", {"a": {"q1-r1": "one"}, "b": {"q1-r1": "two"}})
    ann = [vote("ann", pair, choice) for pair, choice in zip("12345", ("a", "b", "a", "b", "tie"), strict=True)]
    ben = [vote("ben", pair, choice) for pair, choice in zip("12345", ("a", "b", "a", "a", "a"), strict=True)]
    votes(folder, *ann, vote("ben", "4", "b"), *ben[:3], ben[3], ben[4])
    (row,) = here(read_paper_view(folder, None), "Appendix D")
    # Of 1 to 4: ann a b a b, ben a b a a: p_o = 3/4, p_e = (2·3 + 2·1) / 16 = 1/2
    assert values_of(row) == (pytest.approx(0.5), 5, 4, 0.5)
    votes(folder, *ann, *ben, vote("ben", "4", "b"))
    assert values_of(here(read_paper_view(folder, None), "Appendix D")[0])[0] == 1


@pytest.mark.parametrize("systems", [2, 3, 6])
@pytest.mark.parametrize(("sure", "expected"), [(0.95, 0.81), (0.5, 0)], ids=["85 % prefer one", "coins"])
def test_kappa_is_over_the_sides_that_were_shown(tmp_path: Path, systems: int, sure: float, expected: float) -> None:
    """Two people say with probability ``sure`` which report is better; of 85 % of the pairs it is the same system's."""
    draw = Random(systems)
    folder = build.experiment(tmp_path / "exp", {f"s{number}": {"q1-r1": "one"} for number in range(systems)})
    given: list[Vote] = []
    for pair in range(800):
        a, b = draw.sample([f"s{number}" for number in range(systems)], 2)
        better = "a" if (a < b) == (draw.random() < 0.85) else "b"
        for person in ("ann", "ben"):
            choice = better if draw.random() < sure else "b" if better == "a" else "a"
            left = draw.choice(("a", "b"))
            given.append(vote(person, str(pair), choice, a=a, b=b).model_copy(update={"shown_left": left}))
    votes(folder, *given)
    (row,) = here(read_paper_view(folder, None), "Appendix D")
    assert values_of(row)[0] == pytest.approx(expected, abs=0.08)


def test_what_is_no_vote_is_named(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", "react")
    unknown = r"no dimension \(.*ann\.jsonl, vote 1\) 'dephts'. Did you mean depth"
    for lines, match in (
        ([json.dumps({"format": 1, "choice": "left"})], r"ann\.jsonl, vote 1, is none"),
        ([vote("ann", "1", "a").as_line(), '{"format": 1, "choi'], r"ann\.jsonl, line 2, is not JSON"),
        ([vote("ann", "1", "a", dimension="dephts").as_line()], unknown),
    ):
        write_lines(folder / "votes" / "ann.jsonl", lines)
        with pytest.raises(UserError, match=match):
            read_paper_view(folder, None)
