"""Records imported reports in an experiment, and counts what was imported.

Sources that a report names are evidence that nobody fetched, unless the user gives pages of them.
"""

import mimetypes
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from drretail import __version__
from drretail.addons.imports.material import (
    FileRow,
    ForeignReport,
    ForeignTask,
    Material,
    file_stem,
    read_rows,
    read_text,
    redacted,
)
from drretail.env.looked_up import shop_address, with_looked_up
from drretail.env.named_products import NamedProducts
from drretail.env.web.base import Fetched, WebPage
from drretail.env.web.cleaning import LONGEST_TITLE, clean_line, cleaned_page
from drretail.env.web.page import read_web_page
from drretail.env.world import World
from drretail.errors import UserError, quoted
from drretail.experiments.experiment import (
    KNOWN_ANSWERS,
    Definition,
    Experiment,
    keep_account,
    keep_source,
    path_of,
    read_definition,
    read_runs,
    run_path,
)
from drretail.experiments.query_files import write_with_gold
from drretail.experiments.run_file import Recorded, read_evidence, read_run
from drretail.files import write_json
from drretail.progress import Progress
from drretail.records.account import Account
from drretail.records.base import sha256_of
from drretail.records.criteria import KnownAnswer
from drretail.records.evidence import Citation, CitationCounts, Evidence
from drretail.records.query import Query
from drretail.records.run import (
    IMPORTED_AGENT,
    LOOKED_UP,
    NINE,
    RoleModel,
    Run,
    System,
    imported_run,
    shortened,
    slug,
)
from drretail.reports.citations import (
    Cited,
    find_citations,
    scan,
    shop_place,
)
from drretail.reports.text.evidence_ids import bare_address, normalise_url, product_evidence_id, web_evidence_id

NAME = "name"
"""The option of an imported system that keeps its name as it was given, since a label folds case and signs."""
NO_SHOP = "The report was imported without the shop's records."


@dataclass(frozen=True, slots=True)
class CitedSources:
    """The sources of a report, as far as it names them."""

    evidence: tuple[Evidence, ...]
    """One entry per page or product that is cited, listed, or was seen by the writer; only the last have texts."""
    citations: tuple[Citation, ...]
    counts: CitationCounts

    @property
    def cited(self) -> int:
        """How many distinct sources the citations lead to."""
        return len({citation.evidence_id for citation in self.citations if citation.evidence_id is not None})

    @property
    def unresolved(self) -> int:
        """How many citations lead nowhere: to no entry, or an id of another ledger."""
        return sum(citation.leads_nowhere for citation in self.citations)


def cited_sources(report: str, seen: Sequence[Evidence] = ()) -> CitedSources:
    """The sources and citations of a report, whose text stays. ``seen`` is the evidence that its writer was shown.

    Addresses that differ only in http and https, or in www., are one source; its address is the first of them.
    """
    tokens = scan(report, None)
    marks = (cited for mark in tokens.marks for cited in mark.cited)
    seen_sources = {bare_address(entry.url) if entry.url else entry.id: entry for entry in seen}
    of_shop = {shop_place(entry.url): entry for entry in seen if entry.looked_up and entry.url}
    sources_cited: dict[str, Evidence] = {}
    for cited in (*marks, *tokens.listed):
        if cited.url is None:
            continue
        address = bare_address(cited.url)
        if (product := of_shop.get(shop_place(cited.url))) is not None:
            address = bare_address(product.url or "")
        held = sources_cited.setdefault(address, seen_sources.get(address) or _evidence(cited, cited.url))
        if held.title == held.url and cited.title:
            sources_cited[address] = held.model_copy(update={"title": clean_line(cited.title, LONGEST_TITLE)})
    evidence = tuple({**seen_sources, **sources_cited}.values())
    return CitedSources(evidence, tuple(find_citations(report, evidence)), scan(report, evidence).counts)


def _evidence(cited: Cited, url: str) -> Evidence:
    title = clean_line(cited.title, LONGEST_TITLE) or url
    if cited.type == "product":
        key = url.rstrip("/").rpartition("/")[2]
        product = {"id": product_evidence_id(key), "kind": "product", "key": key, "state": "error", "problem": NO_SHOP}
        return Evidence.model_validate({**product, "title": title, "url": url})
    return Evidence(id=web_evidence_id(url), kind="web", key=normalise_url(url), title=title, url=url)


INDEX = "index.jsonl"
FORM = f"{INDEX} of {{url, file}}, or a file of {{url, title, text, date?}} a line"
_CONTENT = frozenset({"file", "text", "page_body"})


def _read_pages(place: Path, account: Account) -> list[WebPage]:
    """The pages in a folder or a file, cleaned like fetched ones. Raises UserError if nothing has the form ``FORM``."""
    index = place / INDEX if place.is_dir() else place
    if not index.is_file():
        raise UserError(f"{index} does not exist: pages are given as {FORM}.")
    read = partial(_page, folder=index.parent)
    rows = read_rows(index, lambda value: "url" in value and not _CONTENT.isdisjoint(value), account, read)
    cleaned = ((row.where, cleaned_page(page)) for row, page in rows)
    pages: list[WebPage] = []
    for where, page in cleaned:
        if page.text.strip():
            pages.append(replace(page, title=redacted(page.title), text=redacted(page.text)))
        else:
            account.leave_out("no text in it", where)
    if not pages:
        raise UserError(f"{place} holds no page: give a folder with {FORM}.")
    return pages


def _keep_pages(experiment: Path, pages: Iterable[WebPage], account: Account) -> None:
    """Writes the pages that reports name into exp/sources; of several with one address, the last.

    Only imported reports and runs on the open web are completed. The experiment must be locked for writing.
    """
    systems = read_definition(experiment).systems
    pages_by_address: dict[str, Evidence] = {}
    for run in read_runs(experiment):
        if systems[run.system].web_is_live:
            for entry in read_evidence(path_of(experiment, run)):
                if entry.kind == "web" and entry.url:
                    pages_by_address.setdefault(bare_address(entry.url), entry)
    fetched: set[str] = set()
    for page in pages:
        entry = pages_by_address.get(bare_address(page.url))
        if entry is None or not entry.url:
            account.leave_out("no report here names it", page.url)
        elif entry.id in fetched:
            account.merge("the address of another page, which the last one replaces", page.url)
        else:
            account.use()
        if entry is not None and entry.url:
            keep_source(experiment, entry.id, entry.url, page.as_fetched(None, datetime.now(UTC)))
            fetched.add(entry.id)


def _page(row: FileRow, *, folder: Path) -> WebPage:
    """The page in a row, or in the file within the folder that the row names. HTML is read as pages of the web are."""
    url = row.id("url")
    if "file" not in row.value:
        text = row.text("text", "page_body")
        return WebPage(url, row.text("title"), text, "ok" if text else "no_content", row.text("date") or None)
    file = folder / row.id("file")
    if not file.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{row.where}: {row.text('file')!r} lies outside {folder}.")
    text = read_text(file)
    name = file.name.removesuffix(".gz")
    if not name.casefold().endswith((".html", ".htm", ".xhtml")) and mimetypes.guess_type(name)[0] != "text/html":
        return WebPage(url, row.text("title") or file_stem(file), text, "ok" if text.strip() else "no_content")
    return read_web_page(Fetched(url, url, "ok", content_type="text/html", charset="utf-8", body=text.encode()))


OPEN_WEB = "open"
"""The web of imported systems: what they searched is unknown, but it was no corpus of ours."""
REPORT = "report"
"""The role of the model behind an imported system, if one is given."""
LONGEST = 64
"""The most characters of a query's id."""
_KEPT = 48
_FOREIGN = re.compile(r"[^a-z0-9._-]+")
_MOST_NAMED = 5


def some_of(names: Sequence[str]) -> str:
    """The first of the names, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


@dataclass(frozen=True, slots=True)
class ReportCount:
    """One report, and how its citations resolved."""

    system: str
    query_id: str
    characters: int
    citations: CitationCounts
    sources: int
    """Distinct sources that are cited."""
    unresolved: int
    where: str
    """File and line."""
    looked_up: tuple[str, ...] = ()
    """The ids of products of the shop that the report names, whose records were looked up for judging."""
    calls: int = 0
    """Calls of tools in the log."""
    unanswered: int = 0
    """Calls whose result is missing in the log, or is an error."""
    pages: int = 0
    products: int = 0
    """Products in the tools' results; ``pages`` counts the pages there."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import."""

    queries: tuple[Query, ...]
    reports: tuple[ReportCount, ...]
    empty: int
    """Tasks whose report in the file is empty: failed runs."""
    material: Material
    """What was read."""
    accounts: tuple[Account, ...]
    """What became of all rows and files, of the reports in them, and of the pages that were given."""


def write_questions(
    material: Material, form: str, to: Path, known_user: Callable[[str], str] = str
) -> tuple[Query, ...]:
    """Writes the questions as a file of queries, which ``run`` and ``queries`` take; reports are left out.

    ``known_user`` gives the shop's id of a user in a log. Raises UserError if there is no question.
    """
    by_task = queries_of(material, form, ())
    users = {key: known_user(task.user_id) for key, task in material.tasks.items() if task.user_id}
    profiles = {key: {"user_id": user, "mode": "profile_aware", "asker": None} for key, user in users.items()}
    queries = tuple(query.model_copy(update=profiles.get(key)) for key, query in by_task.items())
    write_with_gold(queries, to)
    return queries


def record(
    material: Material,
    form: str,
    folder: Path,
    progress: Progress,
    *,
    model: str | None = None,
    pages: Path | None = None,
    world: World | None = None,
) -> Imported:
    """Writes reports as finished runs of the experiment in ``folder``, which is made if it does not exist.

    ``model`` is the model behind the systems, if that is known. ``pages`` are cited pages that the user gives. With a
    ``world``, the records of the products that reports name are kept for judging. The same import changes nothing a
    second time. Raises UserError if the folder holds other reports by these systems, or runs on other questions.
    """
    before = read_definition(folder) if (folder / "experiment.json").exists() else None
    queries = queries_of(material, form, () if before is None else before.queries)
    labels = _labels(material.systems(), {} if before is None else before.systems)
    options = {"format": form} if world is None else {"format": form, LOOKED_UP: world.manifest.fingerprint}
    definition = _definition(material, options, queries, labels, before, model, world)
    shop = None if world is None else NamedProducts(world)
    of_reports, of_pages = Account(material.rows.stage, "report"), Account(f"import --pages {pages}", "page")
    given_pages = () if pages is None else _read_pages(pages, of_pages)
    places = {
        key: (labels[report_of.system], queries[report_of.task_id].query_id)
        for key, report_of in material.reports.items()
    }
    existing = [key for key, report_of in material.reports.items() if _is_there(folder, *places[key], report_of)]
    counts: list[ReportCount] = []
    with Experiment(folder, definition) as experiment, progress.track("reports", len(material.reports)) as bar:
        # The gold in the files; a question that has gold already keeps it.
        for task_id, task in material.tasks.items():
            path = KNOWN_ANSWERS.path(folder, queries[task_id].query_id)
            if task.gold is not None and not path.exists():
                gold = KnownAnswer(query_id=queries[task_id].query_id, **task.gold)
                write_json(path, gold.model_dump(mode="json", exclude_none=True))
        for key, report in material.reports.items():
            task = material.tasks.get(report.task_id)
            question = "" if task is None else task.text
            trace = report.trace
            looked_up = () if shop is None else shop.named_by(report.text, question, trace.steps, trace.evidence)
            sources = cited_sources(report.text, tuple(with_looked_up(report.trace.evidence, looked_up)))
            run = _run(report, *places[key], None if task is None else task.user_id, sources)
            if model is not None and report.trace.usage.calls:
                run = run.model_copy(update={"usage": {REPORT: report.trace.usage}})
            of_reports.take()
            if key in existing:
                of_reports.merge("in the experiment already", report.where)
            else:
                of_reports.use()
                imported = datetime.now(UTC).isoformat(timespec="seconds")
                experiment.save(Recorded(run, sources.evidence, report.trace.results, {"imported": imported}))
            calls = [step for step in report.trace.steps if step.kind == "tool"]
            kinds = [entry.kind for entry in report.trace.evidence]
            counts.append(
                ReportCount(
                    system=run.system,
                    query_id=run.query_id,
                    characters=len(run.report or ""),
                    citations=sources.counts,
                    sources=sources.cited,
                    unresolved=sources.unresolved,
                    where=report.where,
                    looked_up=tuple(entry.key for entry in looked_up if entry.kind == "product" and entry.texts),
                    calls=len(calls),
                    unanswered=sum(step.error is not None for step in calls),
                    pages=kinds.count("web"),
                    products=kinds.count("product"),
                )
            )
            bar.advance()
        _keep_pages(folder, given_pages, of_pages)
        read = (*material.accounts, *([of_pages] if of_pages.came else []))
        for account in read:
            keep_account(folder, account)
    empty = sum(not report.text.strip() for report in material.reports.values())
    return Imported(tuple(queries.values()), tuple(counts), empty, material, (*read, *([of_reports] if counts else [])))


def _labels(systems: Sequence[str], before: Mapping[str, System]) -> dict[str, str]:
    """The label of each system. Raises UserError if it is that of another one, also of one imported ``before``."""
    names = {label: system.options[NAME] for label, system in before.items() if NAME in system.options}
    labels = {system: shortened(slug(system).lstrip(".+_-") or "imported") for system in systems}
    for system, label in labels.items():
        if (other := names.setdefault(label, system)) != system:
            both = f"{quoted(other)} and {quoted(system)} would both be called {label!r}"
            raise UserError(f"{both}: import one of them alone, and give it another name with --system.")
    return labels


def _definition(
    material: Material,
    options: Mapping[str, str],
    queries: Mapping[str, Query],
    labels: Mapping[str, str],
    before: Definition | None,
    model: str | None,
    world: World | None,
) -> Definition:
    if model is not None and not all(model.partition(":")):
        raise UserError(f"{quoted(model)} names no provider: write provider:model, such as openai:gpt-5.")
    models = {} if model is None else {REPORT: RoleModel(spec=model, kind="llm")}
    systems = {
        label: System(agent=IMPORTED_AGENT, web_provider=OPEN_WEB, models=models, options={**options, NAME: name})
        for name, label in labels.items()
    }
    query_ids = {
        label: tuple(sorted(queries[task_id].query_id for by, task_id in material.reports if by == name))
        for name, label in labels.items()
    }
    base = before or Definition(versions={"drretail": __version__})
    new = {query.query_id for query in queries.values()} - {query.query_id for query in base.queries}
    if base.world_fingerprint is not None and new:
        # The experiment's own systems would be expected to answer the new queries, and count as having failed.
        raise UserError(f"The experiment's own runs do not ask {sorted(new)[0]!r}: import these reports elsewhere.")
    return base.model_copy(
        update={
            "queries": tuple(sorted(queries.values(), key=lambda query: query.query_id)),
            "asked": query_ids,
            "systems": systems,
            "prompt_hashes": {},
            "shop_url": base.shop_url if world is None else shop_address(world),
        }
    )


def _run(report: ForeignReport, label: str, query_id: str, user_id: str | None, sources: CitedSources) -> Run:
    tools = {step.name for step in report.trace.steps if step.kind == "tool" and step.name}
    return imported_run(
        label,
        query_id,
        report.text,
        user_id=user_id,
        turns=report.turns,
        citations=sources.citations,
        citation_counts=sources.counts,
        steps=report.trace.steps,
        tools=tuple(sorted(tools - {*NINE})),
    )


def _is_there(experiment: Path, label: str, query_id: str, report: ForeignReport) -> bool:
    """True if the experiment already holds this report. Raises UserError if it holds another one in its place."""
    path = run_path(experiment, label, query_id, 1)
    if not path.exists():
        return False
    held = read_run(path).report or ""
    if held != report.text and held.strip() + report.text.strip():
        raise UserError(
            f"{experiment} holds another report by {label} on {query_id}: give the new one's system another "
            "name with --system."
        )
    return True


def query_id_of(task_id: str) -> str:
    """The task's id in lower case if that is a valid query id; otherwise its readable part with a hash."""
    folded = task_id.casefold()
    readable = _FOREIGN.sub("-", folded).strip("-._")
    if readable == folded and len(folded) <= LONGEST:
        return folded
    return f"{readable[:_KEPT].rstrip('-._') or 'task'}-{sha256_of(task_id)[:8]}"


def queries_of(material: Material, form: str, existing: Sequence[Query]) -> dict[str, Query]:
    """The query of every task that is there or has a report, by its id; ``existing`` are the experiment's.

    A task is the existing query with its id, or with its words; otherwise it is a new query. Raises UserError if there
    is no question, if a report's question is unknown, if an id already belongs to another question, or if two tasks
    come to one id.
    """
    by_id = {query.query_id: query for query in existing}
    queries: dict[str, Query] = {}
    tasks: dict[str, str] = {}
    unknown: list[str] = []
    for task_id in dict.fromkeys([*material.tasks, *(task_id for _, task_id in material.reports)]):
        query = _query(material.tasks.get(task_id), query_id_of(task_id), form, by_id)
        if query is None:
            unknown.append(task_id)
            continue
        queries[task_id] = query
        first = tasks.setdefault(query.query_id, task_id)
        if first != task_id:
            raise UserError(f"The tasks {first!r} and {task_id!r} are one question: rename one.")
    if unknown:
        of_documents = f"write each beside its report: {unknown[0]}.q"
        advice = of_documents if form == "markdown" else "put them beside the reports"
        raise UserError(
            f"Nothing says what was asked in {some_of([*map(repr, unknown)])}: import the questions into the same "
            f"folder first, or {advice} (drretail/addons/imports/README.md)."
        )
    if not queries:
        raise UserError("There is no report and no question to import.")
    return queries


def _query(task: ForeignTask | None, query_id: str, form: str, by_id: Mapping[str, Query]) -> Query | None:
    existing = by_id.get(query_id)
    if task is None or (existing is not None and (task.guessed or _asks(existing, task))):
        return existing
    alike = [query for query in by_id.values() if _asks(query, task)]
    if len(alike) == 1:
        return alike[0]
    if existing is not None:
        raise UserError(f"The experiment asks something else as {query_id!r}: use a new folder, or rename the task.")
    return Query(
        query_id=query_id,
        text=task.text,
        mode="task",
        task_id=task.task_id,
        persona=task.persona,
        files=task.files,
        kind=task.kind,
        checklist=task.checklist or None,
        asker=task.user_id,
        time=task.time,
        source=f"import:{form}",
    )


def _asks(query: Query, task: ForeignTask) -> bool:
    return query.text.split() == task.text.split() and task.persona in (None, query.persona)
