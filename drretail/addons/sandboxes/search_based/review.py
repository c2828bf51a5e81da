"""Four questions on whether a task is fit for testing assistants (DR³-Eval, stage 5)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from drretail.addons.sandboxes.folder import Keywords
from drretail.addons.sandboxes.search_based.asker import CAPPED, Asker, TaskFailed
from drretail.addons.sandboxes.search_based.gold import file_tags, page_tags
from drretail.env.web.sandbox import SandboxPage, read_labels, read_pages, task_folder
from drretail.eval.judging.spending import CapReached
from drretail.event_loop import all_ended
from drretail.files import files_below, read_document, read_json
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record
from drretail.records.criteria import KnownAnswer
from drretail.records.query import Query


def supportive_pages(task: Path) -> list[SandboxPage]:
    """The supportive pages of a task, in the order of their addresses."""
    needed = {label.url for label in read_labels(task) if label.label == "supportive"}
    pages = (SandboxPage(url=page.url, title=page.title, text=page.text, date=page.date) for page in read_pages(task))
    return sorted((page for page in pages if page.url in needed), key=lambda page: page.url)


def task_files(task: Path) -> dict[str, bytes]:
    """The user's files of a task, by name."""
    return {path.name: path.read_bytes() for path in files_below(task / "files")}


class Answer(Record):
    reason: str
    passes: bool


class Review(Record):
    """The four questions on a task."""

    implicit_guidance: Answer
    synthesis_necessity: Answer
    insight_novelty: Answer
    interpretative_unambiguity: Answer

    @property
    def faults(self) -> list[str]:
        """A sentence for each of the four questions that the task fails."""
        answers = ((name.replace("_", " "), getattr(self, name)) for name in Review.model_fields)
        return [f"{name}: {answer.reason.strip()}" for name, answer in answers if not answer.passes]


async def review_tasks(folder: Path, queries: Sequence[Query], asker: Asker) -> Mapping[str, Review | str]:
    """A model's review of each query's task, by query id, or the reason why there is none."""
    prompt = load_prompt(__file__, "check")

    async def review(query: Query) -> Review | str:
        task = task_folder(folder, query.query_id)
        keywords = Keywords.model_validate(read_json(task / "keywords.json"))
        signals = "\n".join(keyword.text for keyword in keywords.convergent if keyword.kind == "signal")
        pages = supportive_pages(task)
        places = {page.url: f"page {number}" for number, page in enumerate(pages, 1)}
        gold = read_document(task / "gold.json", KnownAnswer)
        insights = (
            f"- {insight.text} ({places.get(insight.stands_in, insight.stands_in)})"
            for insight in (*gold.files.insights, *gold.sandbox.insights)
        )
        data = [
            tagged("query", query.text),
            tagged("keywords", signals or "Nothing was searched for."),
            *page_tags(pages),
            *file_tags(task_files(task)),
            tagged("insights", "\n".join(insights)),
        ]
        try:
            return await asker.ask(f"{query.query_id}/review", prompt, data, Review)
        except TaskFailed as problem:
            return str(problem)
        except CapReached as problem:
            return f"{CAPPED} {problem} is reached"

    return dict(zip((query.query_id for query in queries), await all_ended(map(review, queries)), strict=True))
