"""Values that others computed, by the same paired test: a table of them, inspect's logs, or promptfoo's JSON."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from drretail.errors import UserError
from drretail.eval.numbers.contrast import Side, concluded, contrast
from drretail.eval.numbers.family import chosen_pairs
from drretail.eval.numbers.judges import Assessor
from drretail.eval.numbers.wording import sentences, sides_named
from drretail.experiment import Definition
from drretail.parsing import parse_json, read_sheet
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable
from drretail.records.run import IMPORTED_AGENT, System
from drretail.records.score import JudgeRef
from drretail.stats.intervals import Clusters

COLUMNS = ("system", "query", "value")
"""The columns that a table needs; ``user`` and ``metric`` may stand beside them. Further rows of a query repeat it."""
_LARGEST = 1e100
"""A value above it is none: its square would be no number."""
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""How inspect writes that an answer is correct, partly correct, incorrect, or that there is none."""
_ERROR = 2
"""How promptfoo writes that an error ended a result, which then has the score 0, and not an assertion."""


class _Value(NamedTuple):
    system: str
    query: str
    value: float | None
    user: str = ""
    metric: str = "value"
    """Empty for a run that failed: it lacks a value in every metric."""


def is_value_table(path: Path) -> bool:
    """True for a file of values, or a folder of inspect's logs."""
    return path.suffix.lower() in (".csv", ".tsv", ".eval", ".json") or (
        path.is_dir() and not (path / "experiment.json").exists() and any(path.glob("*.eval"))
    )


def compare_values(
    path: Path, a: str | None = None, b: str | None = None, *, baseline: str | None = None
) -> tuple[list[Comparison], Clusters, dict[str, System]]:
    """The comparisons of the systems in a file, the clusters of their queries, and the systems by label.

    A query that only one of two systems has in a metric lacks a value of the other. Raises UserError for a file without
    values, and as ``chosen_pairs``.
    """
    values = list(_values(path))
    metrics = [*dict.fromkeys(value.metric for value in values if value.metric)]
    if not metrics:
        raise UserError(f"{path} holds no value.")
    users: dict[str, set[str]] = defaultdict(set)
    for value in values:
        users[value.query].add(value.user)
    by_side: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(dict)
    user_of = dict[str, str]()
    for value in values:
        # What several users asked is a query of each.
        query = value.query if len(users[value.query]) == 1 else f"{value.query} ({value.user or 'no user'})"
        user_of |= {query: value.user} if value.user else {}
        for metric in [value.metric] if value.metric else metrics:
            its = by_side[metric, value.system].setdefault(query, [])
            its += [] if value.value is None else [value.value]
    systems = {value.system: System(agent=IMPORTED_AGENT, models={}) for value in values}
    shown, pairs = chosen_pairs(Definition(systems=systems), a, b, baseline)
    clusters, rows = Clusters(user_of), list[ComparedRow]()
    for (label, other), metric in product(dict.fromkeys([*shown, *pairs]), metrics):
        both = by_side[metric, label], by_side[metric, other]
        queries = sorted(both[0].keys() | both[1].keys())
        sides = [{query: its.get(query, []) for query in queries} for its in both]
        is_share = all(0 <= value <= 1 for side in sides for its in side.values() for value in its)
        a_side, b_side = (
            Side(its, {query: "no value in the file" for query in its if not its[query]}) for its in sides
        )
        row = contrast("table", metric, (a_side, b_side), clusters, whole=1.0 if is_share else inf)
        rows.append(row.model_copy(update={"name": metric, "a": label, "b": other}))
    final, columns = concluded(rows, clusters), Assessor(JudgeRef(spec=path.name, kind="rule_based"), "default").columns
    comparisons = list[Comparison]()
    for label, other in shown:
        table = JudgeTable(**columns, rows=tuple(row for row in final if (row.a, row.b) == (label, other)))
        conclusions = tuple(sentences(table.rows, sides_named(label, other), is_of_two=True))
        comparisons.append(Comparison(a=label, b=other, tables=(table,), conclusions=conclusions))
    return comparisons, clusters, systems


def _values(path: Path) -> Iterator[_Value]:
    if path.suffix.lower() in (".csv", ".tsv"):
        yield from _of_table(path)
        return
    files = sorted(path.glob("*.eval")) if path.is_dir() else [path]
    try:
        documents = [_document(file) for file in files]
        models = {log.get("eval", {}).get("model") for log in documents}
        for file, document in zip(files, documents, strict=True):
            if "samples" in document:
                model, label = document["eval"]["model"], (document["eval"].get("metadata") or {}).get("label")
                yield from _of_inspect(document, label or (model if len(models) == len(documents) else file.stem))
            else:
                yield from _of_promptfoo(document["results"]["results"])
    except (OSError, BadZipFile, NotImplementedError, KeyError, TypeError, ValueError, AttributeError) as problem:
        others = f"no table of {', '.join(COLUMNS)}, no log of inspect and no JSON of promptfoo's"
        raise UserError(f"{path} cannot be read ({problem}): it is {others}.") from None


def _of_table(path: Path) -> Iterator[_Value]:
    sheet = read_sheet(path)
    if missing := [name for name in COLUMNS if name not in sheet.columns]:
        raise UserError(f"{path} has no column {' and no column '.join(missing)}: a table has {', '.join(COLUMNS)}.")
    for number, row in sheet.rows:
        value = _number(row["value"])
        if row["value"] and value is None:
            raise UserError(f"{path}, row {number}: {row['value']!r} is no number.")
        yield _Value(row["system"], row["query"], value, row.get("user", ""), row.get("metric") or "value")


def _document(path: Path) -> dict[str, Any]:
    if path.suffix.lower() != ".eval":
        return parse_json(path.read_text(encoding="utf-8"))
    with ZipFile(path) as archive:
        return parse_json(archive.read("header.json")) | {"samples": parse_json(archive.read("summaries.json"))}


def _of_inspect(log: Mapping[str, Any], system: str) -> Iterator[_Value]:
    for sample in log["samples"]:
        user = _user(sample.get("metadata"))
        for name, score in (sample.get("scores") or {"": None}).items():
            value = score.get("value") if isinstance(score, dict) else score
            for part, part_value in value.items() if isinstance(value, dict) else [("", value)]:
                yield _Value(system, str(sample["id"]), _number(part_value), user, f"{name} {part}".strip())


def _of_promptfoo(results: Sequence[Mapping[str, Any]]) -> Iterator[_Value]:
    prompts = {result.get("prompt", {}).get("label") for result in results}
    for result in results:
        provider, user = result.get("provider"), _user(result.get("vars"))
        name = (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider
        system = f"{name} {result.get('prompt', {}).get('label')}" if len(prompts) > 1 else str(name)
        scores = {"score": result.get("score"), **(result.get("namedScores") or {})}
        for metric, value in ({"": None} if result.get("failureReason") == _ERROR else scores).items():
            yield _Value(system, str(result["testIdx"]), _number(value), user, metric)


def _user(about: Any) -> str:
    return str((about or {}).get("user_id") or (about or {}).get("user") or "")


def _number(value: Any) -> float | None:
    with suppress(TypeError, ValueError):
        grade = _GRADES.get(value)
        return number if abs(number := float(value if grade is None else grade)) <= _LARGEST else None
    return None
