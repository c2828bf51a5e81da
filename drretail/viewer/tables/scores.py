"""Scores as tables: a row for each system, a column for each variant; floors and ceiling below the others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from drretail.eval.registry import described
from drretail.eval.scores.gathering import LACKS_IN_WORDS, NOT_JUDGED
from drretail.records.run import ModelKind
from drretail.records.score import (
    CODE,
    JudgeRef,
    MetricDescription,
    Score,
    in_order,
    place_of,
    readers_of,
    reasons_of,
    shared_models,
    shown_rows,
)
from drretail.tables.figures import NOTHING, counted
from drretail.tables.table import Cell, Column, Row, Table

NOT_RATED = "not rated (rule-based)"
DECLARED, EVERY_DECLARED = "the agent listed its picks", "Every system listed its picks in a `picks` block."
ANSWERED = "of those answered"
"""The manner of a line whose means leave out what earned 0."""
UNASKED = LACKS_IN_WORDS[NOT_JUDGED]
COVERAGE = "coverage"
"""The variant that tells how much of the reports was read."""
_SELF_CHECKED = "Self-checked: the agent removes these errors from its own reports, so the checks say little about it."
RECORDED = "scripted:recorded"
"""The model of ``drretail demo``, which plays back a language model's answers."""
KIND_WORDS: Mapping[ModelKind, str] = {"llm": "language model", "rule_based": "rule-based", "scripted": "scripted"}
Metrics = Mapping[str, MetricDescription]
"""By name."""
NONE_HELD: Metrics = MappingProxyType({})
TableKey = tuple[str, str, str, str]
"""Metric, judge, its settings, rules: what the rows of one table have in common."""


def score_tables(scores: Sequence[Score], metrics: Metrics = NONE_HELD) -> list[Table]:
    """One table for each metric, judge and set of rules, in the order of the scores: judges never share one.

    ``metrics`` are what the families say of themselves, as scores.json holds it; those that are missing are asked.
    """
    tables_of_judges = dict.fromkeys(table_key_of(score) for score in scores)
    return [
        _table([score for score in scores if table_key_of(score) == table_key], description(metrics, table_key[0]))
        for table_key in tables_of_judges
    ]


def description(metrics: Metrics, name: str) -> MetricDescription:
    """What a family says of itself: as it was held when its scores were made, else as it does today."""
    return metrics.get(name) or described(name)


def table_key_of(score: Score) -> TableKey:
    return score.metric, score.judge, score.judge_params, score.rules


def judged_by(judge: str, kind: ModelKind, params: str, rules: str) -> str:
    """Who judged, what it is, and by whose rules where these are not our own."""
    whose = "" if rules == "default" else f", rules of {rules}"
    if judge == CODE:
        return f"by code{whose}"
    return f"judged by {model_words(judge, kind, params)}{whose}"


def model_words(spec: str, kind: ModelKind, params: str = "") -> str:
    """A model as readers see it: "openai:gpt-5 (language model)"."""
    if spec == RECORDED and not params:
        return "a recorded language model"
    return f"{spec} ({KIND_WORDS[kind]}{f', settings {params}' if params else ''})"


def system_names(labels: Iterable[str], own: Iterable[str] = ()) -> dict[str, str]:
    """The names that systems go by in a table, by label and in its order: without the model that all share.

    Those in ``own`` checked themselves, and are marked.
    """
    ordered = in_order(labels)
    shared, marked = shared_models(ordered), set(own)
    return {
        label: (label.replace(shared, "", 1) if shared else label) + (" (self-checked)" if label in marked else "")
        for label in ordered
    }


def notes_on(labels: Iterable[str], *, bounded: bool = False) -> list[str]:
    """Sentences on what stands below a rule, and on what names leave out; the oracle is a ceiling where ``bounded``."""
    ordered = in_order(labels)
    places = {place_of(label) for label in ordered}
    shared = shared_models(ordered)
    sentences = [f"The systems' full names also contain {shared}."] if shared else []
    if "counterfactual" in places:
        sentences.append("Counterfactual systems saw another user's profile. They are not ranked.")
    if "floor" in places:
        sentences.append("The null agents are trivial. They mark the lowest useful score (floor).")
    if "ceiling" in places and bounded:
        sentences.append("The oracle computes the best cart. It marks the highest score (ceiling).")
    return sentences


def _table(every: Sequence[Score], family: MetricDescription) -> Table:
    scores = [score for score in every if score.variant not in family.only_in_json]
    first = scores[0]
    shown = {(score.system, score.variant): score for score in shown_rows(scores)}
    answered = {(score.system, score.variant): score for score in scores if score.policy == "answered"}
    by_variant: dict[str, list[Score]] = {}
    for score in scores:
        by_variant.setdefault(score.variant, []).append(score)
    # Old scores lack meanings, so the family's present ones are used.
    meanings = family.meanings or described(first.metric).meanings
    unrated: list[str] = []
    empty: list[str] = []
    perfect: list[str] = []
    columns: list[Column] = []
    for variant, rows in by_variant.items():
        if all(score.note == NOT_RATED for score in rows):
            unrated.append(variant)
        elif all(score.n_na == score.n_planned for score in rows):
            empty.append(variant)
        elif _is_folded(variant, family) and all(score.value in (None, 1) for score in rows):
            perfect.append(variant)
        else:
            columns.append(Column(variant, family.groups.get(variant, variant), meaning=meanings.get(variant, "")))
    # What a check looks for is in its name; its meaning says the opposite, what passes.
    explained = [name if family.folds_perfect else f"{name} ({meanings.get(name, name)})" for name in empty]
    lacking = f"No report has a value for {', '.join(explained)}."
    lacking = "There is nothing to score." if len(empty) == len(by_variant) else lacking
    own = {score.system for score in scores if score.self_checked}
    names = system_names((score.system for score in scores), own)
    lines: list[Row] = []
    for label, name in names.items():
        row = [shown.get((label, column.name)) for column in columns]
        others = [answered.get((label, column.name)) for column in columns]
        differing = [
            b if a is not None and b is not None and a.value != b.value else None
            for a, b in zip(row, others, strict=True)
        ]
        for manner, its in (("", row), (ANSWERED, differing)):
            if any(its):
                cells = tuple(None if score is None else _cell(score) for score in its)
                lines.append(Row(name, cells, label, place_of(label), manner, is_minor=bool(manner)))
    return Table(
        title=family.title,
        by=judged_by(first.judge, first.judge_kind, first.judge_params, first.rules),
        columns=tuple(
            replace(column, name=f"without {column.name}") if _is_folded(column.name, family) else column
            for column in columns
        ),
        rows=tuple(lines),
        heading="System",
        turns_for_one=True,
        unrated=tuple(unrated),
        notes=(
            *(_planned(scores) if columns else ()),
            *([lacking] if empty else []),
            *([f"Found in no report: {', '.join(perfect)}."] if perfect else []),
            *_reasons(scores),
            *(_on_numbers(scores, family, names) if columns else ()),
        ),
    )


def _is_folded(variant: str, family: MetricDescription) -> bool:
    """Whether a column of ones, of a check that found nothing in any report, becomes a sentence."""
    return family.folds_perfect and variant not in family.summaries


def _on_numbers(scores: Sequence[Score], family: MetricDescription, names: Mapping[str, str]) -> Iterator[str]:
    """What must be known beside a table's numbers: how they came about, what they mean, and whose they are."""
    yield from _readers(scores, names)
    first = scores[0]
    judge = JudgeRef(spec=first.judge, kind=first.judge_kind, params_hash=first.judge_params)
    yield from family.known_of(judge, first.rules)
    yield from [family.meaning] if family.meaning else []
    yield from [_SELF_CHECKED] if any(score.self_checked for score in scores) else []
    yield from notes_on(names, bounded=family.bounded_by_oracle)


def _reasons(scores: Sequence[Score]) -> list[str]:
    """Why reports have no value, and in which measures: "n/a: the query has no budget (cost_ratio)"."""
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


def _readers(scores: Sequence[Score], names: Mapping[str, str]) -> list[str]:
    """How much of each system's reports was read, and by whom, in the words of ``how_read``.

    Floors are left out: what they declare was never a report's.
    """
    read = {label: name for label, name in names.items() if place_of(label) != "floor"}
    by_name = {name: _reading_of([score for score in scores if score.system == label]) for label, name in read.items()}
    by_name = {name: reading for name, reading in by_name.items() if reading}
    if len(set(by_name.values())) == 1 and len(by_name) > 1:
        reading = next(iter(by_name.values()))
        return [EVERY_DECLARED if reading == DECLARED else f"Every system: {reading}."]
    return ["; ".join(f"{name}: {reading}" for name, reading in by_name.items()) + "."] if by_name else []


def _reading_of(scores: Sequence[Score]) -> str:
    figures = next((score.items for score in scores if score.variant == COVERAGE and "seen" in score.items), {})
    readers = next((found for score in scores if (found := readers_of(score.items))), {})
    total = sum(readers.values())
    by_reader = [
        name if count == total else f"{name} in {count:,.0f} of {total:,.0f}" for name, count in readers.items()
    ]
    read = (
        [f"{figures['read']:,.0f} of {figures['seen']:,.0f} numbers beside citations could be checked"]
        if figures
        else []
    )
    return readers_in_words(", ".join([*read, *by_reader]))


def readers_in_words(reading: str) -> str:
    """What ``how_read`` says of a report, or of many, as a sentence without its end."""
    reading = reading.replace("picks declared (none)", "the agent listed no picks")
    return reading.replace("picks declared", DECLARED).replace(", the agent", ", and the agent")


def _planned(scores: Sequence[Score]) -> list[str]:
    """How many reports are behind a number that says nothing else."""
    counts = {score.n_planned for score in scores}
    if len(counts) > 1:
        return []
    (count,) = counts
    whose = "" if len({score.system for score in scores}) == 1 else " of each system"
    return [f"{counted(count, 'report')}{whose}."]


def _cell(score: Score) -> Cell:
    if score.value is None or score.note == NOT_RATED:
        alone = [why for why, count in _left_out(score).items() if count == score.n_planned]
        return Cell(score.note or (alone or [NOTHING])[0], counts="" if alone else _counts(score))
    return Cell(score.value, "number", score.ci_low, score.ci_high, counts=_counts(score))


def _counts(score: Score) -> str:
    why = "".join(f", {count} {word}" for word, count in _left_out(score).items() if count)
    zeros = f" ({score.n_zero} as 0)" if score.n_zero else ""
    if score.n_queries is not None:
        return f"n={score.n_queries} in one part{why}"
    return f"{score.n_scored} of {score.n_planned}{why}{zeros}" if why else ""


def _left_out(score: Score) -> dict[str, int]:
    """How many reports have no value, by the reason in words; of whom nobody was asked, none failed."""
    runs = {word: int(score.items.get(lack, 0)) for lack, word in LACKS_IN_WORDS.items()}
    judge_failed = score.n_failed - sum(runs.values())
    return {"n/a": score.n_na, "unverifiable": score.n_unverifiable, "failed": judge_failed, **runs}
