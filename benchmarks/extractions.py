"""What is found and who is accused where a language model reads: the judge's extraction, played with files.

    python benchmarks/extractions.py SET --prompts DIR
    python benchmarks/extractions.py SET --answers DIR [--misses] [--json FILE] [--world WORLD] [--experiment DIR]

SET is a folder laid out as ``labelled_reports.py`` says, of which this needs NN/query.json, NN/calls.json,
NN/report.md, NN/twins.json (a list of {"file": "twins/1.md", "kind": "yes/no", …}, each a copy of report.md with one
false statement) and these copies; labels.json, planted.json and wishes.json may be missing.

--prompts writes what a judge is asked: DIR/instructions.md (instructions and the answer's JSON schema), and one file a
question: DIR/NN.md, an honest report, and DIR/NN-K.md, the K-th copy in the order of twins.json, with the passage that
is asked about. A reader is given instructions.md and one of the others, never two of one NN, and writes its answer,
JSON of that schema, to a file of the same name that ends in .json: DIR/NN.json, DIR/NN-K.json. Missing answers are
skipped.

--answers reads DIR/*.json. Printed are honest reports accused, false statements found by kind, by form and with the
reader, and the numerals that are decided. An answer that a judge would be asked to repair is listed with the reason.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from labelled_reports import LabelledReport, Twin, arguments, read_set, world_of
from pydantic import ValidationError
from reading import meets, new_errors, share

from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.extraction import ReportClaims, answer_problem, claims_of, extraction_prompt
from drretail.eval.claims.report_index import SourceResolver
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.prompts import tagged
from drretail.records.evidence import Finding
from drretail.records.reading import Reading, ReadValue

READER = "model:files"


@dataclass
class Tally:
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    """By kind of twins: all, those with an answer, and those found by form, and with the reader."""
    accused: dict[str, set[str]] = field(default_factory=lambda: {"form": set[str](), "reader": set[str]()})
    looked: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    repairs: list[str] = field(default_factory=list[str])


def main() -> None:
    parser = arguments(__doc__, "what was found, and what missed")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--prompts", type=Path, metavar="DIR", help="write the questions here")
    way.add_argument("--answers", type=Path, metavar="DIR", help="read the answers from here")
    args = parser.parse_args()
    tally = Tally()
    with TemporaryDirectory() as scratch:
        for report in read_set(args.folder, world_of(args, Path(scratch)), Path(scratch), args.experiment):
            if args.prompts:
                write_prompts(report, args.prompts)
            else:
                measure(report, args.answers, tally)
    if args.answers:
        print(*(tally.notes if args.misses else []), *tally.repairs, sep="\n")
        print_table(tally)
        if args.json:
            figures = {kind: dict(count) for kind, count in sorted(tally.kinds.items())}
            accused = {reader: sorted(names) for reader, names in tally.accused.items()}
            args.json.write_text(json.dumps({"twins": figures, "accused": accused, **tally.looked}, indent=1) + "\n")


def write_prompts(report: LabelledReport, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    schema = json.dumps(ReportClaims.model_json_schema())
    shared = extraction_prompt(EXTRACT).shared
    (folder / "instructions.md").write_text(f"{shared}\nAnswer with one JSON object of this schema:\n\n{schema}\n")
    name = report.home.name
    (folder / f"{name}.md").write_text(tagged("report", report.case(report.report).report) + "\n")
    for number, twin in enumerate(report.twins, 1):
        text = report.case(twin.report).report
        asked = f"List the claims of this part of it alone:\n\n{tagged('part', passage(twin))}"
        (folder / f"{name}-{number}.md").write_text(f"{tagged('report', text)}\n\n{asked}\n")


def passage(twin: Twin) -> str:
    """What stands between the empty lines around the changed words: a paragraph, a list or a table."""
    start = twin.report.rfind("\n\n", 0, twin.false[0]) + 1
    end = twin.report.find("\n\n", twin.false[1])
    return twin.report[start : end if end >= 0 else len(twin.report)].strip()


def measure(report: LabelledReport, folder: Path, tally: Tally) -> None:
    name = report.home.name
    by_form, honest = checked(report, report.report)
    answer = read_answer(folder / f"{name}.json", report.case(report.report), tally)
    reading, findings = checked(report, report.report, answer)
    for reader, found in (("form", honest), ("reader", findings)):
        for one in found:
            if one.severity == "error":
                tally.accused[reader].add(name)
                tally.notes.append(f"{name} FALSE {reader} {one.code}: {one.text!r} ({one.found})")
    tally.looked.update(reports=1, answers=answer is not None, numerals=reading.looked_at.numerals)
    tally.looked.update(by_form=by_form.looked_at.decided, decided=reading.looked_at.decided)
    for number, twin in enumerate(report.twins, 1):
        answer = read_answer(folder / f"{name}-{number}.json", report.case(twin.report), tally)
        new_by_form = new_errors(honest, checked(report, twin.report)[1])
        new = new_errors([*honest, *findings], checked(report, twin.report, answer)[1])
        there = [one for one in new if is_near(one, twin)]
        tally.kinds[twin.kind].update(twins=1, answers=answer is not None, form=bool(new_by_form))
        if answer is not None:
            tally.kinds[twin.kind].update(found=bool(there), elsewhere=len(there) < len(new))
        for one in new:
            if one not in there:
                words = f"{one.code}: {one.text!r} ({one.found})"
                tally.notes.append(f"{name}-{number} {twin.kind} ELSEWHERE {words}")
        how = ", ".join(f"{one.code} ({one.found})" for one in there) or ("no answer" if answer is None else "missed")
        tally.notes.append(f"{name}-{number} {twin.kind} {twin.report[slice(*twin.false)]!r}: {how}")


def is_near(finding: Finding, twin: Twin) -> bool:
    """True for a finding without a place, and for one in the line of the changed words."""
    start = twin.report.rfind("\n", 0, twin.false[0]) + 1
    end = twin.report.find("\n", twin.false[1])
    return finding.start is None or meets(finding, start, end if end >= 0 else len(twin.report))


def checked(
    report: LabelledReport, text: str, values: Sequence[ReadValue] | None = None
) -> tuple[Reading, list[Finding]]:
    """The verified reading of a text and what is found wrong, with the labelled picks declared where there are any."""
    case = report.case(text, report.picks or None)
    by_model = None if values is None else Reading(reader=READER, values=tuple(values))
    reading = read_report(case, by_model)
    return reading, check_report(case, reading)


def read_answer(path: Path, case: Case, tally: Tally) -> list[ReadValue] | None:
    """The values of an answer, as a judge's answer is read; None without a file or one of this schema."""
    if not path.exists():
        return None
    resolver = SourceResolver(case.report, case.evidence)
    try:
        answer = ReportClaims.model_validate_json(path.read_bytes(), strict=True)
    except ValidationError as error:
        tally.repairs.append(f"{path.name}: {error}")
        return None
    known = frozenset(case.evidence)
    if (problem := answer_problem(answer, report=case.report, known=known, resolver=resolver)) is not None:
        tally.repairs.append(f"{path.name}: {problem}")
    claims = claims_of(answer, case.report, 0, resolver)
    return [value for claim in claims if claim.start is not None for value in claim.values]


def print_table(tally: Tally) -> None:
    looked = tally.looked
    print(f"{looked['reports']} reports, {looked['answers']} of them read; answers to repair: {len(tally.repairs)}")
    for reader, names in tally.accused.items():
        print(f"honest reports accused by {reader}: {len(names)} {sorted(names) or ''}")
    print(f"numerals beside citations decided: by form {looked['by_form']}, ", end="")
    print(f"with the reader {looked['decided']} of {looked['numerals']}")
    together: Counter[Any] = sum(tally.kinds.values(), Counter[str]())
    print("false statements: all, read, found by form, found with the reader; copies with a new error elsewhere")
    for kind, count in [*sorted(tally.kinds.items()), ("all", together)]:
        cells = "  ".join(f"{count[name]:4}" for name in ("twins", "answers", "form", "found", "elsewhere"))
        print(f"  {kind:24} {cells}")
    print(f"found of those read: {share(together['found'], together['answers'])}")


if __name__ == "__main__":
    main()
