"""How well reports are read: values, picks, false alarms and planted errors.

    python benchmarks/reading.py SET [--experiment DIR] [--world WORLD] [--misses] [--json FILE]

Three readers: form; form with the picks that labels say, declared; and an ideal reader, whose labels go through the
verification of a model's reading. SET is a folder laid out as ``labelled_reports.py`` says; its world is --world (a
folder or its archive), else its world.tar.xz, else the demo's. A value is right where its words, its kind and its
product are those of a label. What accuses is listed by its code: an honest report accused is a fault of the rule.
Of twins (copies with one false statement, no labels) are counted, by kind: false statements found, their true words
accused in the honest report, and those at whose place form read a value.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import keep
from labelled_reports import OF_JUDGES, LabelledReport, Planted, Twin, arguments, read_set, world_of

from drretail.grounding.verify.checks import check_report, read_report
from drretail.records.evidence import Finding
from drretail.records.reading import Pick, Reading, ReadValue

UNLABELLED = ("form", "declared")
READERS = (*UNLABELLED, "ideal")
READ = ("price", "rating", "rating_count", "date", "total", "difference", "left_over", "per_unit")
OF_PRODUCTS = ("price", "rating", "rating_count")


@dataclass
class Tally:
    """What has been counted over all reports; planted errors by reader and kind."""

    recall: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    values: Counter[str] = field(default_factory=Counter[str])
    picks: Counter[str] = field(default_factory=Counter[str])
    alarms: Counter[str] = field(default_factory=Counter[str])
    accused: dict[str, set[str]] = field(default_factory=lambda: {reader: set[str]() for reader in READERS})
    planted: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: {reader: defaultdict[str, Counter[str]](Counter) for reader in READERS}
    )
    codes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    """What each code finds: honest reports accused, and planted errors found, by reader."""
    twins: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    """Of each kind of twins: all, those whose true words were read, and by reader those accused and those found."""
    figures: Counter[str] = field(default_factory=Counter[str])
    misses: list[str] = field(default_factory=list[str])


def main() -> None:
    args = arguments(__doc__, "what was missed, wrong or found").parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        world = world_of(args, Path(scratch))
        for report in read_set(args.folder, world, Path(scratch), args.experiment):
            measure(report, tally)
    if args.misses:
        print(*tally.misses, sep="\n")
    figures = as_figures(tally)
    print_table(tally, figures)
    keep(args.json, figures)


def measure(report: LabelledReport, tally: Tally) -> None:
    honest = {reader: checked(report, reader) for reader in READERS}
    by_form, _ = honest["form"]
    looked = by_form.looked_at
    tally.figures.update(reports=1, numerals=looked.numerals, decided=looked.decided)
    tally.figures.update(seen=by_form.seen, read=by_form.read)
    count_values(report, by_form, tally)
    count_picks(report, by_form, tally)
    for reader, (_, findings) in honest.items():
        for finding in findings:
            tally.alarms[f"{reader} {finding.severity}"] += 1
            if finding.severity == "error":
                tally.accused[reader].add(report.home.name)
                tally.codes[finding.code][f"{reader} false"] += 1
            words = f"{finding.code}: {finding.text!r} ({finding.found})"
            tally.misses.append(f"{report.home.name} FALSE {reader} {finding.severity} {words}")
    for planted in report.planted:
        for reader, (_, findings) in honest.items():
            _, found = checked(report, reader, planted)
            new = new_errors(findings, found)
            tally.planted[reader][planted.kind]["found" if new else "missed"] += 1
            for code in {each.code for each in new}:
                tally.codes[code][f"{reader} planted"] += 1
            codes = ", ".join(each.code for each in new) or "missed"
            tally.misses.append(f"{report.home.name}/{planted.file} {reader} {planted.kind}: {codes}")
    count_twins(report, honest, tally)


def new_errors(honest: Iterable[Finding], found: Iterable[Finding]) -> list[Finding]:
    """The errors of a copy that the honest report does not have."""
    known = {(each.code, each.text) for each in honest}
    return [each for each in found if each.severity == "error" and (each.code, each.text) not in known]


def checked(report: LabelledReport, reader: str, copy: Planted | Twin | None = None) -> tuple[Reading, list[Finding]]:
    """The verified reading of the report, or of a copy, with what is found wrong. A twin has the report's picks."""
    text = report.report if copy is None else copy.report
    planted = copy if isinstance(copy, Planted) else None
    picks: Sequence[Pick] | None = None
    if reader == "declared":
        picks = report.picks if planted is None else report.declared(planted)
    case = report.case(text, picks)
    reading = read_report(case, report.ideal(planted) if reader == "ideal" else None)
    return reading, check_report(case, reading)


def count_twins(report: LabelledReport, honest: Mapping[str, tuple[Reading, list[Finding]]], tally: Tally) -> None:
    for twin in report.twins:
        count = tally.twins[twin.kind]
        count.update(twins=1, read=any(meets(value, *twin.true) for value in honest["form"][0].values))
        for reader in UNLABELLED:
            _, findings = honest[reader]
            new = new_errors(findings, checked(report, reader, twin)[1])
            accused = [each for each in findings if each.severity == "error" and meets(each, *twin.true)]
            count.update({f"{reader} found": bool(new), f"{reader} accused": bool(accused)})
            codes = ", ".join(each.code for each in new) or "missed"
            words = twin.report[slice(*twin.false)]
            tally.misses.append(f"{report.home.name} {reader} twin {twin.kind} {words!r}: {codes}")


def meets(one: Finding | ReadValue, start: int, end: int) -> bool:
    return one.start is not None and one.end is not None and one.start < end and start < one.end


def count_values(report: LabelledReport, reading: Reading, tally: Tally) -> None:
    labels: Sequence[Mapping[str, Any]] = report.labels["values"]
    name, text = report.home.name, report.report
    for label in labels:
        if label["kind"] in READ:
            hit = any(is_right(value, label) for value in reading.values)
            tally.recall[label["kind"]]["right" if hit else "missed"] += 1
            if not hit and label["kind"] in OF_PRODUCTS:
                tally.misses.append(f"{name} {label['kind']} not read: {around(text, label['start'], label['end'])}")
    for value in reading.values:
        if value.kind in READ:
            right = any(is_right(value, label) for label in labels)
            tally.values["right" if right else "wrong"] += 1
            if not right:
                tally.misses.append(f"{name} WRONG VALUE {value.kind}: {around(text, value.start, value.end)}")


def count_picks(report: LabelledReport, reading: Reading, tally: Tally) -> None:
    wanted, got = ({pick.product for pick in picks} for picks in (report.picks, reading.picks or ()))
    tally.picks.update(right=len(got & wanted), wrong=len(got - wanted), missed=len(wanted - got))
    tally.picks["reports known"] += reading.picks is not None
    if got - wanted:
        tally.misses.append(f"{report.home.name} WRONG PICK {got - wanted}")


def is_right(value: ReadValue, label: Mapping[str, Any]) -> bool:
    """True when a value says what a label does: at its place, of its kind, and of its product."""
    if value.kind != label["kind"] or value.end <= label["start"] or label["end"] <= value.start:
        return False
    products = label["of"] if isinstance(label["of"], list) else [label["of"]]
    return value.kind not in OF_PRODUCTS or {each[2:] for each in value.of} <= {
        *products,
        *(f"{product}"[2:] for product in products),
    }


def around(report: str, start: int, end: int) -> str:
    return repr(report[max(0, start - 40) : end + 20])


def share(right: int, of: int) -> float | None:
    return round(right / of, 3) if of else None


def found_of(counts: Iterable[Counter[str]]) -> float | None:
    together = sum(counts, Counter[str]())
    return share(together["found"], together.total())


def of_code(kinds: Mapping[str, Counter[str]]) -> list[Counter[str]]:
    """The planted errors that code is expected to find."""
    return [count for kind, count in kinds.items() if not kind.startswith(OF_JUDGES)]


def as_figures(tally: Tally) -> dict[str, Any]:
    return {
        "reports": tally.figures["reports"],
        "coverage": share(tally.figures["read"], tally.figures["seen"]),
        "looked_at": share(tally.figures["decided"], tally.figures["numerals"]),
        "values_precision": share(tally.values["right"], tally.values.total()),
        "recall": {kind: share(count["right"], count.total()) for kind, count in tally.recall.items()},
        "picks_precision_by_form": share(tally.picks["right"], tally.picks["right"] + tally.picks["wrong"]),
        "picks_recall_by_form": share(tally.picks["right"], tally.picks["right"] + tally.picks["missed"]),
        "accused": {reader: sorted(names) for reader, names in tally.accused.items()},
        "false_errors": {reader: tally.alarms[f"{reader} error"] for reader in READERS},
        "false_warnings": {reader: tally.alarms[f"{reader} warning"] for reader in READERS},
        "planted_of_code": {reader: found_of(of_code(kinds)) for reader, kinds in tally.planted.items()},
        "twins": {kind: dict(count) for kind, count in sorted(tally.twins.items())},
        "planted_by_code": {code: dict(counts) for code, counts in sorted(tally.codes.items())},
    }


def print_table(tally: Tally, figures: Mapping[str, Any]) -> None:
    print(f"{figures['reports']} reports")
    print(f"numerals beside citations decided: {tally.figures['decided']} of {tally.figures['numerals']}")
    print(f"figures read {tally.figures['read']} of {tally.figures['seen']} seen")
    print(f"values read: precision {figures['values_precision']} ({tally.values.total()} values)")
    for kind in READ:
        count = tally.recall[kind]
        print(f"  {kind:14} {count['right']:3} of {count.total():3} labelled   {figures['recall'].get(kind)}")
    print(f"picks by form: {dict(tally.picks)}; precision {figures['picks_precision_by_form']}")
    accused = {reader: f"{len(names)} of {figures['reports']}" for reader, names in tally.accused.items()}
    print(f"honest reports accused: {accused}")
    print(f"false errors {figures['false_errors']}, false warnings {figures['false_warnings']}")
    for reader, kinds in tally.planted.items():
        together = sum(of_code(kinds), Counter[str]())
        print(f"planted errors of code's kinds found by {reader}: {together['found']} of {together.total()}")
    for kind in sorted(tally.planted["form"]):
        counts = [(reader, tally.planted[reader][kind]) for reader in READERS]
        cells = "   ".join(f"{reader} {count['found']}/{count.total()}" for reader, count in counts)
        print(f"  {kind:34} {cells}{'   (a judge’s)' if kind.startswith(OF_JUDGES) else ''}")
    print("what accuses: honest reports / planted errors found, by reader")
    for code, counts in sorted(tally.codes.items()):
        cells = "   ".join(f"{reader} {counts[f'{reader} false']}/{counts[f'{reader} planted']}" for reader in READERS)
        print(f"  {code:34} {cells}")
    print_twins(tally.twins)


def print_twins(kinds: Mapping[str, Counter[str]]) -> None:
    together = sum(kinds.values(), Counter[str]())
    if not together:
        return
    print(f"false statements found: of {together['twins']}, {together['read']} at a place where form reads a value")
    for kind, count in [*sorted(kinds.items()), ("all", together)]:
        cells = "   ".join(
            f"{reader} found {count[f'{reader} found']}, true ones accused {count[f'{reader} accused']}"
            for reader in UNLABELLED
        )
        print(f"  {kind:22} {count['twins']:3}, read {count['read']:3}   {cells}")


if __name__ == "__main__":
    main()
