"""Whether a sandbox is what it says: sizes, labels, and where each insight of its gold stands."""

from collections.abc import Iterator
from pathlib import Path

from drretail.env.web.sealed import read_labels, read_pages, read_sandbox, task_folder
from drretail.experiment import read_gold_file
from drretail.files import read_documents
from drretail.records.query import Query
from drretail.sandboxes.counting import TokenCounter, counter_of
from drretail.sandboxes.sizes import TOLERANCE

IMAGE = ".png"
"""What a picture shows is no text that could be looked for."""


def check_sandbox(folder: Path) -> dict[str, list[str]]:
    """What is wrong with each query's task, a sentence each; empty where it is whole."""
    about = read_sandbox(folder)
    queries = read_documents(folder / "queries.jsonl", Query, "query")
    counter = counter_of(about.counter)
    return {
        it.query_id: list(_faults(task_folder(folder, it.query_id), about.names, about.sizes, counter))
        for it in queries
    }


def _faults(task: Path, names: list[str], sizes: dict[str, int], counter: TokenCounter) -> Iterator[str]:
    pages, labels = read_pages(task), {it.url: it.label for it in read_labels(task)}
    if len({it.url for it in pages}) < len(pages) or set(labels) != {it.url for it in pages}:
        yield "pages and labels don't go together, or an address stands twice."
    for number, name in enumerate(names, 1):
        tokens = sum(counter.of(it) for it in pages if it.since in names[:number])
        if abs(tokens - sizes[name]) > TOLERANCE * sizes[name]:
            yield f"{name} has {tokens:,.0f} tokens."
    if any(labels.get(it.url) == "supportive" and it.since != names[0] for it in pages):
        yield "a supportive page does not stand in every size."
    texts = {it.url: it.text for it in pages}
    texts |= {it.name: it.read_text(encoding="utf-8") for it in (task / "files").iterdir() if it.suffix != IMAGE}
    gold = read_gold_file(task / "gold.json")
    for insight in (*gold.files.insights, *gold.sandbox.insights):
        if insight.stands_in.endswith(IMAGE):
            if not (task / "files" / insight.stands_in).is_file():
                yield f"{insight.id} stands in {insight.stands_in}, which is not there."
            continue
        where = [name for name, text in texts.items() if (insight.quote or insight.text) in text]
        if where != [insight.stands_in] or labels.get(insight.stands_in, "supportive") != "supportive":
            yield f"{insight.id} stands in {len(where)} places: {insight.text}"
