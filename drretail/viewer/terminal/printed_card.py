"""A judge's card on the terminal."""

from typing import TYPE_CHECKING

from drretail.eval.lab.card import in_words, points
from drretail.viewer.output import print_notes, print_table

if TYPE_CHECKING:
    from drretail.eval.lab.finding import Measured
    from drretail.eval.lab.people_findings import JudgeCard, SetCard

COLUMNS = ["", "claims", "failed", "balanced accuracy", "words alone", "judge − words", "κ", "κ linear"]
MEANINGS = (
    "Balanced accuracy: mean of the shares of supported and of other claims told right; always the majority has .50.",
    "Words alone: a share of the claim's words must stand in its sources; threshold from the other half of the file.",
    "In brackets: 95 % interval, by bootstrap over questions (of sets without, over claims), and of what is all right "
    "or all wrong by its exact bound; of fewer than ten questions or claims there is none.",
)


def print_card(card: "JudgeCard") -> None:
    """The card's sets in a table, its confusions below, and in words where the judge is no better than words alone."""
    print_table(f"{card.judge.spec} beside people's labels", COLUMNS, [_row(it) for it in card.sets])
    print_notes([*MEANINGS, ""])
    for it in card.sets:
        rows = [(f"people: {person}", *counts.values()) for person, counts in it.confusion.items()]
        print_table(f"{it.name}: what people say, and the judge", ["", "full", "partial", "none"], rows)
        print_notes([_rates(it), *_against_words(it), ""])
    cost = "unknown" if card.dollars is None else f"${card.dollars:,.4f}"
    print_notes([f"Judging took {cost}."])


def _row(it: "SetCard") -> list[object]:
    shown = (it.balanced_accuracy, it.words_alone, it.over_words, it.kappa, it.kappa_linear)
    return [it.name, it.n, it.failed, *(in_words(one) for one in shown)]


def _rates(it: "SetCard") -> str:
    if it.people_full is None or it.judge_full is None or it.accuracy is None or it.majority is None:
        return "No claim has a verdict."
    left = f" {it.unasked:,} claims were not judged." if it.unasked else ""
    return (
        f"Full: people {it.people_full:.2f}, judge {it.judge_full:.2f}. Right: {it.accuracy:.2f}; always the "
        f"majority: {it.majority:.2f}.{left}"
    )


def _against_words(it: "SetCard") -> list[str]:
    over = it.over_words
    if over.value is None or (over.low is not None and over.low > 0):
        return []
    return [f"{_standing(over)} words alone on {it.name}: {in_words(over)}."]


def _standing(over: "Measured") -> str:
    if over.high is not None and over.high < 0:
        return "The judge is worse than"
    if over.value and over.value > 0:
        return f"The judge is not shown to be better than ({points(over)})"
    return "The judge is below" if over.value else "The judge is level with"
