"""What each page of a query is there for, taken out of a sandbox and kept in the experiment: no agent reads it."""

from pathlib import Path

from drretail.env.web.sealed import LABELS_FILE, PAGES_FILE, labels_by_url, read_pages, task_folder
from drretail.eval.judging.criteria import freeze
from drretail.experiment import Definition, labels_path
from drretail.records.criteria import PagesByLabel


def take_labels(experiment: Path, definition: Definition, given: str) -> int:
    """Copies the labels of the experiment's queries out of a sandbox, and gives their number; of anything else, none.

    Raises UserError for labels that can't be read, and where the experiment holds others.
    """
    source = Path(given)
    folders = {query.query_id: task_folder(source, query.query_id) for query in definition.queries}
    found = [_labels(name, folder) for name, folder in folders.items() if (folder / LABELS_FILE).is_file()]
    freeze("gold", source, {labels_path(experiment, it.query_id): it.model_dump(mode="json") for it in found})
    return len(found)


def _labels(query_id: str, folder: Path) -> PagesByLabel:
    pages = read_pages(folder) if (folder / PAGES_FILE).is_file() else []  # a judge may be given labels alone
    labels = labels_by_url(folder, pages)
    return PagesByLabel(
        query_id=query_id,
        supportive=tuple(url for url, label in labels.items() if label == "supportive"),
        distractors=tuple(url for url, label in labels.items() if label == "distractor"),
    )
