"""scores.json of version 1.0, in which slices, cells of settings and counterfactuals were records of their own."""

from collections.abc import Mapping
from typing import Any

from drretail.eval.compare.rows import outcome_of
from drretail.eval.compare.wording import SIDE_BY_SIDE
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.facts import AS_ZERO, OF_COSTS
from drretail.eval.scores.gathering import LACKS_IN_WORDS
from drretail.records.base import OfJudge
from drretail.records.comparison import ComparedRow, PairScore
from drretail.records.score import unfolded

_SLICE = {"name": "part", "n_queries": "n_asked"}
_CELL = {"setting": "part", "mean": "value", "n": "n_counted", "n_planned": "n_asked"}
_PART = {"version": 1, "policy": "planned", "n_planned": 0, "n_scored": 0}
_CODE = {"judge": "code", "judge_kind": "rule_based"}


def as_today(scores: dict[str, Any]) -> dict[str, Any]:
    """The content of the file with today's names. Scores of today stay as they are.

    Attacks, and slices by the parts of a wish, are left out: `drretail score` makes the first again.
    """
    board = scores.get("scoreboard") or {}
    # Rows by other judges, whose values are among the scores.
    others = [each.get("judge", each) for each in board.get("others", ())]
    slices = [row for row in scores.get("slices", ()) if row["by"] != "constraint"]
    return {
        **scores,
        "ranks": [row if "variant" in row else _strength(row) for row in unfolded(scores.get("ranks", ()))],
        "pairs": [row if "contrast" in row else _preference(row) for row in unfolded(scores.get("pairs", ()))],
        "scoreboard": _board({**board, "others": others}) if board else None,
        "slices": [row if "part" in row else {**_PART, **_renamed(row, _SLICE)} for row in slices],
        "ablations": [_table(table) for table in scores.get("ablations", ())],
        "counterfactuals": [_counterfactual(row) for row in scores.get("counterfactuals", ())],
        "attacks": [table for table in scores.get("attacks", ()) if "rows" in table],
    }


def _renamed(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in row.items()}


def _table(table: dict[str, Any]) -> dict[str, Any]:
    """A table of settings, whose cells did not repeat what the table is about, nor count reports."""
    about = {name: table[name] for name in (*OfJudge.model_fields, "by", "metric", "variant") if name in table}

    def today(cell: dict[str, Any]) -> dict[str, Any]:
        if "setting" not in cell:
            return cell
        read = {**_PART, **about, **_renamed(cell, _CELL)}
        read.pop("at", None)  # the setting as a number, which the condition knows
        return read

    return {**table, "rows": [{**row, "cells": [*map(today, row["cells"])]} for row in table["rows"]]}


def _board(board: dict[str, Any]) -> dict[str, Any]:
    """The scoreboard, whose cells were no rows of their own, and whose pairs stood beside the rows on them."""
    names, metrics = ({each["name"]: each.get(of, "") for each in board["columns"]} for of in ("variant", "metric"))
    lacks = {word: lack for lack, word in (LACKS_IN_WORDS | OF_COSTS).items()}

    def today(system: str, name: str, cell: dict[str, Any]) -> dict[str, Any]:
        if "metric" in cell:
            return cell
        missing = cell.get("missing", {})
        items = {lacks[why]: count for why, count in missing.items() if why in lacks}
        counts = {"n_na": missing.get("n/a", 0), "n_unverifiable": missing.get("unverifiable", 0)}
        counts |= {"n_failed": missing.get("failed", 0) + sum(items.values()), "n_zero": missing.get(AS_ZERO, 0)}
        about = {**_CODE, "metric": metrics[name], "variant": names[name], "version": 1, "system": system}
        rest = {name: value for name, value in cell.items() if name != "missing"}
        return {**about, **rest, **counts, "n_scored": cell["n_scored"] - counts["n_zero"], "items": items}

    rows = [
        {**row, "cells": {name: today(row["system"], name, cell) for name, cell in row.get("cells", {}).items()}}
        for row in board["rows"]
    ]
    compared = [{**each, "pairs": [*map(_contrast, each["pairs"])]} for each in board.get("compared", ())]
    return {**board, "rows": rows, "compared": compared}


def _contrast(pair: dict[str, Any]) -> dict[str, Any]:
    return {**pair["row"], "a": pair["a"], "b": pair["b"]} if "row" in pair else pair


def _strength(row: Mapping[str, Any]) -> dict[str, Any]:
    read = {"n_scored": 0, **_renamed(row, {"strength": "value", "dimension": "variant"})}
    opponents = {"opponents": read.pop("n_opponents", 0)}
    return {**read, "metric": PAIRWISE, "n_planned": read["n_scored"], "items": opponents}


def _preference(row: dict[str, Any]) -> dict[str, Any]:
    """A row of two systems side by side, whose numbers by query were no contrast of their own."""
    rate, n, won, lost = (row.get(name) for name in ("win_rate", "n_queries", "queries_won", "queries_lost"))
    n, won, lost = n or 0, won or 0, lost or 0
    ends = {"difference": rate, "ci_low": row.get("ci_low"), "ci_high": row.get("ci_high")}
    contrast = ComparedRow(
        metric=PAIRWISE,
        variant=row["dimension"],
        name=SIDE_BY_SIDE if row["dimension"] == PRIMARY else f"{row['dimension']} {SIDE_BY_SIDE}",
        mean_a=rate,
        mean_b=None if rate is None else 1 - rate,
        **{name: None if end is None else round(2 * end - 1, 10) for name, end in ends.items()},
        n_planned=n,
        n_pairs=n,
        above=won,
        equal=n - won - lost,
        below=lost,
        is_primary=row["dimension"] == PRIMARY,
        outcome="nothing",
        **{name: row[name] for name in ("no_interval", "n_users", "p", "p_holm", "tests") if name in row},
    )
    outcome = outcome_of(contrast, contrast.p_holm, max(1, contrast.tests))
    loser = {"higher": row["b"], "lower": row["a"]}.get(outcome)
    outcome = "not_read" if not row.get("reads", True) else "missing" if loser in row.get("incomplete", ()) else outcome
    even = {
        name: row.get(f"length_controlled{of}")
        for name, of in (("value", ""), ("ci_low", "_low"), ("ci_high", "_high"))
    }
    counts = {name: row[name] for name in PairScore.model_fields if name in row}
    return {
        **counts,
        "length_controlled": even,
        "contrast": contrast.model_copy(update={"outcome": outcome}).model_dump(),
    }


def _counterfactual(row: dict[str, Any]) -> dict[str, Any]:
    if "measure" not in row:
        return row
    variant = " ".join(filter(None, (row["measure"], row.get("of"))))
    rest = {name: row[name] for name in row if name not in ("measure", "of", "factual", "kind")}
    return {**_CODE, **rest, "variant": variant, "n_asked": row["n_planned"], "n_counted": row["n_scored"]}
