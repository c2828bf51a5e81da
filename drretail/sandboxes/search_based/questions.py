"""The query of a task, written backwards from what it rests on (paper 003, stage 4)."""

from collections.abc import Mapping, Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.env.summaries import Summaries
from drretail.env.web.sandbox import SandboxPage
from drretail.env.world import World
from drretail.llm.models import Models
from drretail.prompts import load_prompt, tagged
from drretail.querygen.by_model.examination import Examined, Examiner, examination_of_query
from drretail.querygen.by_model.prompt import NOTHING, PromptBuilder
from drretail.querygen.by_model.shelf import owned_by
from drretail.querygen.by_model.targets import Target
from drretail.querygen.lint import Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.sandboxes.material import Keywords
from drretail.sandboxes.search_based.asking import Asker, NotEnough
from drretail.sandboxes.search_based.files import shown_files
from drretail.sandboxes.search_based.keywords import numbered_needs
from drretail.sandboxes.search_based.weighing import settled, shown_pages


class QueryWriter:
    """Writes queries for tasks of one world whose pages and files are there."""

    def __init__(self, world: World, asker: Asker) -> None:
        self._world = world
        self._asker = asker
        self._linter = Linter(world)
        self._prompts = PromptBuilder(world, self._linter)
        self._examiner = Examiner(world, self._linter)

    async def write(
        self,
        matter: Query,
        keywords: Keywords,
        pages: Sequence[SandboxPage],
        files: Mapping[str, bytes],
        earlier: Sequence[Query],
    ) -> tuple[Query, tuple[Finding, ...]]:
        """The query with its wish that these pages and files settle, and what checks still find in it.

        ``matter`` stands for it until then, under the same id. Raises TaskFailed, also where the pages are not enough
        for what was written.
        """
        lacked = NotEnough("nothing was asked")
        asked, needs = self._asked(matter, keywords, pages, files), keywords.needs
        for name in self._asker.rounds(matter.query_id, "query"):
            try:
                query, found = await self._tried(name, asked, matter, earlier)
                await settled(self._asker, f"{name}/settle", query.text, needs, pages, shown_files(files))
            except NotEnough as problem:
                lacked = problem
                again = load_prompt(__file__, "query_again").render(findings=tagged("findings", str(problem)))
                asked, needs = f"{asked}\n{again}", tuple(it for it in needs if it not in problem.needs)
            else:
                return query, found
        raise lacked

    async def _tried(
        self, name: str, asked: str, matter: Query, earlier: Sequence[Query]
    ) -> tuple[Query, tuple[Finding, ...]]:
        messages = [SystemMessage(self._prompts.instructions), HumanMessage(asked)]

        async def question(models: Models, path: str) -> Examined:
            examination = examination_of_query(
                lambda written: self._examiner.query_of(
                    written, matter.query_id, matter.user_id, self._asker.model.spec
                ),
                lambda query: self._examiner.findings(query, earlier),
            )
            return await examination.ask(models, messages, path)

        examined = await self._asker.put(f"{name}/query", question)
        return examined.query, examined.findings

    def _asked(
        self, matter: Query, keywords: Keywords, pages: Sequence[SandboxPage], files: Mapping[str, bytes]
    ) -> str:
        shopper = self._linter.shopper(matter.user_id)
        target = Target(matter.query_id, 1, matter.user_id)
        signals = (it.text for it in keywords.convergent if it.kind == "signal")
        return load_prompt(__file__, "query").render(
            query=tagged("query", matter.text),
            needs=numbered_needs(keywords.needs),
            keywords=tagged("keywords", "\n".join(signals)),
            pages="\n\n".join(shown_pages(pages)),
            files="\n\n".join(shown_files(files)),
            profile=tagged("profile", profile_text(self._world, matter.user_id, matter.text)),
            owned=tagged("owned", owned_by(shopper, matter.text) if shopper else NOTHING),
            shelf=tagged("shelf", self._prompts.shelf.around(target, shopper, matter.text) or NOTHING),
        )


def profile_text(world: World, user_id: str | None, question: str) -> str:
    """What the shop's records tell of a user who asks a question, in lines."""
    return NOTHING if user_id is None else Summaries(world).of(user_id, question).text_with_orders
