"""The sentences before the numbers: what is shown, what is not, and no more than that."""

from drretail.records.scoreboard import BoardCell, BoardJudge, BoardRow, Scoreboard, ShownColumn
from drretail.viewer.tables.scoreboard import conclusion

_FP = ShownColumn(name="FP", metric="faithfulness", variant="FP", meaning="share of claims that hold")


def _board(*differs: str, systems: tuple[str, ...] = ("react@m", "hybrid_react@m", "oracle")) -> Scoreboard:
    cell = BoardCell(value=0.8, ci_low=0.7, ci_high=0.9, n_scored=5, n_planned=5)
    rows = tuple(BoardRow(system=system, cells={"FP": cell}) for system in systems)
    return Scoreboard(judge=BoardJudge(spec="a:judge"), columns=(_FP,), rows=rows, differs=differs)


def test_what_is_shown_stands_before_what_is_not() -> None:
    result = conclusion(_board("FP: hybrid_react above react.", "clean: no difference is shown by 5 queries."))
    assert result.can == "It can be concluded: FP: hybrid_react above react."
    assert result.cannot == "Not yet: clean: no difference is shown by 5 queries."


def test_where_nothing_is_shown_no_system_is_called_better() -> None:
    result = conclusion(_board("FP: nothing is concluded from offline:judge, which follows rules."))
    assert result.can == "No system is shown to be better than another."
    assert "offline:judge" in result.cannot


def test_one_system_is_told_by_its_first_score() -> None:
    alone = "One system researches: there is nothing to compare it with."
    result = conclusion(_board(alone, systems=("react@m", "null_search")))
    assert result.can == "react@m: FP 0.80 (.70–.90), share of claims that hold."
    assert result.cannot == alone


def test_one_system_is_told_by_a_score_that_half_of_its_reports_have() -> None:
    few, most = BoardCell(value=0, n_scored=1, n_planned=20), BoardCell(value=0.5, n_scored=19, n_planned=20)
    fr = ShownColumn(name="FR", metric="faithfulness", variant="FR", meaning="share of claims with a source")
    row = BoardRow(system="gpt", cells={"FP": few, "FR": most})
    board = Scoreboard(judge=BoardJudge(spec="a:judge"), columns=(_FP, fr), rows=(row,), differs=())
    assert conclusion(board).can == "gpt: FR 0.50 on 19/20 reports, share of claims with a source."
    only_few = board.model_copy(update={"columns": (_FP,)})
    assert conclusion(only_few).can == "Nothing is scored on half of the reports yet."


def test_many_sentences_are_cut_and_the_rest_is_counted() -> None:
    result = conclusion(_board(*(f"m{each}: a above b." for each in range(6))))
    assert result.can.count("above") == 3
    assert result.can.endswith("and 3 more below.")
