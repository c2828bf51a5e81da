"""What is found and who is accused where a language model reads: the judge's extraction, played with files.

    python benchmarks/extractions.py SET --prompts DIR
    python benchmarks/extractions.py SET --answers DIR --confirm
    python benchmarks/extractions.py SET --answers DIR [--misses] [--json FILE] [--world WORLD] [--experiment DIR]

SET is a folder laid out as ``labelled_reports.py`` says, of which this needs NN/query.json, NN/calls.json,
NN/report.md, NN/twins.json (a list of {"file": "twins/1.md", "kind": "yes/no", …}, each a copy of report.md with one
false statement) and these copies; labels.json, planted.json and wishes.json may be missing.

--prompts writes what a judge is asked: DIR/instructions.md (instructions and the answer's JSON schema), and one file a
question: DIR/NN.md, an honest report, and DIR/NN-K.md, the K-th copy in the order of twins.json, with the passage that
is asked about. A reader is given instructions.md and one of the others, never two of one NN, and writes its answer,
JSON of that schema, to a file of the same name that ends in .json: DIR/NN.json, DIR/NN-K.json. Missing answers are
skipped.

--confirm writes the second question, on what records contradict of an answer: DIR/NN.confirm.md, DIR/NN-K.confirm.md.
A reader is given one, knows neither records nor reports, and writes DIR/NN.confirm.json, JSON of the schema in it.

--answers reads DIR/*.json. Printed are honest reports accused and false statements found by kind, by form, as typed
before the second question ("typed"), and as confirmed ("reader"), and the numerals that are decided. What was not
answered is not confirmed. An answer that a judge would be asked to repair is listed with the reason.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from figures import hold, keep
from labelled_reports import LabelledReport, Twin, arguments, read_set, world_of
from pydantic import ValidationError
from reading import meets, new_errors, share

from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.extraction import ReportClaims, answer_problem, claims_of, extraction_prompt
from drretail.eval.claims.report_index import SourceResolver
from drretail.eval.claims.typed_values import Confirmations, confirm_prompt, rulings, to_confirm
from drretail.eval.judging.criteria import NumberedItem
from drretail.llm.prompt import tagged
from drretail.records.evidence import Finding
from drretail.records.reading import Reading, ReadValue
from drretail.reports.text.quotes import has_words
from drretail.shopping.verify.checks import Case, check_report, read_report

READER = "model:files"
READERS = ("form", "typed", "reader")


@dataclass
class Tally:
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict[str, Counter[str]](Counter))
    """By kind of twins: all, those with an answer, those found by each of ``READERS``."""
    accused: dict[str, set[str]] = field(default_factory=lambda: {name: set[str]() for name in READERS})
    looked: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    repairs: list[str] = field(default_factory=list[str])


def main() -> None:
    parser = arguments(__doc__, "what was found, and what missed")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--prompts", type=Path, metavar="DIR", help="write the questions here")
    way.add_argument("--answers", type=Path, metavar="DIR", help="read the answers from here")
    parser.add_argument("--confirm", action="store_true", help="write the second questions there")
    args = parser.parse_args()
    tally = Tally()
    with TemporaryDirectory() as scratch:
        for report in read_set(args.folder, world_of(args, Path(scratch)), args.experiment):
            if args.prompts:
                write_prompts(report, args.prompts)
            elif args.confirm:
                write_confirmations(report, args.answers, tally)
            else:
                measure(report, args.answers, tally)
    hold(args.prompts or tally.looked or args.confirm, "there are labelled reports")
    if args.answers and not args.confirm:
        print(*(tally.notes if args.misses else []), *tally.repairs, sep="\n")
        print_table(tally)
        twins = {kind: dict(count) for kind, count in sorted(tally.kinds.items())}
        accused = {reader: sorted(names) for reader, names in tally.accused.items()}
        keep(args.json, {"twins": twins, "accused": accused, **tally.looked})


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


def write_confirmations(report: LabelledReport, folder: Path, tally: Tally) -> None:
    texts = [report.report, *(twin.report for twin in report.twins)]
    for number, text in enumerate(texts):
        name, case = f"{report.home.name}-{number}" if number else report.home.name, report.case(text)
        answer = read_answer(folder / f"{name}.json", case, tally)
        reading, _ = checked(report, text, answer, ())
        write_confirmation(folder / f"{name}.confirm.md", case, to_confirm(case, reading))


def write_confirmation(path: Path, case: Case, items: Sequence[NumberedItem]) -> None:
    """Writes the second question of a report, unless nothing is to be confirmed."""
    if items:
        schema = json.dumps(Confirmations.model_json_schema())
        shown = "\n\n".join(tagged("claim", item.text, id=str(at)) for at, item in enumerate(items, 1))
        shared, own = confirm_prompt().render_parts(query=tagged("query", case.query.text), items=shown)
        path.write_text(f"{shared}\nAnswer with one JSON object of this schema:\n\n{schema}\n\n{own}")


def confirmed_in_file(path: Path, case: Case, items: Sequence[NumberedItem], counts: Counter[str]) -> list[str]:
    """Which of these items the answer in this file confirms."""
    if not items or not path.exists():
        counts["not answered"] += len(items)
        return []
    answer = Confirmations.model_validate_json(path.read_bytes(), strict=True)
    said = [(number, ruling) for number, ruling in rulings(answer) if has_words(case.report, ruling.quote)]
    return [items[number - 1].item for number, ruling in said if ruling.value and number <= len(items)]


def measure(report: LabelledReport, folder: Path, tally: Tally) -> None:
    name = report.home.name
    by_form, honest = checked(report, report.report)
    answer = read_answer(folder / f"{name}.json", report.case(report.report), tally)
    _, typed = checked(report, report.report, answer)
    reading, findings = twice_asked(report, report.report, answer, folder / f"{name}.confirm.json", tally)
    for reader, found in zip(READERS, (honest, typed, findings), strict=True):
        for one in found:
            if one.severity == "error":
                tally.accused[reader].add(name)
                tally.notes.append(f"{name} FALSE {reader} {one.code}: {one.text!r} ({one.found})")
    tally.looked.update(reports=1, answers=answer is not None, numerals=reading.looked_at.numerals)
    tally.looked.update(by_form=by_form.looked_at.decided, decided=reading.looked_at.decided)
    for number, twin in enumerate(report.twins, 1):
        answer = read_answer(folder / f"{name}-{number}.json", report.case(twin.report), tally)
        new_by_form = new_errors(honest, checked(report, twin.report)[1])
        new_typed = new_errors([*honest, *typed], checked(report, twin.report, answer)[1])
        path = folder / f"{name}-{number}.confirm.json"
        new = new_errors([*honest, *findings], twice_asked(report, twin.report, answer, path, tally)[1])
        there = [one for one in new if is_near(one, twin)]
        is_typed = answer is not None and any(is_near(one, twin) for one in new_typed)
        tally.kinds[twin.kind].update(twins=1, answers=answer is not None, form=bool(new_by_form), typed=is_typed)
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


def twice_asked(
    report: LabelledReport, text: str, values: Sequence[ReadValue] | None, path: Path, tally: Tally
) -> tuple[Reading, list[Finding]]:
    """The reading of a text and what is found wrong, of what the reader typed only what the file ``path`` confirms."""
    case, (reading, _) = report.case(text), checked(report, text, values, ())
    denials = confirmed_in_file(path, case, to_confirm(case, reading), tally.looked)
    return checked(report, text, values, denials)


def checked(
    report: LabelledReport,
    text: str,
    values: Sequence[ReadValue] | None = None,
    confirmed: Sequence[str] | None = None,
) -> tuple[Reading, list[Finding]]:
    """The verified reading of a text and what is found wrong, with the labelled picks declared where there are any.

    Of what the reader typed only ``confirmed`` denials count; None if all do.
    """
    case = report.case(text, report.picks or None)
    denials = None if confirmed is None else tuple(confirmed)
    by_model = None if values is None else Reading(reader=READER, values=tuple(values), confirmed=denials)
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
    if (problem := answer_problem(answer, report=case.report, ids=known, resolver=resolver)) is not None:
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
    print(f"statements to confirm that were not answered: {looked['not answered']}")
    print("false statements: all, read, found by form, as typed, as confirmed; copies with a new error elsewhere")
    for kind, count in [*sorted(tally.kinds.items()), ("all", together)]:
        cells = "  ".join(f"{count[name]:4}" for name in ("twins", "answers", "form", "typed", "found", "elsewhere"))
        print(f"  {kind:24} {cells}")
    print(f"found of those read: {share(together['found'], together['answers'])}")


if __name__ == "__main__":
    main()
