"""One query, one system, one recorded run; the only place where a Run is made.

A turn of a conversation goes on with what was said before, and the session of the turns before it.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from pydantic import ValidationError

from drretail.agents.base import Answering, ToldOf, read_answer
from drretail.agents.information import shopper_context
from drretail.agents.picks import of_offers, with_picks
from drretail.agents.running.outcomes import Outages
from drretail.agents.running.system import SystemUnderTest, files_for
from drretail.conditions.registry import conditions_of
from drretail.env.naming import SHIPPED, is_on_servers
from drretail.env.session import Session, SessionSettings
from drretail.env.web.base import WebPage
from drretail.env.web.sandbox import SealedWeb, web_for
from drretail.env.world import World
from drretail.errors import CommandStopped, ModelError, ToolError, UserError, describe_error, raised_at, traceback_of
from drretail.event_loop import aside, in_own_task, is_abandoned
from drretail.experiments.experiment import Experiment, ended_run, run_path
from drretail.experiments.journal import Effects, Journal, seconds_under_way
from drretail.experiments.run_file import Recorded, journal_path, read_evidence, read_journal
from drretail.llm.models import Models
from drretail.llm.prices import of_unknown_models, price_version
from drretail.llm.prompt import overridden_prompts
from drretail.records.base import fault_of, sha256_of
from drretail.records.evidence import Evidence
from drretail.records.figures import counted
from drretail.records.query import ASK, Query, Reference, Task
from drretail.records.run import (
    MIX,
    OPEN_PAGE,
    REPORTED,
    TIME_LIMIT,
    Answer,
    Run,
    RunError,
    Step,
    Usage,
)
from drretail.records.trajectory import Trajectory, span
from drretail.reports.citations import find_citations, scan
from drretail.reports.picks import picks_block
from drretail.reports.text.untrusted import visible
from drretail.shopping.conversation import ConversationTurn, ReferenceOf, turns_of
from drretail.shopping.vocabulary import Records
from drretail.tools.registry import TOOLS, own_tools, tool_schema_hash, tools_of
from drretail.tools.web import fetch_cited

if TYPE_CHECKING:
    from drretail.env.offers import Offers


@dataclass(frozen=True, slots=True)
class TurnsBefore:
    """The turns of a conversation before a run, with their runs."""

    queries: tuple[Query, ...] = ()
    runs: tuple[Run, ...] = ()
    """Those of the first turns that are done, up to the one that is not."""
    evidence: tuple[Evidence, ...] = ()
    """All that they were shown."""

    @property
    def history(self) -> tuple[dict[str, str], ...]:
        """What was said in them, and the reports with the carts that they declared."""
        messages: list[dict[str, str]] = []
        for query, run in zip(self.queries, self.runs, strict=False):
            cart = "" if run.picks is None else picks_block(run.picks, run.outcome)
            answer = "\n\n".join(filter(None, (run.report, cart)))
            messages += [{"role": "user", "content": query.text}, {"role": "assistant", "content": answer}]
        return tuple(messages)

    def carry_into(self, session: Session) -> None:
        """Goes on with what the turns before were shown and changed."""
        session.ledger.carry(self.evidence)
        session.redo(change for run in self.runs for change in run.state_diff)
        session.before.update(session.overlay)  # what this turn changes is told from what it found

    def asked(self, query: Query, reference_of: ReferenceOf, shop: Records) -> ConversationTurn:
        """The turn that a query with a wish is after these."""
        return turns_of((*self.queries, query), self.runs, reference_of, shop)[-1]

    def for_oracle(
        self, query: Query, reference_of: ReferenceOf, shop: Records, told_of: ToldOf
    ) -> tuple[Query, Reference]:
        """A turn with what the shop has for it, as it follows the oracle's own carts; see ``Agent.told_of``."""
        if told_of == "first":
            query = (*self.queries, query)[0]
        elif query.wish is not None and self.runs:
            turn = self.asked(query, reference_of, shop)
            if told_of == "all":
                return query, turn.followed
            query = query.model_copy(update={"wish": turn.limits(of_before=False), "relations": {}})
        return query, reference_of(query)


NO_TURNS = TurnsBefore()


def read_before(experiment: Path, label: str, queries: Sequence[Query], repeat: int) -> TurnsBefore:
    """The turns with their runs in an experiment, as far as these are done."""
    if not queries:
        return NO_TURNS
    ended = (ended_run(experiment, label, query.query_id, repeat) for query in queries)
    done = (run if run is not None and run.status == "done" else None for run in ended)
    runs = tuple(filter(None, takewhile(bool, done)))
    last = run_path(experiment, label, queries[-1].query_id, repeat)
    return TurnsBefore(tuple(queries), runs, read_evidence(last) if len(runs) == len(queries) else ())


CALLS_OF_A_RUN = 4
"""How many model calls may be in flight for each run at once, unless a number is set: one of each researcher."""


@dataclass(slots=True)
class Runner:
    """Runs systems in one world.

    ``on_step`` gets each step with the text that it brought, ``on_use`` each model call's system and usage.
    """

    world: World
    world_spec: str
    tool_timeout: float = 30
    tool_threads: int = 4
    model_calls: int | None = None
    """The most model calls in flight, over all runs; None = ``CALLS_OF_A_RUN`` for each run at once."""
    on_step: Callable[[Step, str], None] | None = None
    on_use: Callable[[str, Usage], None] | None = None
    replay: Path | None = None
    """An experiment folder whose journals answer every call: no connection is made."""
    files: Path | None = None
    """The users' own files, in a folder for each query, unless the web brings some."""
    pages: bool = True
    """True if the web pages that a saved run's report cites are fetched when it ends, for judges to read."""
    outages: Outages | None = field(default_factory=Outages)
    """None = no number of failing tool calls ends the runs."""
    _offers: "Offers | None" = field(init=False, default=None)
    """What the oracles are told, looked up once for all of them; used under the lock."""
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        self.world_spec = recorded_spec(self.world_spec)

    def gate(self, parallel: int) -> asyncio.Semaphore:
        """What limits the model calls of so many runs at once."""
        return asyncio.Semaphore(self.model_calls or CALLS_OF_A_RUN * parallel)

    async def run(
        self,
        sut: SystemUnderTest,
        query: Query,
        repeat: int = 1,
        journal: Path | None = None,
        *,
        gate: asyncio.Semaphore | None = None,
        before: TurnsBefore = NO_TURNS,
    ) -> Recorded:
        """The run of one system for one query. A failure is recorded in it, unless it is a CommandStopped.

        ``gate`` limits the model calls in flight; runs side by side share one. With a ``journal`` the run is one that
        is saved. A turn of a conversation goes on with the session of the turns ``before``.
        """
        world = self._world(sut, query)
        replay = None
        # A floor asks nobody, so it runs even if the replayed experiment has no run of it.
        if self.replay is not None and not sut.agent.is_baseline:
            replayed = run_path(self.replay, sut.label, query.query_id, repeat)
            if not replayed.exists():
                raise UserError(f"There is nothing to replay: {replayed} does not exist.")
            replay = read_journal(replayed)
        effects = Journal(journal, replay=replay)
        session = self._session(world, sut, query, effects)
        before.carry_into(session)
        gate = gate or self.gate(1)
        on_use = None if self.on_use is None else partial(self.on_use, sut.label)
        models = Models(sut.models, effects, session.trajectory, sut.system.limits, gate, on_use)
        began, opened = time.monotonic(), datetime.now(UTC)
        try:
            with _named_in_traces(sut, query, repeat):
                conversation = _run_id(sut.label, (*before.queries, query)[0], repeat)
                ended = await _answered(sut, query, self._reference, session, models, before, conversation)
            if self.outages is not None:
                self.outages.check()
            seconds = time.monotonic() - began
            run = run_of(sut.label, query, repeat, session, ended, models.usage)
            evidence, pages = session.ledger.evidence(), dict[str, WebPage]()
            if self.pages and journal is not None:
                # What the report cites and no result brought: whether it exists, and what it says.
                beyond = [
                    citation.url
                    for citation in run.citations
                    if citation.type == "web" and citation.evidence_id is None and citation.url
                ]
                pages = await _fetched(world, beyond, effects.scope("beyond"), self.tool_timeout)
                evidence = await with_cited_pages(world, run, evidence, effects, self.tool_timeout)
        finally:
            effects.close()
        # Of the parts before a run was cut, the journal has the times of the calls.
        seconds += seconds_under_way(its for its in effects.effects if datetime.fromisoformat(its.started) < opened)
        texts, telemetry = session.trajectory.texts(), self._telemetry(effects, seconds)
        now = datetime.now(UTC)
        fetched = {url: page.as_fetched(sut.system.web_corpus, now) for url, page in pages.items()}
        return Recorded(run, evidence, texts, telemetry, effects.lines, fetched)

    async def run_into(
        self,
        experiment: Experiment,
        sut: SystemUnderTest,
        query: Query,
        repeat: int = 1,
        *,
        gate: asyncio.Semaphore | None = None,
        earlier: Sequence[Query] = (),
    ) -> Run:
        """``run``, journalled and saved in the experiment's folder. A run that was cut goes on where it stopped.

        ``earlier`` are the turns of its conversation before this one, whose runs are there, or where it is replayed.
        """
        experiment.check_in_place()
        path = journal_path(run_path(experiment.folder, sut.label, query.query_id, repeat))
        before = read_before(self.replay or experiment.folder, sut.label, earlier, repeat)
        recorded = await self.run(sut, query, repeat, path, gate=gate, before=before)
        await asyncio.to_thread(experiment.save, recorded)  # it waits for the disk, and other runs need not
        return recorded.run

    def _reference(self, query: Query) -> Reference:
        """What could be sold for a query in the world as no condition has changed it."""
        from drretail.env.offers import Offers  # only oracles need them

        with self._lock:
            self._offers = self._offers or Offers(self.world)
            return self._offers.reference(query)

    def _world(self, sut: SystemUnderTest, query: Query) -> World:
        """The world as the system sees it."""
        # With the query's own web, if each has one.
        world = replace(self.world, web=web_for(query, sut.system, self.world.web))
        for condition, value in conditions_of(sut.system, sut.conditions):
            world = world if condition.world is None else condition.world(world, query, value)
        return world

    def _session(self, world: World, sut: SystemUnderTest, query: Query, effects: Journal) -> Session:
        # The user's files for this query: the web's own, if each task has a folder there.
        own_files = self.world.web.files(query) if isinstance(self.world.web, SealedWeb) else None
        settings = SessionSettings(
            world,
            user_id=query.user_id if sut.system.information == "tools" else None,  # who has tools to look them up
            scope=sut.system.sees,
            web_mode=sut.system.web_mode,
            without=tools_of(sut.system.options.get("without", ())),
            mix=sut.system.options.get(MIX, "turns"),
            tools=own_tools(sut.agent.tools),
            files=own_files or files_for(self.files, query.query_id, alone=query.source == ASK),
            tool_timeout=self.tool_timeout,
            tool_threads=self.tool_threads,
        )
        return Session(settings, journal=effects, trajectory=Trajectory(self._stepped))

    def _stepped(self, step: Step, text: str) -> None:
        if self.on_step is not None:
            self.on_step(step, text)
        if self.replay is None and self.outages is not None:  # a failure that is replayed stays as it was
            self.outages.note(step)

    def _telemetry(self, effects: Journal, seconds: float) -> dict[str, Any]:
        """What may differ between two runs that are otherwise the same."""
        model = [effect.seconds for effect in effects.effects if effect.kind == "model"]
        return {
            "world": self.world_spec,
            "host": socket.gethostname(),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            "wall_seconds": round(seconds, 3),
            "model_seconds": round(sum(model), 3),
            "served_from_journal": effects.served,
            "prices": [price_version()] if any("nanodollars" in (its.usage or {}) for its in effects.effects) else [],
        }


def run_of(
    label: str,
    query: Query,
    repeat: int,
    session: Session,
    ended: Answer | RunError,
    usage: Mapping[str, Usage],
) -> Run:
    """The record of what a system did in a session, with its answer or its error."""
    answer = ended if isinstance(ended, Answer) else None
    if answer is not None:
        with suppress(ToolError):  # a shop that fails now has failed the tools before
            answer = of_offers(answer, session.settings.world.store)
    error = None if isinstance(ended, Answer) else ended
    report = None if answer is None else visible(answer.report)
    reported = {} if answer is None or answer.usage is None else {REPORTED: of_unknown_models(answer.usage)}
    steps = session.trajectory.steps()
    evidence = session.ledger.evidence()
    return Run(
        run_id=_run_id(label, query, repeat),
        system=label,
        query_id=query.query_id,
        user_id=query.user_id,
        repeat=repeat,
        status="done" if report is not None else "failed",
        stop=answer.stop if answer else "no_research" if error and error.kind == "no_research" else "error",
        error=error,
        report=report,
        report_sha=None if report is None else sha256_of(report),
        picks=answer.picks if answer else None,
        outcome=answer.outcome if answer else None,
        citations=tuple(find_citations(report or "", evidence)),
        citation_counts=scan(report or "", evidence).counts,
        steps=steps,
        state_diff=session.state_diff(),
        notes=answer.notes if answer else (),
        failed_branches=answer.failed_branches if answer else (),
        repairs=answer.repairs if answer else (),
        struck=answer.struck if answer else (),
        understood=answer.understood if answer else None,
        setbacks=session.trajectory.setbacks() if any(step.kind != "tool" for step in steps) else None,
        usage={**usage, **reported},
        tools=(*session.settings.tools, *([OPEN_PAGE] if session.by_request else [])),
        tool_schema_hash=tool_schema_hash({**TOOLS, **session.settings.tools}),
        world_fingerprint=session.settings.world.manifest.fingerprint,
    )


def _run_id(label: str, query: Query, repeat: int) -> str:
    return f"{label}/{query.query_id}-r{repeat}"


@contextmanager
def _named_in_traces(sut: SystemUnderTest, query: Query, repeat: int) -> Generator[None]:
    """The run's id and question as metadata of every LangChain model and graph that is called, and its own span."""
    run_id = _run_id(sut.label, query, repeat)
    about = {"drretail.run_id": run_id, "drretail.query_id": query.query_id, "drretail.question": query.text}
    token = var_child_runnable_config.set(RunnableConfig(metadata=dict(about)))
    try:
        agent = {"gen_ai.agent.name": sut.system.agent, "gen_ai.conversation.id": run_id}
        with span("invoke_agent", sut.system.agent, agent | about):
            yield
    finally:
        var_child_runnable_config.reset(token)


async def _fetched(world: World, urls: Sequence[str], effects: Effects, seconds: float) -> dict[str, WebPage]:
    """The pages at these addresses. In a thread, since other runs go on meanwhile."""
    if not urls:
        return {}
    return await asyncio.to_thread(lambda: dict(fetch_cited(world.web, urls, effects, seconds)))


async def with_cited_pages(
    world: World, run: Run, evidence: tuple[Evidence, ...], effects: Journal, seconds: float
) -> tuple[Evidence, ...]:
    """The evidence, with fetched pages for cited sources of which the agent read only a search engine's snippet.

    ``seconds`` is the limit for one page.
    """
    cited = {citation.evidence_id for citation in run.citations}
    urls = {entry.id: str(entry.url) for entry in evidence if entry.id in cited and entry.is_unfetched}
    fetched = await _fetched(world, [*urls.values()], effects.scope("cited"), seconds)
    pages = {page_id: fetched[url] for page_id, url in urls.items() if url in fetched}
    return tuple(
        entry
        if (page := pages.get(entry.id)) is None
        else entry.with_page(page.text, page.state, page.date, page.problem)
        for entry in evidence
    )


def recorded_spec(spec: str) -> str:
    """A world's spec in a form that works from any folder."""
    return spec if spec in SHIPPED or is_on_servers(spec) else str(Path(spec).absolute())


async def _awaited(answer: Answering, *arguments: Any) -> Any:
    answering = answer(*arguments)
    if not isawaitable(answering):
        raise ModelError("agent", "the agent's function cannot be awaited: begin it with async def")
    return await answering


async def _answered(
    sut: SystemUnderTest,
    query: Query,
    reference_of: Callable[[Query], Reference],
    session: Session,
    models: Models,
    before: TurnsBefore,
    conversation: str,
) -> Answer | RunError:
    """The agent's answer with its picks, or why there is none.

    This is the boundary of a run: every failure but CommandStopped ends here.
    """
    where, limit = sut.system.agent, None
    try:
        with overridden_prompts(sut.overrides.texts):
            if query.after is not None and len(before.runs) < max(1, len(before.queries)):
                raise ModelError("no_turn_before", f"the turn before it, {query.after}, has no answer")
            information = sut.system.information
            task = Task(
                text=query.text,
                user_id=session.settings.user_id,
                context=shopper_context(information, query) or None,
                history=before.history,
                conversation=conversation,
            )
            for condition, value in conditions_of(sut.system, sut.conditions):
                task = task if condition.task is None else condition.task(task, query, value)
            if sut.agent.sees_reference:  # oracles alone are told what could be sold for the query
                shop, told_of = session.settings.world.store, sut.agent.told_of
                asked, reference = await asyncio.to_thread(before.for_oracle, query, reference_of, shop, told_of)
                task = task.model_copy(update={"reference": reference, "wish": asked.wish})
            async with asyncio.timeout(sut.seconds) as limit:
                ask = partial(_awaited, sut.agent.answer, task, session, models, sut.system.limits)
                answer = read_answer(await (aside(ask) if sut.runs_aside else in_own_task(ask)))
                if not answer.report.strip() and not sut.agent.is_baseline:  # only a floor's report may be empty
                    raise ModelError("agent", "the agent returned an empty report")
                return await with_picks(answer, task, sut.agent.writer, models)
    except ModelError as problem:
        return RunError(kind=problem.kind, where=where, message=problem.message)
    except ToolError as problem:  # the world failed the agent itself, outside of a tool call
        return RunError(kind="tool", where=where, message=problem.message)
    except CommandStopped:
        raise
    except ValidationError as problem:  # such as that of a Pick which the agent's code made
        message = f"{problem.title}: {fault_of(problem)} ({raised_at(problem)})"
        return RunError(kind="agent", where=where, message=message, traceback=traceback_of(problem))
    # An agent's bug, or what it raises to end itself or the process, fails its own run and not the experiment.
    except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as problem:
        is_cancelled = (run := asyncio.current_task()) is not None and run.cancelling() > 0
        if is_cancelled or is_abandoned():  # after Ctrl-C, by which a person ends the process
            raise
        if limit is not None and limit.expired():
            notes = getattr(problem.__cause__, "__notes__", ())
            message = "; ".join([f"it gave no answer within {counted(sut.seconds or 0, 'second')}", *notes])
            return RunError(kind="timeout", where=TIME_LIMIT, message=message)
        message = describe_error(problem)
        if isinstance(problem, asyncio.CancelledError):
            message = f"its own code cancelled it, such as by a cancel scope left open ({raised_at(problem)})"
        return RunError(kind="agent", where=where, message=message, traceback=traceback_of(problem))
