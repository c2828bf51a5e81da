"""The lab's files as version 1.0 wrote them, in the first format, turned into rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Old = Mapping[str, Any]


def document_of_1(name: str, document: Old) -> dict[str, Any]:
    """A document in the second format; ``name`` is that of the file, or of the folder of such files."""
    if name == "cards":
        return {**document, "format": 2, "sets": [_set(each) for each in document["sets"]]}
    rows, fields = _FINDINGS[name]
    kept = {field: value for field, value in document.items() if field not in fields}
    return {**kept, "format": 2, "rows": [*rows(document)]}


def _row(name: str, of: str, by: str = "", part: str = "", ends: Old | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "of": of, "by": by, "part": part, **_measured(ends or {}), **more}


def _measured(old: Old) -> dict[str, Any]:
    return {"value": old.get("value"), "ci_low": old.get("low"), "ci_high": old.get("high")}


def _set(old: Old) -> dict[str, Any]:
    whole = ("name", "file", "n", "failed", "undecided", "unasked", "labels", "confusion")
    figures = {name: its if isinstance(its, dict) else {"value": its} for name, its in old.items() if name not in whole}
    kept = {name: old[name] for name in whole if name in old}
    return {**kept, "figures": {name: _measured(its) for name, its in figures.items() if its.get("value") is not None}}


def _agree(document: Old) -> Iterator[dict[str, Any]]:
    def question(old: Old) -> str:
        return ": ".join(filter(None, [old["scale"], old.get("dimension", "").replace("_", " ")]))

    about = ("scale", "dimension", "first", "second", "n", "n_dropped", "low", "high")
    for pair in document.get("pairs", ()):
        figures = {"kappa": None, **{name: value for name, value in pair.items() if name not in about}}
        main = next(name for name in ("kappa_linear", "spearman", "kappa") if name == "kappa" or name in figures)
        for name, value in figures.items():
            ends = {**(pair if name == main else {}), "value": value}
            items = {"dropped": pair["n_dropped"]}
            yield _row(name, pair["first"], pair["second"], question(pair), ends, n=pair["n"], items=items)
    for old in document.get("people", ()):
        ends, items = {**old, "value": old.get("alpha")}, {"people": old["n_people"]}
        yield _row("alpha", "people", "", question(old), ends, n=old["n_items"], items=items, note=old["level"])
    names = {"mean_absolute_deviation": "MAD", "pairwise_comparison_accuracy": "PCA", "ranking_agreement": "same order"}
    for old in document.get("alignments", ()):
        for field, name in names.items():
            yield _row(name, old["judge"], "", question(old), {"value": old.get(field)}, n=old["n_reports"])


def _calibrate(document: Old) -> Iterator[dict[str, Any]]:
    for part in ("tuning", "held_out"):
        for old in document[part]:
            figures = {name: old.get(field, {}) for name, field in (("MAD", "mad"), ("PCA", "pca"), ("κ", "kappa"))}
            defined = {name: its for name, its in figures.items() if its.get("value") is not None} or {"κ": {}}
            yield from (_row(name, old["version"], "", part, its, n=old["n"]) for name, its in defined.items())
    for gap in document.get("gaps", ()):
        yield _row(gap["statistic"], gap["version"], "", "nearer", gap["nearer_by"])


def _correct(document: Old) -> Iterator[dict[str, Any]]:
    for old in document.get("values", ()):
        about, counts = (old["what"], old["system"], old["judge"]), {"n": old.get("n_labels", 0)}
        items = {"items": old.get("n_items"), "gain": old.get("gain")}
        yield _row(*about, "corrected", old, **counts, n_users=old["n_clusters"], items=items)
        alone = {"value": old["labels_alone"], "low": old.get("labels_alone_low"), "high": old.get("labels_alone_high")}
        yield _row(*about, "labels alone", alone, **counts)
        yield _row(*about, "judge alone", {"value": old.get("judged")})
    for old in document.get("missing", ()):
        items = {"items": old["n_items"]}
        yield _row(old["what"], old["system"], "", "corrected", n=old["n_labels"], items=items)
    for old in document.get("separations", ()):
        ends, items = {**old, "value": old["difference"]}, {"needed": old.get("labels_needed")}
        yield _row("FP", old["a"], old["b"], "difference", ends, n=old["labels"], items=items)


def _plant(document: Old) -> Iterator[dict[str, Any]]:
    for kind in (*document.get("kinds", ()), document["everything"]):
        yield _row("planted", kind["kind"], n=kind["n"], items={"no place": kind.get("without_place", 0)})
        for finder, old in kind.get("found", {}).items():
            ends = {**old, "value": old["found"] / old["n"] if old["n"] else None}
            counts = {name: old.get(name, 0) for name in ("n", "failed", "unasked")}
            items = {name: old.get(name, 0) for name in ("found", "unjudged", "false")}
            yield _row("found", kind["kind"], finder, "", ends, **counts, items=items)
    for old in document.get("alarms", ()):
        ends, items = {**old, "value": old["alarms"] / old["n"] if old["n"] else None}, {"alarms": old["alarms"]}
        yield _row("alarms", "good reports", old["finder"], "", ends, unit=old["unit"], n=old["n"], items=items)


def _exploits(document: Old) -> Iterator[dict[str, Any]]:
    for old in document.get("rows", ()):
        yield _row("", old["exploit"], old["judge"], n=old["n"], items={"needed": old["needed"]})
        for part in ("below", "above", "level"):
            for gap in old.get(part, ()):
                value, honest = gap.get("value"), gap.get("honest")
                ends = {**gap, "value": None if value is None or honest is None else value - honest}
                items = {"exploit": value, "honest": honest}
                yield _row(gap["name"], old["exploit"], old["judge"], part, ends, n=gap["n"], items=items)


def _bias(document: Old) -> Iterator[dict[str, Any]]:
    for old in document.get("probes", ()):
        counts = {"failed": old.get("failed", 0), "unasked": old.get("unasked", 0)}
        yield _row("", old["probe"], old["judge"], **counts, note=old.get("reason", ""))
        for effect in old.get("effects", ()):
            items = {name: effect.get(name) for name in ("p", "neutral", "detectable")} | {"items": effect["n_items"]}
            more = {name: effect[name] for name in ("unit", "n", "n_users") if name in effect}
            yield _row(effect["name"], old["probe"], old["judge"], effect["dimension"], effect, **more, items=items)


_FINDINGS: Mapping[str, tuple[Callable[[Old], Iterable[dict[str, Any]]], tuple[str, ...]]] = {
    "agree": (_agree, ("pairs", "people", "alignments")),
    "bias": (_bias, ("probes",)),
    "calibrate": (_calibrate, ("tuning", "held_out", "gaps")),
    "correct": (_correct, ("values", "missing", "separations")),
    "exploits": (_exploits, ("rows",)),
    "plant": (_plant, ("kinds", "everything", "alarms")),
}
"""By finding, what makes its rows, and the fields that they were."""
