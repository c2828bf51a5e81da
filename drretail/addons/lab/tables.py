"""The judge lab's findings as tables and sentences, with a function for each of its commands."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from drretail.addons.lab.findings import (
    ALONE,
    APART,
    CORRECTED,
    FP,
    JUDGED,
    SUMMARISED,
    Correction,
    Figure,
    JudgeCard,
    RaterAgreement,
    SetCard,
    grouped,
    summarised,
)
from drretail.records.figures import counted, dollars, interval, number
from drretail.records.run import Systems
from drretail.viewer.drawing.result import prose
from drretail.viewer.drawing.table import Cell, Table, table_of
from drretail.viewer.tables.scores import NOTES, measured_cell, notes_on, system_names


def cards_parts(cards: Sequence[JudgeCard]) -> Iterator[Table | str]:
    """Each card's sets and their confusions, and says so if the judge is no better than words alone."""
    columns = ["", "claims", "failed", "balanced accuracy", "words alone", "judge − words", "κ", "κ linear"]
    fields = ("balanced_accuracy", "words_alone", "over_words", "kappa", "kappa_linear")
    for card in cards:
        rows = [
            (claims.name, claims.n, claims.failed, *(measured_cell(claims.figure(field)) for field in fields))
            for claims in card.sets
        ]
        yield table_of(f"{card.judge.spec} beside people's labels", columns, rows, notes=NOTES["card"].splitlines())
        for claims in card.sets:
            confusions = [(f"people: {label}", *counts.values()) for label, counts in claims.confusion.items()]
            title, notes = f"{claims.name}: what people say, and the judge", [*_card_sentences(claims)]
            table = table_of(title, ["", "full", "partial", "none"], confusions, notes=notes)
            yield from [table] if claims.n else prose(*notes)
        yield from prose(f"Judging took {'a price unknown' if card.dollars is None else f'${dollars(card.dollars)}'}.")


def _card_sentences(claims: SetCard) -> Iterator[str]:
    shares = {name: claims.figure(name).value for name in ("people_full", "judge_full", "accuracy", "majority")}
    if None in shares.values():
        undecided = f": the judge decided none of {counted(claims.undecided, 'claim')}" if claims.undecided else ""
        yield f"No claim of {claims.name} has a verdict{undecided}."
    else:
        left = f" {claims.unasked:,} claims were not judged." if claims.unasked else ""
        yield (
            f"Full: people {number(shares['people_full'])}, judge {number(shares['judge_full'])}. Right: "
            f"{number(shares['accuracy'])}; always the majority: {number(shares['majority'])}.{left}"
        )
    over = claims.figure("over_words")
    if over.value is None or (over.ci_low is not None and over.ci_low > 0):
        return
    if over.ci_high is not None and over.ci_high < 0:
        level = "worse than"
    elif over.value > 0:
        level = f"not shown to be better than ({number(over.value)})"
    else:
        level = "below" if over.value else "level with"
    yield f"The judge is {level} words alone on {claims.name}: {over.in_words}."


def correction_parts(correction: Correction, systems: Systems) -> Iterator[Table | str]:
    """Every value with and without the verdicts, then the labels that would tell systems apart, then notes."""
    values = correction.values()
    labels = [system for _, system, _ in values]
    names = system_names(labels, systems)
    rows = [
        (
            f"{what}, {names[system]}" if what == FP else f"{names[system]} {what}",
            its[CORRECTED].n,
            its[CORRECTED].count("items"),
            its[JUDGED].value,
            measured_cell(its[CORRECTED]),
            measured_cell(its[ALONE]),
            Cell(its[CORRECTED].items.get("gain"), "number"),
        )
        for (what, system, _), its in values.items()
    ]
    if rows:
        columns = ["", "labels", "of", "judge alone", "corrected", "labels alone", "gain"]
        yield table_of("As people would score", columns, rows, notes=(NOTES["correct"],))
    apart, missing = map(_separation, correction.where(part=APART)), (f"{reason}." for reason in correction.missing())
    yield from prose(*notes_on(labels, systems), *apart, *missing, *correction.notes)


def _separation(gap: Figure) -> str:
    difference = f"{gap.of} less {gap.by}: {gap.in_words}"
    if gap.ci_low is None or gap.ci_high is None:
        return f"{difference}; below five users there is no interval."
    if gap.ci_low > 0 or gap.ci_high < 0:
        return f"{difference}; shown by {counted(gap.n, 'label')}."
    return f"{difference}; not shown by {counted(gap.n, 'label')}."


STATISTICS = {
    "percent": ("same", "same: share of equal answers"),
    "kappa": ("κ", "κ: Cohen's, agreement beyond chance"),
    "kappa_linear": ("κ lin", "κ lin, κ quad: of ordered answers, a miss weighted by how far it is off"),
    "kappa_quadratic": ("κ quad", ""),
    "kappa_without_ties": ("no ties", "no ties: κ where neither chose a tie"),
    "soft_disagreement": ("soft", "soft: share of disagreements in which one chose a tie"),
    "pearson": ("r", "r, ρ, τ: Pearson, Spearman, Kendall τ_b"),
    "spearman": ("ρ", ""),
    "kendall": ("τ", ""),
}
"""By statistic, the name of its column and its meaning; one without a meaning shares the previous one."""


def agreement_parts(agreement: RaterAgreement) -> Iterator[Table | str]:
    """A table for each question, then α of all people, and how far judges are from the people's mean."""
    pairs = agreement.pairs()
    for question in dict.fromkeys(question for question, *_ in pairs):
        of_question = {(first, second): its for (asked, first, second), its in pairs.items() if asked == question}
        shown = _statistics(of_question.values())
        rows: list[list[object]] = []
        for (first, second), its in of_question.items():
            main = its[summarised(its)]
            figures = [its[name].value if name in its else None for name in shown]
            rows.append([f"{first}, {second}", main.n, *figures, interval(main.ci_low, main.ci_high) or None])
        yield table_of(question, ["", "n", *(STATISTICS[name][0] for name in shown), "95%"], rows)
    names = _statistics(pairs.values())
    meanings, ends = (STATISTICS[name][1] for name in names), NOTES["agree_95"] if {*names} & {*SUMMARISED} else ""
    yield from prose(f"{'; '.join(filter(None, meanings))}. {NOTES['agree']}{ends}", "")
    if people := agreement.where(name="alpha"):
        rows = [[row.part, row.count("people"), row.n, row.note, measured_cell(row)] for row in people]
        yield table_of("All people (Krippendorff's α)", ["", "people", "items", "level", "α"], rows)
    statistics = ("MAD", "PCA", "same order")
    aligned = [row for row in agreement.rows if row.name in statistics]
    if aligned:
        rows = [
            [f"{judge}, {question.partition(': ')[2]}", its[0].n, *(row.value for row in its)]
            for (question, judge), its in grouped(aligned, "part", "of").items()
        ]
        columns = ["", "reports", *statistics]
        yield table_of("Judges beside the mean of people", columns, rows, notes=[NOTES["agree_with_mean"]])


def _statistics(pairs: Iterable[Mapping[str, Figure]]) -> list[str]:
    names = {name for its in pairs for name, row in its.items() if row.value is not None}
    return [name for name in STATISTICS if name in names]
