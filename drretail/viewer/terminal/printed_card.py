"""A judge's card on the terminal."""

from typing import TYPE_CHECKING

from drretail.tables.figures import dollars, number
from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_table, print_text

if TYPE_CHECKING:
    from drretail.lab.finding import Measured
    from drretail.lab.people_findings import JudgeCard, SetCard

COLUMNS = ["", "claims", "failed", "balanced accuracy", "words alone", "judge − words", "κ", "κ linear"]
MEANINGS = (
    "Balanced accuracy: mean of the shares of supported and of other claims told right; always the majority has 0.50.",
    "Words alone: a share of the claim's words must stand in its sources; threshold from the other half of the file.",
    "95 % intervals: by bootstrap over questions (of sets without, over claims), and of what is all right "
    "or all wrong by its exact bound; of fewer than ten questions or claims there is none.",
)


def print_card(card: "JudgeCard") -> None:
    """The card's sets in a table, its confusions below, and in words where the judge is no better than words alone."""
    title = f"{card.judge.spec} beside people's labels"
    print_table(table_of(title, COLUMNS, [_row(it) for it in card.sets], notes=MEANINGS))
    for it in card.sets:
        rows = [(f"people: {person}", *counts.values()) for person, counts in it.confusion.items()]
        title, notes = f"{it.name}: what people say, and the judge", [_rates(it), *_against_words(it)]
        print_table(table_of(title, ["", "full", "partial", "none"], rows, notes=notes))
    cost = "a price unknown" if card.dollars is None else f"${dollars(card.dollars)}"
    print_text(f"Judging took {cost}.")


def _row(it: "SetCard") -> list[object]:
    shown = (it.balanced_accuracy, it.words_alone, it.over_words, it.kappa, it.kappa_linear)
    return [it.name, it.n, it.failed, *(Cell(one.value, "number", one.low, one.high) for one in shown)]


def _rates(it: "SetCard") -> str:
    if it.people_full is None or it.judge_full is None or it.accuracy is None or it.majority is None:
        return "No claim has a verdict."
    left = f" {it.unasked:,} claims were not judged." if it.unasked else ""
    return (
        f"Full: people {number(it.people_full)}, judge {number(it.judge_full)}. Right: {number(it.accuracy)}; always "
        f"the majority: {number(it.majority)}.{left}"
    )


def _against_words(it: "SetCard") -> list[str]:
    over = it.over_words
    if over.value is None or (over.low is not None and over.low > 0):
        return []
    return [f"{_standing(over)} words alone on {it.name}: {over.in_words}."]


def _standing(over: "Measured") -> str:
    if over.high is not None and over.high < 0:
        return "The judge is worse than"
    if over.value and over.value > 0:
        return f"The judge is not shown to be better than ({number(over.value)})"
    return "The judge is below" if over.value else "The judge is level with"
