"""Checks a sandbox: its sizes and labels, where the insights of its gold stand, and that it holds no personal data."""

from collections.abc import Iterator
from pathlib import Path

from drretail.addons.sandboxes.folder import COUNTER, TOLERANCE, own_sum, page_tokens, sums_of
from drretail.addons.sandboxes.options import OFFLINE
from drretail.addons.sandboxes.search_based.build import people_of
from drretail.addons.sandboxes.search_based.gold import text_files
from drretail.agents.page_reading import is_on
from drretail.env.web.sandbox import (
    GOLD_FILE,
    SANDBOX_FILE,
    SandboxFolder,
    read_labels,
    read_pages,
    read_queries_of,
    read_sandbox,
    task_folder,
)
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.files import files_below, read_document
from drretail.records.base import file_name
from drretail.records.criteria import KnownAnswer
from drretail.records.query import Query
from drretail.reports.text.personal_data import People, personal_data


def sandbox_faults(folder: Path, world: World | None = None) -> dict[str, list[str]]:
    """The faults of each query's task, one sentence each, by query id; a sound task has an empty list.

    With ``world``, personal data of the query's user is searched for; without it, only e-mail addresses are.
    """
    about, queries = read_sandbox(folder), read_queries_of(folder)
    faults: dict[str, list[str]] = {query.query_id: [] for query in queries}
    for name, fault in changed_sandbox_files(folder, about):
        # A file of a task, or a query's rubric, concerns that query; any other file concerns all.
        parts = Path(name).parts
        whose = parts[1] if len(parts) > 2 and parts[0] == "tasks" else Path(name).stem if "rubrics" in parts else None
        with_name = [query_id for query_id in faults if file_name(query_id) == whose]
        for query_id in with_name or faults:
            faults[query_id].append(fault)
    for query in queries:
        try:
            faults[query.query_id] += _of_task(folder, about, query, world)
        except UserError as problem:
            faults[query.query_id].append(str(problem))
    return faults


def changed_sandbox_files(folder: Path, about: SandboxFolder) -> Iterator[tuple[str, str]]:
    """The files that have changed since the sandbox was built, each with a sentence on the change."""
    if about.own_sum != own_sum(about):
        yield SANDBOX_FILE, f"{SANDBOX_FILE} has been changed since it was built."
    sums = sums_of(folder)
    for name in sorted({*about.sums, *sums}):
        if sums.get(name) != about.sums.get(name):
            change = "added" if name not in about.sums else "removed" if name not in sums else "changed"
            yield name, f"{name} has been {change} since the sandbox was built."


def _of_task(folder: Path, about: SandboxFolder, query: Query, world: World | None) -> Iterator[str]:
    task = task_folder(folder, query.query_id)
    pages, labels = read_pages(task), {label.url: label.label for label in read_labels(task)}
    names = about.names
    if len({page.url for page in pages}) < len(pages) or set(labels) != {page.url for page in pages}:
        yield "pages and labels don't go together, or an address stands twice."
    if about.counter != COUNTER:
        yield f"its sizes are counted by {about.counter}, as this version does not count."
    for number, name in enumerate(names if about.counter == COUNTER else (), 1):
        tokens = sum(page_tokens(page) for page in pages if page.since in names[:number])
        if abs(tokens - about.sizes[name]) > TOLERANCE * about.sizes[name]:
            yield f"{name} has {tokens:,.0f} tokens."
    if any(labels.get(page.url) == "supportive" and page.since != names[0] for page in pages):
        yield "a supportive page does not stand in every size."
    gold = read_document(task / GOLD_FILE, KnownAnswer)
    files = {path.name: path.read_bytes() for path in files_below(task / "files")}
    insights = (*gold.files.insights, *gold.sandbox.insights)
    if not insights:
        yield "it has no gold yet (the same `drretail sandbox build` writes it)."
    texts = {page.url: page.text for page in pages} | text_files(files)
    for insight in insights:
        if insight.stands_in in files and insight.stands_in not in texts:
            continue  # an image has no text to search
        where = [name for name, text in texts.items() if is_on(insight.quote or insight.text, text)]
        # Made-up facts stand in one place only; a quote from the real web may also occur on another page by chance.
        fits = where == [insight.stands_in] if about.web == OFFLINE else insight.stands_in in where
        if not fits or labels.get(insight.stands_in, "supportive") != "supportive":
            yield f"{insight.id} stands in {len(where)} places: {insight.quote or insight.text}"
    try:
        people = People() if world is None else people_of(world, query.user_id)
    except NotFound:
        yield f"its user {query.user_id!r} is none of the shop's."
    else:
        for datum in dict.fromkeys(match.what for match in personal_data(query.text, people)):
            yield f"the query tells of a person: {datum}."
        for page in pages:
            yield from _personal_data_in(page.url, f"{page.title}\n{page.text}", people)
        # The user's own table of orders may hold user and order ids; names and the like may not occur there either.
        for name, text in text_files(files).items():
            yield from _personal_data_in(name, text, People(people.profiles))


def _personal_data_in(place: str, text: str, people: People) -> Iterator[str]:
    """Checks line by line, as pages were cleaned: across lines, a first and a last name may meet by chance."""
    for datum in dict.fromkeys(match.what for line in text.split("\n") for match in personal_data(line, people)):
        yield f"{place} tells of a person: {datum}."
