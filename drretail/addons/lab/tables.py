"""The judge lab's findings as tables and sentences, with a function for each of its commands, and as plots."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from drretail.addons.lab.card import read_cards
from drretail.addons.lab.findings import (
    SHARES,
    TOO_FEW,
    BiasFound,
    Correction,
    JudgeCard,
    LabFinding,
    PlantedFound,
    WithEnds,
    seen_from,
    unanswered_in_words,
)
from drretail.errors import UserError
from drretail.files import read_json
from drretail.records.score import Systems
from drretail.records.tables.figures import counted, dollars, interval, number, with_interval
from drretail.records.tables.result import prose
from drretail.records.tables.table import Cell, Table, table_of
from drretail.viewer.plots.charts import BarRow, Part, dot_plot, stacked_bars
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import file_name
from drretail.viewer.tables.scores import NOTES, notes_on, system_names

if TYPE_CHECKING:
    from drretail.addons.lab.calibration import Calibration
    from drretail.addons.lab.findings import Agreed, Agreement, ExploitsFound, Separation, SetCard


def cards_parts(cards: "Sequence[JudgeCard]") -> Iterator[Table | str]:
    """Each card's sets and their confusions, and says so if the judge is no better than words alone."""
    columns = ["", "claims", "failed", "balanced accuracy", "words alone", "judge − words", "κ", "κ linear"]
    fields = ("balanced_accuracy", "words_alone", "over_words", "kappa", "kappa_linear")
    for card in cards:
        rows: list[list[object]] = []
        for claims in card.sets:
            measured = (getattr(claims, field) for field in fields)
            cells = (Cell(each.value, "number", each.low, each.high) for each in measured)
            rows.append([claims.name, claims.n, claims.failed, *cells])
        yield table_of(f"{card.judge.spec} beside people's labels", columns, rows, notes=NOTES["card"].splitlines())
        for claims in card.sets:
            confusions = [(f"people: {label}", *counts.values()) for label, counts in claims.confusion.items()]
            title, notes = f"{claims.name}: what people say, and the judge", _card_sentences(claims)
            yield table_of(title, ["", "full", "partial", "none"], confusions, notes=notes)
        yield from prose(f"Judging took {'a price unknown' if card.dollars is None else f'${dollars(card.dollars)}'}.")


def _card_sentences(claims: "SetCard") -> Iterator[str]:
    if None in (claims.people_full, claims.judge_full, claims.accuracy, claims.majority):
        undecided = f": the judge decided none of {counted(claims.undecided, 'claim')}" if claims.undecided else ""
        yield f"No claim has a verdict{undecided}."
    else:
        left = f" {claims.unasked:,} claims were not judged." if claims.unasked else ""
        yield (
            f"Full: people {number(claims.people_full)}, judge {number(claims.judge_full)}. Right: "
            f"{number(claims.accuracy)}; always the majority: {number(claims.majority)}.{left}"
        )
    over = claims.over_words
    if over.value is None or (over.low is not None and over.low > 0):
        return
    if over.high is not None and over.high < 0:
        level = "worse than"
    elif over.value > 0:
        level = f"not shown to be better than ({number(over.value)})"
    else:
        level = "below" if over.value else "level with"
    yield f"The judge is {level} words alone on {claims.name}: {over.in_words}."


def correction_parts(correction: "Correction", systems: Systems) -> Iterator[Table | str]:
    """Every value with and without the verdicts, then the labels that would tell systems apart, then notes."""
    labels = [value.system for value in correction.values]
    names = system_names(labels, systems)
    rows = [
        (
            f"{value.what}, {names[value.system]}" if value.what in SHARES else f"{names[value.system]} {value.what}",
            value.n_labels,
            value.n_items,
            value.judged,
            Cell(value.value, "number", value.low, value.high),
            Cell(value.labels_alone, "number", value.labels_alone_low, value.labels_alone_high),
            Cell(value.gain, "number"),
        )
        for value in correction.values
    ]
    has_recall = any(value.what == "FR" for value in correction.values)
    recall = NOTES["correct_fr" if has_recall else "correct_without_fr"]
    if rows:
        columns = ["", "labels", "of", "judge alone", "corrected", "labels alone", "gain"]
        yield table_of("As people would score", columns, rows, notes=(NOTES["correct"], recall))
    else:
        yield from prose(recall)
    missing = (f"{labels.summary()}." for labels in correction.missing)
    yield from prose(*notes_on(labels, systems), *map(_separation, correction.separations), *missing, *correction.notes)


def _separation(gap: "Separation") -> str:
    difference = f"{gap.a} less {gap.b}: {with_interval(gap.difference, gap.low, gap.high)}"
    if gap.low is None or gap.high is None:
        return f"{difference}; below five users there is no interval."
    if gap.low > 0 or gap.high < 0:
        return f"{difference}; shown by {counted(gap.labels, 'label')}."
    if gap.labels_needed is None:
        return f"{difference}; if it is so large, no number of labels on these reports would show it: run more queries."
    more = max(1, gap.labels_needed - gap.labels)
    return f"{difference}; if it is so large, about {more:,} labels more would show it in four of five cases."


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
"""By field, the name of its column and its meaning; a field without a meaning shares the previous one."""


def agreement_parts(agreement: "Agreement") -> Iterator[Table | str]:
    """A table for each question, then α of all people, and how far judges are from the people's mean."""
    if not agreement.pairs:
        yield from prose("No two raters rated the same thing.")
        return
    for question, group in groupby(agreement.pairs, key=lambda pair: _question(pair.scale, pair.dimension)):
        pairs = list(group)
        shown = _statistics(pairs)
        rows: list[list[object]] = []
        for pair in pairs:
            figures = [getattr(pair, name) for name in shown]
            rows.append([f"{pair.first}, {pair.second}", pair.n, *figures, interval(pair.low, pair.high) or None])
        yield table_of(question, ["", "n", *(STATISTICS[name][0] for name in shown), "95%"], rows)
    meanings = (STATISTICS[name][1] for name in _statistics(agreement.pairs))
    yield from prose(f"{'; '.join(filter(None, meanings))}. {NOTES['agree']}", "")
    if agreement.people:
        rows = []
        for each in agreement.people:
            alpha = Cell(each.alpha, "number", each.low, each.high)
            rows.append([_question(each.scale, each.dimension), each.n_people, each.n_items, each.level, alpha])
        yield table_of("All people (Krippendorff's α)", ["", "people", "items", "level", "α"], rows)
    if agreement.alignments:
        rows = []
        for each in agreement.alignments:
            figures = (each.mean_absolute_deviation, each.pairwise_comparison_accuracy, each.ranking_agreement)
            rows.append([f"{each.judge}, {each.dimension.replace('_', ' ')}", each.n_reports, *figures])
        columns = ["", "reports", "MAD", "PCA", "same order"]
        yield table_of("Judges beside the mean of people", columns, rows, notes=[NOTES["agree_with_mean"]])


def _statistics(pairs: "Sequence[Agreed]") -> list[str]:
    return [name for name in STATISTICS if any(getattr(pair, name) is not None for pair in pairs)]


def _question(scale: str, dimension: str) -> str:
    return f"{scale}: {dimension.replace('_', ' ')}" if dimension else scale


def calibration_parts(calibration: "Calibration", *, was_chosen: bool) -> Iterator[Table | str]:
    """A row for each version with both sides of the split, and the frozen version's accuracy."""
    rows: list[list[object]] = []
    for tuning, held_out in zip(calibration.tuning, calibration.held_out, strict=True):
        name = tuning.version + " (chosen)" * (tuning.version == calibration.chosen)
        rows.append([name, tuning.n, tuning.summary(), held_out.n, held_out.summary()])
    sides = (f"tuning ({counted(calibration.n_tuning, 'query')})", f"held out ({calibration.n_held_out} queries)")
    title = f"Versions of {calibration.model} beside people, {calibration.question}"
    yield table_of(title, ["", "n", sides[0], "n", sides[1]], rows, notes=[NOTES["calibrate"]])
    when = "It was chosen before and is kept: --force chooses again." if was_chosen else "It is frozen now."
    prompts = calibration.prompt_hash
    known = f"Hash of its prompts: {prompts}." if prompts else "The prompts that it was given are not known."
    yield from prose(f"{calibration.summary()} {when}", known)


def planted_parts(planted: "PlantedFound") -> Iterator[Table | str]:
    """A row for each kind of error: how many were planted, and how many each finder found."""
    everything = planted.everything.found
    rows: list[list[object]] = []
    for kind in (*planted.kinds, planted.everything):
        rows.append([kind.kind, kind.n, kind.without_place])
        for finder in everything:
            recall, hits = kind.found.get(finder), "–"  # "3/10 -2 !1", as ``plant`` of notes.toml explains
            if recall is not None:
                left = recall.unjudged + recall.failed + recall.unasked
                hits = f"{recall.found}/{recall.n}{f' -{left}' if left else ''}"
                hits += f" !{recall.false}" if recall.false else ""
            rows[-1].append(hits)
    shares = [
        f"{finder}: {each.found}/{each.n}"
        + (f" = {with_interval(each.found / each.n, each.low, each.high)}" if each.n else "")
        for finder, each in everything.items()
    ]
    notes = [f"Of all, with the 95% interval: {'; '.join(shares)}.", NOTES["plant"]]
    for finder, each in everything.items():
        if left := unanswered_in_words(each.failed, each.unasked):
            notes.append(f"{finder}: {left}; in no share.")
    notes += [
        f"{finder}: of the {each.n_fresh:,} whose original it had passed there, {each.found_fresh:,} found."
        for finder, each in everything.items()
        if each.false
    ]
    for alarm in planted.alarms:
        ends = interval(alarm.low, alarm.high)
        counts = f"{alarm.alarms:,} of {alarm.n:,} {alarm.unit} faulted{f' ({ends})' if ends else ''}"
        notes.append(f"{alarm.finder}: in the reports as they were, {counts}.")
    columns = ["kind", "planted", "no place", *everything]
    yield table_of("Planted errors that were found", columns, rows, notes=notes)


def exploits_parts(exploits: "ExploitsFound") -> Iterator[Table | str]:
    """A table for each judge, with a row for each exploit."""
    columns = ["exploit", "verdict", "below honest", "above honest", "no difference shown"]
    for judge in dict.fromkeys(row.judge for row in exploits.rows):
        rows: list[list[object]] = []
        for row in exploits.rows:
            if row.judge != judge:
                continue
            verdict = "caught" if row.is_caught else "open" if row.is_concluded else f"{row.n} of {row.needed} queries"
            gaps = [
                ", ".join(f"{gap.name} {number(gap.value)} {sign} {number(gap.honest)}" for gap in side)
                for side, sign in ((row.below, "<"), (row.above, ">"), (row.level, "~"))
            ]
            rows.append([row.exploit.replace("_", " "), verdict, *(text or "–" for text in gaps)])
        yield table_of(f"Reports that deserve nothing, by {judge} and by code", columns, rows)
    yield from prose(NOTES["exploits"], f"Made of {exploits.honest[0]}.")


def bias_parts(bias: "BiasFound") -> Iterator[Table | str]:
    """A table for each judge and probe, and sentences on probes without a result."""
    for row in bias.probes:
        if row.effects:
            title = f"{row.probe.replace('_', ' ').capitalize()}, by {row.judge}"
            columns = ["", "of", "effect (95%)", "queries", "users", "n", "p", ""]
            rows: list[list[object]] = []
            for effect in row.effects:
                verdict = "found" if effect.is_found else f"none found; {seen_from(effect)}"
                verdict = TOO_FEW if effect.is_found is None else verdict
                value = Cell(effect.value, "number", effect.low, effect.high)
                about = [effect.name, effect.dimension.replace("_", " "), value, effect.n, effect.n_users]
                about += [effect.n_items, Cell(effect.p, "p")]
                rows.append([*about, "" if effect.neutral is None else verdict])
            yield table_of(title, columns, rows)
    silent: dict[tuple[str, str], list[str]] = {}
    for row in bias.probes:
        if not row.effects:
            silent.setdefault((row.judge, row.reason), []).append(row.probe.replace("_", " "))
    unanswered = (
        f"{row.judge}, {row.probe.replace('_', ' ')}: {left}."
        for row in bias.probes
        if (left := unanswered_in_words(row.failed, row.unasked))
    )
    notes = NOTES["bias"].splitlines() if any(row.effects for row in bias.probes) else ()
    sentences = (f"{judge}, {', '.join(probes)}: {reason}." for (judge, reason), probes in silent.items())
    yield from prose(*notes, *sentences, *unanswered)


F = TypeVar("F", bound=LabFinding)
_LINES = "Lines: 95% intervals."
_LABELS = {"s0": "full", "s1": "partial", "s2": "none"}


def finding_plots(experiment: Path) -> Iterator[Plot]:
    """A plot for each finding of the lab that has one. Damaged findings have none: their lines say so."""
    with suppress(UserError):
        cards = read_cards(experiment)
        yield from (_confusions(card) for card in cards if any(claims.n for claims in card.sets))
    if bias := _read(experiment, "bias", BiasFound):
        yield from _biases(bias)
    if correction := _read(experiment, "correct", Correction):
        yield from _corrected(correction)
    if planted := _read(experiment, "plant", PlantedFound):
        yield _planted(planted)


def _read(experiment: Path, name: str, finding: type[F]) -> F | None:
    path = experiment / "lab" / f"{name}.json"
    with suppress(UserError, ValidationError):
        return finding.model_validate(read_json(path)) if path.is_file() else None
    return None


def _confusions(card: JudgeCard) -> Plot:
    rows = [
        BarRow(
            f"{claims.name}: {label}",
            tuple(
                Part(count / total, css, f"judge: {given}, {count:,} of {total:,}")
                for css, given in _LABELS.items()
                if (count := counts.get(given, 0))
            ),
            Cell(None, n=total),
        )
        for claims in card.sets
        for label, counts in claims.confusion.items()
        if (total := sum(counts.values()))
    ]
    caption = "A row for each label that people gave; its parts are the labels that the judge gave the same claims."
    title = f"{card.judge.key} beside people's labels"
    return stacked_bars(file_name(f"lab-card-{card.judge.key}"), title, caption, rows, kinds=_LABELS, unit="claim")


def _planted(planted: PlantedFound) -> Plot:
    finders = [name for name, found in planted.everything.found.items() if found.n]
    rows = {
        kind.kind.replace("_", " "): [
            _cell(found, found.found / found.n, found.n) if (found := kind.found.get(finder)) and found.n else None
            for finder in finders
        ]
        for kind in (planted.everything, *planted.kinds)
    }
    rows = {kind: cells for kind, cells in rows.items() if any(cells)}
    caption = f"Share of planted errors that each found. {_LINES}"
    return dot_plot("lab-plant", "Planted errors found", caption, rows, series=finders, whole=(0, 1), unit="error")


def _biases(bias: BiasFound) -> Iterator[Plot]:
    """For each unit the effects that a judge without bias would not have."""
    effects = [
        (f"{row.probe}: {effect.name}".replace("_", " "), row.judge, effect)
        for row in bias.probes
        for effect in row.effects
        if effect.neutral is not None
    ]
    for unit in dict.fromkeys(effect.unit for _, _, effect in effects):
        own = [(name, judge, effect) for name, judge, effect in effects if effect.unit == unit]
        judges = list(dict.fromkeys(judge for _, judge, _ in own))
        by_name: dict[str, dict[str, Cell]] = {}
        for name, judge, effect in own:
            by_name.setdefault(name, {})[judge] = _cell(effect, effect.value, effect.users)
        seen = sorted(effect.detectable for _, _, effect in own if effect.detectable is not None)
        sizes = " to ".join(dict.fromkeys(f"{size:.2g}" for size in (*seen[:1], *seen[-1:])))
        power = f" Four of five experiments would show effects of {sizes}." if seen else ""
        yield dot_plot(
            file_name(f"lab-bias-{unit}"),
            f"Biases{f' ({unit})' if unit else ''}",
            f"The effect of each bias. {_LINES}{power}",
            {name: [cells.get(judge) for judge in judges] for name, cells in by_name.items()},
            series=judges,
            bounds={"no bias": Cell(own[0][2].neutral)},
            unit="user",
        )


def _corrected(correction: Correction) -> Iterator[Plot]:
    for what in SHARES:
        rows = {
            value.system: [Cell(value.judged), _cell(value, value.value, value.n_labels)]
            for value in correction.values
            if value.what == what
        }
        if rows:
            caption = f"{what} by the judge alone, and as people would give it. {_LINES}"
            series = ("judge alone", "as people would give it")
            title = f"{what} corrected by people's labels"
            yield dot_plot(f"lab-correct-{what}", title, caption, rows, series=series, whole=(0, 1), unit="label")


def _cell(measured: WithEnds, value: float | None, n: int) -> Cell:
    return Cell(value, "number", measured.low, measured.high, n=n)
