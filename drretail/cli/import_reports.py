"""``drretail import``: reports, tasks and personas of other benchmarks and products, as an experiment."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from drretail.api.option import Option
from drretail.api.options.shared import Names
from drretail.cli.options import flags
from drretail.errors import UserError
from drretail.progress import busy, choose_progress
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_rows, print_text, say

if TYPE_CHECKING:
    from drretail.imports.material import Material
    from drretail.imports.recording import Imported, ReportCount
    from drretail.records.query import Query


QUERY_FILE = ".jsonl"


def import_reports(
    form: Annotated[
        str,
        Option(
            "drb, drg, reporteval, dr3, liveresearch, deepshop, agenticshop, arena, ecomagentbench, pdr, chat, "
            "markdown (also for Word and PDF files), a plugin's, or module:attribute.",
            argument=True,
            metavar="FORMAT",
        ),
    ],
    path: Annotated[Path, Option("A file (it may be compressed), or a folder of them.", argument=True, metavar="PATH")],
    to: Annotated[Path, Option("The experiment's folder; or FILE.jsonl, to import only the questions.", metavar="EXP")],
    output: flags.Output,
    system: Annotated[
        str | None, Option("The system that wrote the reports (default: the file's name).", metavar="NAME")
    ] = None,
    model: Annotated[str | None, Option("The model that wrote the reports.", metavar="PROVIDER:MODEL")] = None,
    pages: Annotated[
        Path | None,
        Option("The cited pages: a JSONL file, or a folder with an index.jsonl of {url, file}.", metavar="PATH"),
    ] = None,
    world: Annotated[
        str | None, Option("The shop whose records are used to check claims about products.", short="-w", metavar="W")
    ] = None,
    redact: Annotated[
        bool, Option("Remove personal data (e-mail, phone, IBAN, card, street) before anything is written.")
    ] = False,
    names: Names = None,
) -> None:
    """Makes an experiment from reports: Markdown, Word, PDF, chat logs, and ten benchmarks' files.

    docs/exchange.md lists the files of each FORMAT. Word and PDF need the extra `documents`.

    A second import into the same folder adds systems.
    """
    from drretail.api.worlds import open_world
    from drretail.grounding.text.redaction import Redactor
    from drretail.imports.formats import load_format
    from drretail.imports.recording import record
    from drretail.imports.rows import redacting

    chosen = load_format(form)
    if not path.exists():
        raise UserError(f"{path} does not exist: name a file or a folder of reports.")
    redactor = Redactor.of(redact, names)
    with busy("reading"), redacting(redactor):
        material = chosen.read(path)
    if material.is_empty and material.left_out:
        raise UserError(f"There is no text in {_some(material.left_out)}: name files that hold reports.")
    if material.is_empty:
        raise UserError(f"{path} holds nothing of this format ({chosen.described}): check the format and the path.")
    material = material if system is None else material.renamed(system)
    if to.suffix == QUERY_FILE and not to.is_dir():
        if pages is not None:
            raise UserError(f"{to} would be a file of questions, which holds no pages: leave --pages out.")
        _keep_questions(material, form, to, world, as_json=output.as_json)
        return
    progress = choose_progress()
    with ExitStack() as stack:
        shop = None if world is None else stack.enter_context(open_world(world))
        stack.enter_context(redacting(redactor))
        came = record(material, form, to, progress, model=model, pages=pages, world=shop)
    if not output.as_json:
        if came.reports:
            rows = [[label, *totals.values()] for label, totals in by_system(came.reports).items()]
            print_rows("Imported reports", COLUMNS, rows)
        print_text(*_notes(came), *([f"Next: drretail score {to}"] if came.reports else []))
        say(f"Kept in {to}.")
        return
    # All counts, by system and by report
    print_json(
        {
            "experiment": str(to),
            "import": form,
            **_questions_counted(came.queries),
            "systems": by_system(came.reports),
            "reports": [asdict(report) for report in came.reports],
            "empty": came.empty,
            "held_already": came.held,
            "repeated": came.repeated,
            "left_out": list(came.left_out),
            "unread_roles": dict(came.unread_roles),
            "pages": None if came.pages is None else {"kept": came.pages[0], "given": came.pages[1]},
        }
    )


def _keep_questions(material: "Material", form: str, to: Path, world: str | None, *, as_json: bool) -> None:
    """Writes the questions alone, as a file of queries."""
    from drretail.api.worlds import known_user, open_world
    from drretail.imports.recording import write_queries

    with ExitStack() as stack:
        shop = None if world is None else stack.enter_context(open_world(world))
        queries = write_queries(material, form, to, str if shop is None else partial(known_user, shop))
    if as_json:
        print_json({"file": str(to), **_questions_counted(queries)})
        return
    left = counted(len(material.reports), "answer")
    print_text(_questions(queries), *([f"Left out: {left}."] if material.reports else []))
    say(f"Kept in {to}.")


COLUMNS = ("system", "reports", "citations", "sources cited", "sources named", "unresolved")
MOST_NAMED = 5
SUMMED = ("citations", "sources", "listed", "unresolved")


def _notes(came: "Imported") -> Iterator[str]:
    yield _questions(came.queries)
    unread = [report.where for report in came.reports if report.unread]
    if unread:
        yield (
            f"Warning: {_some(unread)}: there are marks or a list of sources, and no citation "
            "leads to a source, so that FR and what rests on citations is n/a: export the report again with its marks "
            "and addresses; docs/exchange.md has the forms that are read."
        )
    if calls := sum(report.calls for report in came.reports):
        pages, products, broken, unread = (
            sum(getattr(report, name) for report in came.reports)
            for name in ("pages", "products", "unanswered", "unread_arguments")
        )
        yield (
            f"Tool calls: {calls:,}, of which {calls - broken:,} have a result, with {counted(pages, 'page')} and "
            f"{counted(products, 'product')}."
        )
        if broken:
            yield f"Warning: {counted(broken, 'call')} without a result or with an error, which brought no evidence."
        if unread:
            yield f"Warning: {counted(unread, 'call')} with arguments that are no JSON object, which are kept as text."
    if named := sum(bool(report.looked_up) for report in came.reports):
        products = len({product for report in came.reports for product in report.looked_up})
        yield (
            f"{named:,} of {counted(len(came.reports), 'answer')} {'names' if named == 1 else 'name'} products of the "
            f"shop ({counted(products, 'product')}). Their records were looked up for judging: nothing says "
            "that the writer read them."
        )
    if came.left_out:
        yield f"Left out, since there is no word in it: {_some(came.left_out)}."
    if roles := came.unread_roles:
        messages = ", ".join(f"{role or 'none'} ({count:,})" for role, count in roles.items())
        yield f"Warning: messages of roles that are not read are left out: {messages}."
    if came.empty:
        yield f"Without a word: {counted(came.empty, 'report')}. They are failed runs."
    if came.held:
        yield f"In the experiment already: {counted(came.held, 'report')}. They stay as they are."
    if came.repeated:
        yield f"Left out: {counted(came.repeated, 'report')} that the file holds more than once."
    if came.pages is not None:
        kept, given = came.pages
        yield f"Pages given: {given:,}, of which {kept:,} are cited or listed by reports here."


def _some(names: "Sequence[str]") -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def _questions(queries: "Sequence[Query]") -> str:
    personas = sum(query.persona is not None for query in queries)
    return f"Questions: {len(queries):,}{f', {personas:,} with a persona' if personas else ''}."


def by_system(reports: "Sequence[ReportCount]") -> dict[str, dict[str, int]]:
    """Sums over the reports of each system, by label."""
    totals: dict[str, dict[str, int]] = {}
    for report in reports:
        counts = totals.setdefault(report.system, dict.fromkeys(("reports", *SUMMED), 0))
        counts["reports"] += 1
        for name in SUMMED:
            counts[name] += getattr(report, name)
    return dict(sorted(totals.items()))


def _questions_counted(queries: "Sequence[Query]") -> dict[str, int]:
    return {"queries": len(queries), "personas": sum(query.persona is not None for query in queries)}
