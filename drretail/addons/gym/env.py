"""``ShopEnv``: a shopper's question, tools to research it with, and a reward at the end."""

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, get_args

from drretail.addons.gym.rollout import Rollout
from drretail.addons.gym.shop import Queries, Shop
from drretail.agents.running.runner import Recorded
from drretail.agents.running.system import client_options
from drretail.env.altered.moves import moves_of, read_moves
from drretail.env.session import Session, SessionSettings, Shopper
from drretail.env.web.sealed import web_for
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.eval.metrics.reward import Reward
from drretail.records.query import Query
from drretail.records.run import GYM_AGENT, MOVES, RoleModel, Run, Scope, System, WebMode
from drretail.tools.registry import ROLE, offered, openai_schemas, submit_schema, tools_of

STEPS = 30
WEB_MODE: WebMode = "chunks"
"""No model summarises pages in a rollout, and what a query asks the web is in no snippet."""
BEGIN = "The rollout has not begun: call reset first."
ENDED = "The rollout has ended: call reset for another."
CLOSED = "The environment is closed: make a new one."


class ShopEnv:
    """One rollout at a time, each with a session of its own. Use it in ``with``, or close it.

        env = ShopEnv("demo")
        observation = env.reset("dev-01")
        observation, reward, done, info = env.step({"name": "product_catalog_search", "arguments": {"query": "bib"}})

    An observation is the text that a model reads: first the instructions and the question, then the result of each
    call, or what was wrong with it. A rollout ends with ``submit_report``, or without a reward after ``max_steps``
    calls. Calls from several threads into one rollout run one after the other. For parallel rollouts, open one Shop and
    give it to one env per rollout.
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
        moves: str | None = None,
        tool_timeout: float = 30,
    ) -> None:
        """``queries`` are as in ``Shop.open``; ``without`` leaves out families of tools, as in ``run``.

        ``policy`` names the policy in recorded rollouts. With ``moves`` ("prices:0.2,stock:0.1", docs/experiments.md),
        prices and stock change during a rollout, and its cart is rewarded at the prices of its end.

        Raises UserError for a world or queries that can't be opened, and UnknownName for an unknown family of tools.
        """
        if max_steps < 1:
            raise UserError("A rollout needs a step at least: max_steps is 1 or more.")
        if scope not in get_args(Scope):
            raise UnknownName("scope", scope, get_args(Scope))
        if isinstance(world, Shop) and queries is not None:
            raise UserError("A Shop has its queries already: give them to Shop.open.")
        self._without = tools_of(without)
        self._owns_shop = not isinstance(world, Shop)
        self.shop = world if isinstance(world, Shop) else Shop.open(world, "dev" if queries is None else queries)
        self.max_steps = max_steps
        self._scope: Scope = scope
        self._tool_timeout = tool_timeout
        asks = any(query.hidden for query in self.shop.queries.values())
        options = client_options(without, asks=asks) | ({} if moves is None else {MOVES: read_moves(moves)})
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
        self._rollout: Rollout | None = None
        self._steps = 0
        self._reward: Reward | None = None
        self._next = 0
        self._is_closed = False

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The schemas of all tools, ``submit_report`` last, as ``tools`` of an OpenAI-compatible request takes them.

        After ``reset`` they are the rollout's. Before, ``ask_shopper`` is among them if any query hides limits.
        """
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

    def reset(self, query: str | Query | None = None, *, seed: int | None = None) -> str:
        """Starts a new rollout and returns its first observation. It drops the one before, ended or not.

        Without ``query``, it is the shop's next query, or with ``seed`` a random one. Raises UnknownName for an unknown
        id, and UserError for a query that can't be rewarded.
        """
        with self._lock:
            if self._is_closed:
                raise UserError(CLOSED)
            drawn = self._drawn(seed) if query is None else self.shop.query(query)
            self._end()
            self._rollout = Rollout(self._session(drawn), drawn)
            return self._rollout.instructions

    def step(self, call: object, *, same_turn: bool = False) -> tuple[str, float, bool, dict[str, Any]]:
        """Makes a call. Returns the observation, the reward (0 until the end), whether this is the end, and details.

        ``call`` is ``{"name": …, "arguments": {…}}``. ``same_turn`` says that the policy made it in one turn with the
        call before it, which exports show; calls that wait for one another are of one turn anyway.

        The details hold ``step``, ``evidence`` (the ids of what the call showed) and ``error`` (its kind, or None). At
        the end they also hold ``ended`` ("report" or "step_limit") and ``reward`` with its parts. Raises UserError
        before ``reset`` and after the end.
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
                self._reward = self.shop.reward(rollout.recorded(self.system), self.system)
                info["ended"] = "report" if rollout.is_handed_in else "step_limit"
                info["reward"] = self._reward.model_dump()
                rollout.close()  # its threads end now, not only when the env is closed
            return reply.text, self._reward.value if self._reward else 0.0, self.done, info

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

    def _begun(self) -> Rollout:
        if self._rollout is None:
            raise UserError(CLOSED if self._is_closed else BEGIN)
        return self._rollout

    def _end(self) -> None:
        if self._rollout is not None:
            self._rollout.close()
        self._rollout, self._reward, self._steps = None, None, 0

    def _drawn(self, seed: int | None) -> Query:
        queries = list(self.shop.queries.values())
        if seed is not None:
            return random.Random(seed).choice(queries)
        self._next += 1
        return queries[(self._next - 1) % len(queries)]

    def _session(self, query: Query | None) -> Session:
        world = self.shop.world
        # Without a query there is a shopper if any query hides limits, so that the tool for asking is listed.
        hiding = (each for each in (self.shop.queries.values() if query is None else [query]) if each.hidden)
        settings = SessionSettings(
            world if query is None else replace(world, web=web_for(query, self.system, world.web)),
            user_id=None if query is None else query.user_id,
            scope=self._scope,
            web_mode=WEB_MODE,
            without=self._without,
            moves=None if query is None else moves_of(self.system, query, world.manifest.now),
            tool_timeout=self._tool_timeout,
            tool_threads=1,  # calls come one by one
        )
        return Session(settings, next((Shopper(each) for each in hiding), None))
