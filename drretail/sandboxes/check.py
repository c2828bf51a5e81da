"""Whether a sandbox is whole: its sizes and labels, the places of its gold's insights, and no personal data."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from drretail.agents.page_reading import is_on
from drretail.env.web.sealed import (
    SandboxFolder,
    TaskPage,
    read_labels,
    read_pages,
    read_queries_of,
    read_sandbox,
    task_folder,
)
from drretail.env.world import World
from drretail.experiment import read_gold_file
from drretail.grounding.text.personal_data import People, personal_data
from drretail.records.criteria import Gold
from drretail.records.query import Query
from drretail.sandboxes.search_based.build import people_of
from drretail.sandboxes.search_based.files import texts_of
from drretail.sandboxes.search_based.queries import files_in
from drretail.sandboxes.sizes import TOLERANCE, counter_of

OFFLINE = "offline"
"""The web of sandboxes whose pages are made up."""


def check_sandbox(folder: Path, world: World | None = None) -> dict[str, list[str]]:
    """What is wrong with each query's task, a sentence each; empty where it is whole.

    With the ``world`` personal data of the query's user is looked for, without it e-mail addresses alone.
    """
    about = read_sandbox(folder)
    found: dict[str, list[str]] = {}
    for query in read_queries_of(folder):
        task = task_folder(folder, query.query_id)
        people = People() if world is None else people_of(world, query.user_id)
        pages, labels = read_pages(task), {label.url: label.label for label in read_labels(task)}
        found[query.query_id] = [
            *_of_sizes(about, pages, labels),
            *_of_gold(read_gold_file(task / "gold.json"), about, pages, labels, files_in(task)),
            *_of_people(query, pages, files_in(task), people),
        ]
    return found


def _of_sizes(about: SandboxFolder, pages: list[TaskPage], labels: Mapping[str, str]) -> Iterator[str]:
    names, counter = about.names, counter_of(about.counter)
    if len({page.url for page in pages}) < len(pages) or set(labels) != {page.url for page in pages}:
        yield "pages and labels don't go together, or an address stands twice."
    for number, name in enumerate(names, 1):
        tokens = sum(counter.of(page) for page in pages if page.since in names[:number])
        if abs(tokens - about.sizes[name]) > TOLERANCE * about.sizes[name]:
            yield f"{name} has {tokens:,.0f} tokens."
    if any(labels.get(page.url) == "supportive" and page.since != names[0] for page in pages):
        yield "a supportive page does not stand in every size."


def _of_gold(
    gold: Gold, about: SandboxFolder, pages: list[TaskPage], labels: Mapping[str, str], files: Mapping[str, bytes]
) -> Iterator[str]:
    insights = (*gold.files.insights, *gold.sandbox.insights)
    if not insights:
        yield "it has no gold yet (drretail sandbox queries writes the query and its gold)."
    texts = {page.url: page.text for page in pages} | texts_of(files)
    for insight in insights:
        if insight.stands_in in files and insight.stands_in not in texts:
            continue  # what a picture shows is no text that could be looked for
        where = [name for name, text in texts.items() if is_on(insight.quote or insight.text, text)]
        # Made-up facts stand nowhere else; in the words of a page of the web another may be caught by chance.
        fits = where == [insight.stands_in] if about.web == OFFLINE else insight.stands_in in where
        if not fits or labels.get(insight.stands_in, "supportive") != "supportive":
            yield f"{insight.id} stands in {len(where)} places: {insight.quote or insight.text}"


def _of_people(query: Query, pages: list[TaskPage], files: Mapping[str, bytes], people: People) -> Iterator[str]:
    for what in dict.fromkeys(match.what for match in personal_data(query.text, people)):
        yield f"the query tells of a person: {what}."
    for page in pages:
        yield from _personal_data_in(page.url, f"{page.title}\n{page.text}", people)
    # A user's own table of orders has their numbers; a name is another thing.
    for name, text in texts_of(files).items():
        yield from _personal_data_in(name, text, People(people.profiles))


def _personal_data_in(place: str, text: str, people: People) -> Iterator[str]:
    """By lines, as pages were cleaned: a first and a last name may meet at a line's end by chance."""
    for what in dict.fromkeys(match.what for line in text.split("\n") for match in personal_data(line, people)):
        yield f"{place} tells of a person: {what}."
