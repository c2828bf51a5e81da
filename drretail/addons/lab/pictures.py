"""Findings of the lab as plots: what judges get wrong, how they are biased, and what people's answers correct."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from drretail.addons.lab.card import read_cards
from drretail.addons.lab.finding import LabFinding, WithEnds
from drretail.addons.lab.people_findings import SHARES, Correction, JudgeCard
from drretail.addons.lab.trial_findings import BiasFound, PlantedFound
from drretail.errors import UserError
from drretail.files import read_json
from drretail.records.tables.table import Cell
from drretail.viewer.plots.charts import BarRow, Bound, DotRow, Part, dot_plot, stacked_bars
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import file_name

F = TypeVar("F", bound=LabFinding)
_LINES = "Lines: 95 % intervals."
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
    rows = [
        DotRow(
            kind.kind.replace("_", " "),
            tuple(
                _cell(found, found.found / found.n, found.n) if (found := kind.found.get(finder)) and found.n else None
                for finder in finders
            ),
        )
        for kind in (planted.everything, *planted.kinds)
    ]
    rows = [row for row in rows if any(row.dots)]
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
            [DotRow(name, tuple(cells.get(judge) for judge in judges)) for name, cells in by_name.items()],
            series=judges,
            bounds=[Bound("no bias", Cell(neutral)) for neutral in {effect.neutral for _, _, effect in own}],
            unit="user",
        )


def _corrected(correction: Correction) -> Iterator[Plot]:
    for what in SHARES:
        rows = [
            DotRow(value.system, (Cell(value.judged), _cell(value, value.value, value.n_labels)))
            for value in correction.values
            if value.what == what
        ]
        if rows:
            caption = f"{what} by the judge alone, and as people would give it. {_LINES}"
            series = ("judge alone", "as people would give it")
            title = f"{what} corrected by people's labels"
            yield dot_plot(f"lab-correct-{what}", title, caption, rows, series=series, whole=(0, 1), unit="label")


def _cell(measured: WithEnds, value: float | None, n: int) -> Cell:
    return Cell(value, "number", measured.low, measured.high, n=n)
