"""How well code finds what is false in reports: honest reports accused, planted errors and false statements found.

    python benchmarks/reading.py SET [--experiment DIR] [--world WORLD] [--misses] [--json FILE]

Three readers: form; form with the picks that labels say, declared; and an ideal reader, whose labels are typed places
as a model gives them. SET is a folder laid out as ``labelled_reports.py`` says; its world is --world (a folder or its
archive), else its world.tar.xz, else the demo's. An honest report accused is a fault of the rule. Of twins (copies with
one false statement, no labels) are counted, by kind, those found, and those whose true words are accused.

Texts alone will do: SET is then a folder with labels.jsonl, one text a line, {"file": "a.md", "question": "…", "false":
["$29.99"]}, where "false" is empty for an honest text. Each is held against the world as `drretail check` does it, by
form, or with --judge MODEL. --misses lists honest words that are accused and false ones that are not found.
"""

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import hold, keep
from labelled_reports import OF_JUDGES, LabelledReport, Planted, Twin, arguments, read_set, world_of

from drretail import check
from drretail.env.world import World
from drretail.records.evidence import Finding
from drretail.records.reading import Pick, Reading
from drretail.shopping.verify.checks import check_report, read_report

READERS = ("form", "declared", "ideal")
LOOKED_AT = ("numerals", "decided", "altered", "caught")
Found = dict[str, dict[str, Counter[str]]]
"""By reader and kind."""


def _counters() -> Found:
    return {reader: defaultdict[str, Counter[str]](Counter) for reader in READERS}


@dataclass
class Tally:
    """What has been counted over all reports."""

    accused: dict[str, set[str]] = field(default_factory=lambda: {reader: set[str]() for reader in READERS})
    looked: dict[str, Counter[str]] = field(default_factory=lambda: {reader: Counter[str]() for reader in READERS})
    planted: Found = field(default_factory=_counters)
    twins: Found = field(default_factory=_counters)
    misses: list[str] = field(default_factory=list[str])
    reports: int = 0


def main() -> None:
    parser = arguments(__doc__, "what was missed, wrong or found")
    parser.add_argument("--judge", metavar="MODEL", help="of texts alone: who types what they say")
    args = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        world = world_of(args, Path(scratch))
        if (args.folder / "labels.jsonl").exists():
            measure_texts(args.folder, world, args.judge, args.misses)
            return
        for report in read_set(args.folder, world, args.experiment):
            tally.reports += 1
            for reader in READERS:
                measure(report, reader, tally)
    if args.misses:
        print(*tally.misses, sep="\n")
    hold(tally.reports, "there are labelled reports")
    print_table(tally)
    keep(args.json, as_figures(tally))


def measure_texts(folder: Path, world: World, judge: str | None, misses: bool) -> None:
    """Prints how many honest texts are accused, and in how many others a false statement is found at its words."""
    lines = (folder / "labels.jsonl").read_text("utf-8").splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]
    counts, missed = Counter[str](), list[str]()
    for row in rows:
        text = (folder / row["file"]).read_text("utf-8")
        checked_text = check(row["question"], text, world, **({"judge": judge} if judge else {}))
        errors = [each for each in checked_text.findings if each.severity == "error"]
        false = [(text.find(words), text.find(words) + len(words)) for words in row["false"]]
        hold(all(start >= 0 for start, _ in false), f"the false words of {row['file']} stand in it")
        right = [each for each in errors if not any(meets(each, *span) for span in false)]
        counts["false" if false else "honest"] += 1
        counts["found"] += len(errors) > len(right)
        counts["accused"] += bool(right)
        counts.update({each: getattr(checked_text.looked_at, each) for each in LOOKED_AT})
        missed += [f"{row['file']} ACCUSED {each.text!r} ({each.found})" for each in right]
        missed += [f"{row['file']} MISSED {row['false']}"] * (bool(false) and len(errors) == len(right))
    hold(len(rows), "there are labelled texts")
    if misses:
        print(*missed, sep="\n")
    print(f"{counts['accused']} of {len(rows)} texts are accused of true words; {counts['honest']} are honest")
    print(f"{counts['found']} of {counts['false']} false texts are found")
    print(f"{counts['decided']} of {counts['numerals']} numbers are checked, ", end="")
    print(f"and {share(counts['caught'], counts['altered'])} of {counts['altered']} random changes of right ones found")


def measure(report: LabelledReport, reader: str, tally: Tally) -> None:
    name = report.home.name
    reading, honest = checked(report, reader)
    tally.looked[reader].update({each: getattr(reading.looked_at, each) for each in LOOKED_AT})
    for finding in (each for each in honest if each.severity == "error"):
        tally.accused[reader].add(name)
        tally.misses.append(f"{name} FALSE {reader} {finding.code}: {finding.text!r} ({finding.found})")
    for copy in (*report.planted, *(() if reader == "ideal" else report.twins)):
        new = new_errors(honest, checked(report, reader, copy)[1])
        counts = {"copies": 1, "found": int(bool(new))}
        if isinstance(copy, Twin):
            counts["accused"] = int(any(each.severity == "error" and meets(each, *copy.true) for each in honest))
        of_kind = (tally.planted if isinstance(copy, Planted) else tally.twins)[reader][copy.kind]
        of_kind.update(counts)
        tally.misses.append(f"{name} {reader} {copy.kind}: {', '.join(each.code for each in new) or 'missed'}")


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


def new_errors(honest: Iterable[Finding], found: Iterable[Finding]) -> list[Finding]:
    """The errors of a copy that the honest report does not have."""
    known = {(each.code, each.text) for each in honest}
    return [each for each in found if each.severity == "error" and (each.code, each.text) not in known]


def meets(one: Finding, start: int, end: int) -> bool:
    return one.start is not None and one.end is not None and one.start < end and start < one.end


def share(right: int, of: int) -> float | None:
    return round(right / of, 3) if of else None


def together(kinds: Mapping[str, Counter[str]]) -> Counter[str]:
    """The sums over the kinds that code is expected to find."""
    return sum((count for kind, count in kinds.items() if not kind.startswith(OF_JUDGES)), Counter[str]())


def as_figures(tally: Tally) -> dict[str, Any]:
    return {
        "reports": tally.reports,
        "accused": {reader: sorted(names) for reader, names in tally.accused.items()},
        "looked_at": {reader: dict(counts) for reader, counts in tally.looked.items()},
        "planted": {
            reader: {kind: dict(one) for kind, one in kinds.items()} for reader, kinds in tally.planted.items()
        },
        "twins": {reader: {kind: dict(one) for kind, one in kinds.items()} for reader, kinds in tally.twins.items()},
    }


def print_table(tally: Tally) -> None:
    for reader in READERS:
        looked, planted, twins = tally.looked[reader], tally.planted[reader], together(tally.twins[reader])
        print(f"{reader}: {len(tally.accused[reader])} of {tally.reports} honest reports accused")
        print(f"  checked {looked['decided']} of {looked['numerals']} numerals, power", end=" ")
        print(f"{share(looked['caught'], looked['altered'])} of {looked['altered']}")
        print(f"  planted errors of code's kinds: {together(planted)['found']} of {together(planted)['copies']}")
        for kind, count in sorted(planted.items()):
            print(f"    {kind:34} {count['found']} of {count['copies']}")
        if twins:
            print(f"  false statements: {twins['found']} of {twins['copies']}, true ones accused {twins['accused']}")


if __name__ == "__main__":
    main()
