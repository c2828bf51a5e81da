"""Scores as tables: a row for each system, a column for each variant or slice of the queries; floors and ceiling come
last. What stands below says how the numbers are to be read.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from drretail.eval.numbers.facts import MODELS_ALONE, NOT_RATED, missing_in_words, missing_of
from drretail.eval.numbers.gathering import LACKS_IN_WORDS, NOT_JUDGED
from drretail.eval.registry import metric_description
from drretail.records.base import ModelKind, OfJudge
from drretail.records.comparison import Share
from drretail.records.figures import NOTHING
from drretail.records.reading import LookedAt
from drretail.records.run import NO_SYSTEMS, Systems, in_order, place_of, shared_models
from drretail.records.score import (
    CODE,
    JudgeRef,
    MetricDescription,
    Score,
    SliceBy,
    readers_of,
    reasons_of,
)
from drretail.viewer.cart import DECLARED, readers_in_words
from drretail.viewer.drawing.result import Section
from drretail.viewer.drawing.table import Cell, Column, Kind, Table, pivot

NOTES: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("notes.toml").read_text(encoding="utf-8"))
"""Sentences by what they are about; a note of several lines is a paragraph each."""


EVERY_DECLARED = "Every system listed its picks in a `picks` block."
UNASKED = LACKS_IN_WORDS[NOT_JUDGED]
CHECKED = "checked"
"""The variant that shows how much of the reports code could decide."""
_SELF_CHECKED = "Self-checked: the agent removes these errors from its own reports, so the checks say little about it."
RECORDED = "scripted:recorded"
"""The model of ``drretail demo``, which plays back a language model's answers."""
KIND_WORDS: Mapping[ModelKind, str] = {"llm": "language model", "rule_based": "rule-based", "scripted": "scripted"}
Metrics = Mapping[str, MetricDescription]
"""Descriptions of metrics, by name."""
NONE_HELD: Metrics = MappingProxyType({})
TableKey = tuple[str, str, str, str]
"""Metric, judge, its settings, rules: the rows of one table share these."""


def score_tables(scores: Sequence[Score], metrics: Metrics = NONE_HELD, systems: Systems = NO_SYSTEMS) -> list[Table]:
    """One table for each metric, judge and set of rules, in the order of the scores; judges never share one.

    ``metrics`` are the metrics' descriptions in scores.json; missing ones are taken from the installed metrics.
    """
    tables_of_judges = dict.fromkeys(table_key_of(score) for score in scores)
    by_judge = {key: [score for score in scores if table_key_of(score) == key] for key in tables_of_judges}
    return [_table(rows, description(metrics, key[0]), systems) for key, rows in by_judge.items()]


def description(metrics: Metrics, name: str) -> MetricDescription:
    """A metric's description as recorded with its scores, or as it is today."""
    return metrics.get(name) or metric_description(name)


def table_key_of(score: Score) -> TableKey:
    return score.metric, *score.by_whom


def judged_by(row: OfJudge) -> str:
    """Who judged, the kind of judge, and the rules if they are not our own."""
    whose = "" if row.rules == "default" else f", rules of {row.rules}"
    if row.judge in ("", CODE):
        return f"by code{whose}"
    return f"judged by {model_words(row.judge, row.judge_kind, row.judge_params)}{whose}"


def model_words(spec: str, kind: ModelKind, params: str = "") -> str:
    """A model as readers see it: "openai:gpt-5 (language model)"."""
    if spec == RECORDED and not params:
        return "a recorded language model"
    return f"{spec} ({KIND_WORDS[kind]}{f', settings {params}' if params else ''})"


def system_names(labels: Iterable[str], systems: Systems, own: Iterable[str] = ()) -> dict[str, str]:
    """The names in a table's order, without the model that all share; marked if in ``own``: self-checked."""
    ordered = in_order(labels, systems)
    shared, marked = shared_models(ordered, systems), set(own)
    return {
        label: (label.replace(shared, "", 1) if shared else label) + (" (self-checked)" if label in marked else "")
        for label in ordered
    }


def notes_on(labels: Iterable[str], systems: Systems, *, bounded: bool = False) -> list[str]:
    """Sentences on the systems below a rule, the oracle if it is a ceiling, and on what names leave out."""
    ordered = in_order(labels, systems)
    places = {place_of(label, systems) for label in ordered}
    shared = shared_models(ordered, systems)
    sentences = [f"The systems' full names also contain {shared}."] if shared else []
    if "floor" in places:
        sentences.append("The null agents are trivial. They mark the lowest useful score (floor).")
    if "ceiling" in places and bounded:
        sentences.append("The oracle computes the best cart. It marks the highest score (ceiling).")
    return sentences


def _table(scores: Sequence[Score], metric: MetricDescription, systems: Systems) -> Table:
    first = scores[0]
    by_variant: dict[str, list[Score]] = {}
    for score in scores:
        by_variant.setdefault(score.variant, []).append(score)
    # Old scores lack meanings, so the metric's present ones are used.
    meanings = metric.meanings or metric_description(first.metric).meanings
    # A column of errors that nobody made becomes a sentence.
    folded = by_variant.keys() - metric.summaries if metric.folds_perfect else ()
    unrated: list[str] = []
    empty: list[str] = []
    perfect: list[str] = []
    columns: list[Column] = []
    for variant, rows in by_variant.items():
        if all(score.note == NOT_RATED for score in rows):
            unrated.append(variant)
        elif all(score.n_na == score.n_planned for score in rows):
            empty.append(variant)
        elif variant in folded and all(score.value in (None, 0) for score in rows):
            perfect.append(variant)
        else:
            columns.append(Column(variant, metric.groups.get(variant, variant), meaning=meanings.get(variant, "")))
    # Where many variants are folded, their names have to say enough.
    explained = [name if metric.folds_perfect else f"{name} ({meanings.get(name, name)})" for name in empty]
    lacking = f"No report has a value for {', '.join(explained)}."
    lacking = "There is nothing to score." if len(empty) == len(by_variant) else lacking
    checked = {score.system for score in scores if score.self_checked}
    names = system_names((score.system for score in scores), systems, checked)
    cells = {(score.system, score.variant): score_cell(score) for score in scores}
    notes = [lacking] if empty else []
    notes += [f"0.00 for every system: {', '.join(perfect)}."] if perfect else []
    notes += _reasons(scores)
    if unrated:
        what = f": {', '.join(unrated)}" if columns else ""
        notes.append(f"{NOT_RATED}{what}. {MODELS_ALONE}")
    if columns:
        # How the numbers came about, what they mean, and whose they are
        judge = JudgeRef(spec=first.judge, kind=first.judge_kind, params_hash=first.judge_params)
        notes += [*_readers(scores, names, systems), *metric.known_of(judge, first.rules)]
        notes += [metric.meaning] if metric.meaning else []
        notes += [_SELF_CHECKED] if checked else []
        notes += notes_on(names, systems, bounded=metric.bounded_by_oracle)
    return pivot(
        metric.title,
        cells,
        {label: name for label, name in names.items() if columns},
        {column.name: column for column in columns},
        systems,
        by=judged_by(first),
        notes=tuple(notes),
    )


def _reasons(scores: Sequence[Score]) -> list[str]:
    """Why reports have no value, and in which measures: "n/a: the report's picks are not known (covered)"."""
    measures: dict[str, list[str]] = {}
    for score in scores:
        for reason in reasons_of(score.items):
            measures.setdefault(reason, []).append(score.variant)
    every = {score.variant for score in scores}
    parts = [
        reason if {*variants} == every else f"{reason} ({', '.join(dict.fromkeys(variants))})"
        for reason, variants in measures.items()
    ]
    return [f"n/a: {'; '.join(parts)}."] if parts else []


def _readers(scores: Sequence[Score], names: Mapping[str, str], systems: Systems) -> list[str]:
    """How much of each system's reports was read, and by whom. What floors declare never stood in a report."""
    read = {label: name for label, name in names.items() if place_of(label, systems) != "floor"}
    by_name: dict[str, str] = {}
    for label, name in read.items():
        of_system = [score for score in scores if score.system == label]
        looked = next(
            (score.items for score in of_system if score.variant == CHECKED and "numerals" in score.items), {}
        )
        readers = next((readers for score in of_system if (readers := readers_of(score.items))), {})
        total = sum(readers.values())
        words = [LookedAt(*(int(looked.get(name, 0)) for name in LookedAt._fields)).in_words] if looked else []
        words += [who if count == total else f"{who} in {count:,.0f} of {total:,.0f}" for who, count in readers.items()]
        # Code reads a judge's values: of several judges one's, so it is said whose.
        words += dict.fromkeys(
            item for score in of_system for item in score.items if item.startswith("values by model:")
        )
        if reading := readers_in_words(", ".join(words)):
            by_name[name] = reading
    if len(set(by_name.values())) == 1 and len(by_name) > 1:
        reading = next(iter(by_name.values()))
        return [EVERY_DECLARED if reading == DECLARED else f"Every system: {reading}."]
    return ["; ".join(f"{name}: {reading}" for name, reading in by_name.items()) + "."] if by_name else []


def score_cell(score: Score) -> Cell:
    """A row's value with its interval and denominator; without a value, the reason if all reports have the same."""
    missing, words = missing_of(score), missing_in_words(score)
    if score.value is None or score.note == NOT_RATED:
        alone = next((why for why, count in missing.items() if count == score.n_planned), "")
        shown = score.note or alone or NOTHING
        return Cell(shown, n=score.n_scored, planned=score.n_planned, missing=() if alone else words)
    if score.n_queries is not None:
        return measured_cell(score, n=score.n_queries, missing=words, note="in one part")
    return measured_cell(score, n=score.n_scored, planned=score.n_planned, missing=words)


def part_cell(score: Score) -> Cell:
    """The same of a part of the queries or of one setting, where queries are counted."""
    cell = measured_cell(score, n=score.n_counted, planned=score.n_asked)
    return cell if score.value is not None else replace(cell, value=NOTHING)


def measured_cell(row: Score | Share, kind: Kind = "number", **about: Any) -> Cell:
    """A value with its interval; ``about`` are counts and notes of the cell."""
    return Cell(row.value, kind, row.ci_low, row.ci_high, **about)


BY: tuple[SliceBy, ...] = get_args(SliceBy)
MEANINGS: Mapping[SliceBy, str] = {
    "category": "By category of the wanted products.",
    "kind": "By kind of need.",
    "needs": "By what the question needs besides the shop, as its gold proves.",
    "turn": "By turn of the conversation.",
}


def slice_sections(
    slices: Sequence[Score],
    scores: Sequence[Score],
    wanted: Sequence[str] = BY,
    metrics: Metrics = NONE_HELD,
    systems: Systems = NO_SYSTEMS,
) -> dict[tuple[TableKey, SliceBy], Section]:
    """A table for each variant, by metric, judge and rules in the order of the rows, and by the sort of slice.

    ``scores`` say which systems checked themselves, and why values are missing.
    """
    sections: dict[tuple[TableKey, SliceBy], Section] = {}
    for key, by in product(dict.fromkeys(map(table_key_of, slices)), BY):
        rows = [row for row in slices if row.by == by and by in wanted and table_key_of(row) == key]
        metric = description(metrics, key[0])
        checked = {score.system for score in scores if table_key_of(score) == key and score.self_checked}
        names = system_names((row.system for row in rows), systems, checked)
        tables: list[Table] = []
        for variant in dict.fromkeys(row.variant for row in rows):
            shown = [row for row in rows if row.variant == variant]
            table = pivot(
                f"{metric.title}: {variant} by {by}",
                {(row.system, row.part): _slice_cell(row) for row in shown},
                names,
                {row.part: Column(f"{row.part.replace('_', ' ')} (n={row.n_asked})", row.part) for row in shown},
                systems,
                by=judged_by(shown[0]),
                unit="query",
            )
            tables.append(table)
        if tables:
            about = notes_on((row.system for row in rows), systems, bounded=metric.bounded_by_oracle)
            notes = [MEANINGS[by], *about]
            sections[key, by] = Section(f"{metric.title} by {by}", judged_by(rows[0]), tables, notes)
    return sections


def _slice_cell(row: Score) -> Cell:
    """A part's cell; n/a if there is only nothing to score."""
    is_na = row.value is None and row.n_na and not row.n_failed + row.n_unverifiable
    return replace(part_cell(row), value="n/a") if is_na else part_cell(row)
