"""``ShopEnv``: a shopper's question, tools to research it with, and a reward at the end.

``Shop`` is what all rollouts share, ``_Rollout`` is one session with its calls. Rollouts are saved as runs of an
experiment, recorded runs are rewarded, and exported ones replayed.
"""

import random
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, cast, get_args

from drretail.addons.gym.reward import NO_REPORT, Reward, reward_of, why_unpaid
from drretail.agents.base import task_message
from drretail.agents.information import recorded_instructions
from drretail.agents.picks import answer_with_picks
from drretail.agents.running.client_runs import save_runs
from drretail.agents.running.runner import NO_TURNS, TurnsBefore, read_before, recorded_spec, run_of
from drretail.agents.running.system import client_options
from drretail.api.systems import asked_queries
from drretail.api.worlds import check_askable, open_world
from drretail.env.offers import Offers
from drretail.env.session import Session, SessionSettings
from drretail.env.web.sandbox import web_for
from drretail.env.world import World
from drretail.errors import ToolError, UserError, check_known
from drretail.experiments.experiment import read_definition, run_files
from drretail.experiments.run_file import Recorded, read_recorded
from drretail.parsing import parse_json
from drretail.querygen.reading import FIFTY, Split, shipped_queries
from drretail.records.query import Query, Reference, Task, turns_until
from drretail.records.run import GYM_AGENT, Answer, RoleModel, Run, RunError, Scope, System, WebMode
from drretail.reports.text.serialisation import compact_json
from drretail.tools.registry import ROLE, SUBMIT, offered, openai_schemas, read_submitted, submit_schema, tools_of
from drretail.tools.toolkit import Toolkit, ToolReply

Queries = str | Path | Query | Iterable[Query]
SHIPPED: Mapping[str, tuple[Split, ...]] = {"dev": ("dev",), "test": ("test",), "all": FIFTY}


@dataclass(frozen=True)
class Shop:
    """A world, opened once, with queries and their baskets. Nothing in it changes, so any number of threads share it.

    Use it in ``with``, or close it.
    """

    world: World
    """As ``open_world`` returns it."""
    queries: Mapping[str, Query]
    """The queries that a report can be rewarded for, by id."""
    references: Mapping[str, Reference]
    """By query id, the best and the cheapest basket, or the proof that there is none."""
    left_out: Mapping[str, str]
    """By query id, why a query can't be rewarded: the shop has no basket for it, or nobody has typed its wish."""
    _open: ExitStack

    @classmethod
    def open(cls, world: str | Path | World = "demo", queries: Queries = "dev") -> Self:
        """Opens a shop on a world: "demo", a folder, "servers:NAME", or an open World, which ``close`` leaves open.

        ``queries`` are a file's name, one query or several, a list of ids of the demo's shipped queries, or "dev",
        "test" or "all" of these. Raises UserError for a world or queries that can't be opened, and if no query can be
        rewarded.
        """
        with ExitStack() as opened:
            shop = world if isinstance(world, World) else opened.enter_context(open_world(world))
            wanted = _asked(queries, shop)
            check_askable(shop, wanted)
            offers = Offers(shop)
            references = {query.query_id: offers.reference(query) for query in wanted}
            reasons = {query.query_id: why_unpaid(query, references[query.query_id]) for query in wanted}
            lacks = {key: why for key, why in reasons.items() if why is not None}
            rewarded = {query.query_id: query for query in wanted if query.query_id not in lacks}
            if not rewarded:
                raise UserError(
                    f"No query can be rewarded, since none has a basket to compare with: {next(iter(lacks.values()))}."
                )
            of_rewarded = {key: references[key] for key in rewarded}
            fixed = (MappingProxyType(rewarded), MappingProxyType(of_rewarded), MappingProxyType(lacks))
            return cls(shop, *fixed, opened.pop_all())

    def query(self, query: str | Query) -> Query:
        """The query with this id. Raises UnknownName for an unknown id, and UserError for a query that is left out."""
        if not isinstance(query, str | Query):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError("A rollout's query is named by its id, such as dev-01, or given as a Query.")
        query_id = query if isinstance(query, str) else query.query_id
        if query_id in self.left_out:
            raise UserError(f"Nothing is rewarded for {query_id}: {self.left_out[query_id]}.")
        check_known("query", self.queries, query_id)
        existing = self.queries[query_id]
        if isinstance(query, Query) and not existing.asks_the_same_as(query):
            raise UserError(f"The shop was opened with another query {query_id!r}: rename yours.")
        return existing

    def reward(self, recorded: Recorded, before: TurnsBefore = NO_TURNS) -> Reward:
        """The reward of a recorded run, the same as when the run was made.

        A turn of a conversation is rewarded by what it asks of the carts ``before``.
        """
        run, query, store = recorded.run, self.query(recorded.run.query_id), self.world.store
        turn = before.asked(query, lambda asked: self.references[asked.query_id], store).answered(run)
        return reward_of(turn.decided(run), recorded.evidence, query, turn.followed, store)

    def follow_up(self, query: Query) -> Query | None:
        """The turn of a conversation after this one."""
        return next((turn for turn in self.queries.values() if turn.after == query.query_id), None)

    def close(self) -> None:
        """Closes the world if ``open`` opened it."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _asked(queries: Queries, world: World) -> list[Query]:
    if isinstance(queries, str) and queries in SHIPPED:
        return list(shipped_queries(*SHIPPED[queries]))
    if isinstance(queries, str) and not (" " in queries or Path(queries).suffix or Path(queries).exists()):
        raise UserError(f"{queries} does not exist: queries are a file, or one of {', '.join(SHIPPED)}.")
    if isinstance(queries, str | Path | Query):
        return asked_queries(queries, None, world)
    shipped = {query.query_id: query for query in shipped_queries(*FIFTY)}
    wanted: list[str | Query] = []
    for query in queries:
        if isinstance(query, str) and len(query.split()) == 1:  # an id; text of several words is a question
            check_known("query", shipped, query)
            wanted.append(shipped[query])
        else:
            wanted.append(query)
    return asked_queries(wanted, None, world)


PATH = "0"
NO_CALL = 'A call is {"name": the tool\'s name, "arguments": {…}}.'
NO_OBJECT = "The arguments must be a JSON object."
UNHANDED = RunError(kind="no_report", where="gym", message="the rollout ended without a report")


class _Rollout:
    """One rollout in its session. The policy reads what was wrong with a call; nothing is raised."""

    def __init__(self, session: Session, query: Query, before: TurnsBefore = NO_TURNS) -> None:
        self.query = query
        self.before = before
        """The turns of its conversation that were handed in before."""
        before.carry_into(session)
        self._session = session
        self._toolkit = Toolkit(session, others=(SUBMIT,))
        self._answer: Answer | None = None
        self._turn = 0

    @property
    def instructions(self) -> str:
        """What a policy reads first: the question, and the form of the report."""
        settings = self._session.settings
        if self.query.after is not None:
            task = Task(text=self.query.text, user_id=settings.user_id, history=self.before.history)
            return task_message(task, self._session).text
        return recorded_instructions(self.query.text, settings.user_id, settings.now)

    @property
    def is_handed_in(self) -> bool:
        return self._answer is not None

    def call(self, request: object, *, same_turn: bool = False) -> ToolReply:
        """The reply to one call, ``{"name": …, "arguments": {…}}``; the arguments may be JSON text."""
        self._turn += not same_turn
        call = cast(Mapping[str, Any], request) if isinstance(request, Mapping) else {}
        name, args = call.get("name"), call.get("arguments", {})
        try:
            if not isinstance(name, str):
                raise ToolError("invalid_argument", NO_CALL, field="name")
            if isinstance(args, str):
                try:
                    args = parse_json(args)
                except ValueError:
                    raise ToolError("invalid_argument", NO_OBJECT, field="arguments") from None
            args = {} if args is None else args
            if name == SUBMIT:
                report, _ = read_submitted(args)
                self._answer = answer_with_picks(report)
                value = {"status": "done"} | ({"notes": list(self._answer.notes)} if self._answer.notes else {})
                return ToolReply(compact_json(value), value, (), None, 0)
        except ToolError as problem:
            value = problem.as_result()
            return ToolReply(compact_json(value), value, (), problem.kind, 0)
        return self._toolkit.call(name, args, PATH, role=ROLE, turn=self._turn)

    def recorded(self, system: System) -> Recorded:
        """The rollout so far, as a run of ``system``."""
        session, ended = self._session, UNHANDED if self._answer is None else self._answer
        run = run_of(system.label(), self.query, 1, session, ended, {})
        place = recorded_spec(str(session.settings.world.servers or session.settings.world.folder))
        return Recorded(run, session.ledger.evidence(), session.trajectory.texts(), {"world": place})


STEPS = 30
WEB_MODE: WebMode = "chunks"
"""No model summarises pages in a rollout."""
BEGIN = "The rollout has not begun: call reset first."
ENDED = "The rollout has ended: call reset for another."
CLOSED = "The environment is closed: make a new one."


class ShopEnv:
    """One rollout at a time, each with a session of its own. Use it in ``with``, or close it.

        env = ShopEnv("demo")
        observation, info = env.reset("dev-01")
        call = {"name": "product_catalog_search", "arguments": {"query": "bib"}}
        observation, reward, terminated, truncated, info = env.step(call)

    ``reset`` and ``step`` are those of gymnasium's ``Env``. An observation is the text that a model reads: first the
    instructions and the question, then the result of each call, or what was wrong with it. A rollout ends with
    ``submit_report``, or without a reward after ``max_steps`` calls. In a conversation the shopper then says the next
    words: each turn is a rollout of its own, with its reward, in the session of the turns before. Calls from several
    threads into one rollout run one after the other. For parallel rollouts, open one Shop and give it to one env per
    rollout.
    """

    def __init__(
        self,
        world: str | Path | World | Shop = "demo",
        queries: Queries | None = None,
        *,
        max_steps: int = STEPS,
        without: Sequence[str] = (),
        scope: Scope = "own",
        policy: str = "policy",
        tool_timeout: float = 30,
    ) -> None:
        """``queries`` are as in ``Shop.open``; ``without`` leaves out families of tools, as in ``run``.

        ``policy`` names the policy in recorded rollouts.

        Raises UserError for a world or queries that can't be opened, and UnknownName for an unknown family of tools.
        """
        if max_steps < 1:
            raise UserError("A rollout needs a step at least: max_steps is 1 or more.")
        check_known("scope", get_args(Scope), scope)
        if isinstance(world, Shop) and queries is not None:
            raise UserError("A Shop has its queries already: give them to Shop.open.")
        self._without = tools_of(without)
        self._owns_shop = not isinstance(world, Shop)
        self.shop = world if isinstance(world, Shop) else Shop.open(world, "dev" if queries is None else queries)
        self.max_steps = max_steps
        self._scope: Scope = scope
        self._tool_timeout = tool_timeout
        options = client_options(without)
        web = self.shop.world.web
        self.system = System(
            agent=GYM_AGENT,
            web_provider=web.provider,
            web_mode=WEB_MODE,
            web_corpus=web.corpus,
            models={ROLE: RoleModel(spec=policy, kind="llm")},
            options=options,
            scope=scope,
        )
        """The system that recorded rollouts belong to."""
        self._lock = threading.Lock()
        self._rollout: _Rollout | None = None
        self._steps = 0
        self._reward: Reward | None = None
        self._next = 0
        self.turns: list[Recorded] = []
        """The turns of the conversation that were handed in before this one."""
        self._is_closed = False

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The schemas of all tools, ``submit_report`` last, as ``tools`` of an OpenAI-compatible request takes them."""
        session = self._session(None if self._rollout is None else self._rollout.query)
        return [*openai_schemas(offered(session)), submit_schema()]

    @property
    def query(self) -> Query:
        """The query of this rollout."""
        return self._begun().query

    @property
    def steps(self) -> int:
        """How many calls this rollout has made."""
        return self._steps

    @property
    def done(self) -> bool:
        """True once the rollout has ended."""
        return self._reward is not None

    @property
    def reward(self) -> Reward | None:
        """The rollout's reward with its parts; None until it has ended."""
        return self._reward

    def reset(
        self,
        query: str | Query | None = None,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[str, dict[str, Any]]:
        """Starts a new rollout and drops the one before, ended or not. Returns the first observation, and details with
        the ``query_id``.

        Without ``query``, it is ``options["query"]``, else the shop's next query, or with ``seed`` a random one. Raises
        UnknownName for an unknown id or option, and UserError for a query that can't be rewarded.
        """
        for name in options or {}:
            check_known("option", ("query",), name)
        query = (options or {}).get("query") if query is None else query
        with self._lock:
            if self._is_closed:
                raise UserError(CLOSED)
            queries = [query for query in self.shop.queries.values() if query.after is None]
            if query is not None:
                drawn = self.shop.query(query)
            elif seed is not None:
                drawn = random.Random(seed).choice(queries)
            else:
                drawn = queries[self._next % len(queries)]
                self._next += 1
            if drawn.after is not None:
                raise UserError(f"{drawn.query_id} follows {drawn.after}: begin with the first turn.")
            self._end()
            self._rollout = _Rollout(self._session(drawn), drawn)
            return self._rollout.instructions, {"query_id": drawn.query_id}

    def step(self, call: object, *, same_turn: bool = False) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Makes a call. Returns the observation, the reward (0 until the end), whether the report ends the rollout,
        whether ``max_steps`` cuts it off, and details.

        ``call`` is ``{"name": …, "arguments": {…}}``. ``same_turn`` says that the policy made it in one turn with the
        call before it, which exports show; calls that wait for one another are of one turn anyway.

        The details hold ``step``, ``evidence`` (the ids of what the call showed) and ``error`` (its kind, or None). At
        the end they also hold ``ended`` ("report" or "step_limit") and ``reward`` with its parts. So they do at the end
        of a turn, where the observation has the shopper's next words. Raises UserError before ``reset`` and after the
        end.
        """
        same_turn = same_turn or self._lock.locked()
        with self._lock:
            rollout = self._begun()
            if self._reward is not None:
                raise UserError(ENDED)
            reply = rollout.call(call, same_turn=same_turn)
            self._steps += 1
            info: dict[str, Any] = {"step": self._steps, "evidence": list(reply.evidence), "error": reply.error}
            if rollout.is_handed_in or self._steps >= self.max_steps:
                recorded = rollout.recorded(self.system)
                self._reward = self.shop.reward(recorded, rollout.before)
                info["ended"] = "report" if rollout.is_handed_in else "step_limit"
                info["reward"] = self._reward.model_dump()
                following = self.shop.follow_up(rollout.query)
                if rollout.is_handed_in and following is not None:
                    reward, self._reward, self._steps = self._reward.value, None, 0
                    self.turns.append(recorded)
                    runs = (*rollout.before.runs, recorded.run)
                    before = TurnsBefore((*rollout.before.queries, rollout.query), runs, recorded.evidence)
                    self._rollout = _Rollout(self._session(following), following, before)
                    return f"{reply.text}\n\n{self._rollout.instructions}", reward, False, False, info
            reward = 0.0 if self._reward is None else self._reward.value
            return reply.text, reward, rollout.is_handed_in, self.done and not rollout.is_handed_in, info

    def recorded(self) -> Recorded:
        """The rollout's record: its run, the ledger of what it was shown, and the texts that it read."""
        return self._begun().recorded(self.system)

    def run(self) -> Run:
        """The rollout as a run, as the runner makes them of agents."""
        return self.recorded().run

    def close(self) -> None:
        """Ends the rollout, and closes the shop if the env opened it."""
        with self._lock:
            self._end()
            self._is_closed = True
            if self._owns_shop:
                self.shop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begun(self) -> _Rollout:
        if self._rollout is None:
            raise UserError(CLOSED if self._is_closed else BEGIN)
        return self._rollout

    def _end(self) -> None:
        self._rollout, self._reward, self._steps, self.turns = None, None, 0, []

    def _session(self, query: Query | None) -> Session:
        world = self.shop.world
        settings = SessionSettings(
            world if query is None else replace(world, web=web_for(query, self.system, world.web)),
            user_id=None if query is None else query.user_id,
            scope=self._scope,
            web_mode=WEB_MODE,
            without=self._without,
            tool_timeout=self._tool_timeout,
            tool_threads=1,  # calls come one by one
        )
        return Session(settings)


def save_rollouts(to: str | Path, env: ShopEnv, rollouts: Iterable[Recorded], *, seed: str = "42") -> list[Run]:
    """Saves each rollout as the next repeat of its query in the experiment in ``to``, and returns the saved runs.

    The turns of one conversation have to stand one after the other: they are saved as one repeat.

    All are recorded under the system of ``env``, also those made by other envs with the same settings. Raises UserError
    if ``to`` holds another experiment, or if another process writes there.
    """
    recordings, shop = list(rollouts), env.shop
    queries = [shop.query(query_id) for query_id in dict.fromkeys(recorded.run.query_id for recorded in recordings)]
    return save_runs(Path(to), shop.world, queries, env.system, recordings, seed=seed)


def recorded_rewards(folder: str | Path, shop: Shop) -> Iterator[tuple[Run, Reward]]:
    """Each run of an experiment with its reward, by label and query.

    Left out are queries that can't be rewarded, and the turns of a conversation after one that can't.

    Raises UserError for an experiment of another world, or of imported reports.
    """
    folder, until = Path(folder), turns_until(shop.queries.values())
    definition = read_definition(folder)
    made_in, here = definition.world_fingerprint, shop.world.manifest.fingerprint
    if made_in is None:
        raise UserError(f"{folder} holds imported reports, which have no world.")
    if made_in != here:
        raise UserError(f"{folder} was made on the world {made_in[:12]}, and this is {here[:12]}: open that world.")
    for path in run_files(folder):
        recorded = read_recorded(path)
        run = recorded.run
        if run.query_id in shop.queries:
            turns = until.get(run.query_id, (shop.queries[run.query_id],))
            if turns[0].after is None:
                before = read_before(folder, run.system, turns[:-1], run.repeat)
                yield run, shop.reward(recorded, before)


def replay(env: ShopEnv, conversation: Mapping[str, Any]) -> Reward:
    """The reward of a line of ``export --format chat``: its calls are made in ``env``, one after the other.

    Raises UnknownName for a query that ``env`` does not have, UserError for a later turn of a conversation, and
    ValueError for what is no such line.
    """
    try:
        query_id, messages = conversation["query_id"], conversation["messages"]
        turns = [[call["function"] for call in message.get("tool_calls") or ()] for message in messages]
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(
            f"This is no line of `drretail export --format chat`, which has query_id and messages: {problem!r}."
        ) from problem
    env.reset(query_id)
    reward = None
    for turn in turns:
        for place, call in enumerate(turn):
            if reward is None:
                reward = env.step(call, same_turn=place > 0)[4].get("reward")
    return Reward(why=NO_REPORT) if reward is None else Reward.model_validate(reward)
