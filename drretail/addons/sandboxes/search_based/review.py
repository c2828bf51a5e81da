"""Whether a task is fit for testing assistants: four questions to a model (DR³-Eval, stage 5)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from drretail.addons.sandboxes.material import Keywords
from drretail.addons.sandboxes.search_based.asker import CAPPED, Asker, TaskFailed
from drretail.addons.sandboxes.search_based.coverage import page_tags
from drretail.addons.sandboxes.search_based.files import file_tags
from drretail.addons.sandboxes.search_based.queries import files_in, supportive_pages
from drretail.env.web.sealed import task_folder
from drretail.eval.judging.spending import CapReached
from drretail.experiment import read_gold_file
from drretail.files import read_json
from drretail.llm.event_loop import all_ended
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record
from drretail.records.query import Query


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

    async def one(query: Query) -> Review | str:
        try:
            return await _reviewed(task_folder(folder, query.query_id), query, asker)
        except TaskFailed as problem:
            return str(problem)
        except CapReached as problem:
            return f"{CAPPED} {problem} is reached"

    return dict(zip((query.query_id for query in queries), await all_ended(map(one, queries)), strict=True))


async def _reviewed(task: Path, query: Query, asker: Asker) -> Review:
    keywords = Keywords.model_validate(read_json(task / "keywords.json"))
    signals = "\n".join(keyword.text for keyword in keywords.convergent if keyword.kind == "signal")
    pages = supportive_pages(task)
    places = {page.url: f"page {number}" for number, page in enumerate(pages, 1)}
    gold = read_gold_file(task / "gold.json")
    insights = (
        f"- {insight.text} ({places.get(insight.stands_in, insight.stands_in)})"
        for insight in (*gold.files.insights, *gold.sandbox.insights)
    )
    data = [
        tagged("query", query.text),
        tagged("keywords", signals or "Nothing was searched for."),
        *page_tags(pages),
        *file_tags(files_in(task)),
        tagged("insights", "\n".join(insights)),
    ]
    return await asker.ask(f"{query.query_id}/review", load_prompt(__file__, "check"), data, Review)
