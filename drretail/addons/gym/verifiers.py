"""The shop's tasks as a taskset of verifiers, with tools, reward and chat loop. Needs the extra ``verifiers``.

    vf-eval drretail-shop -n 5 -m MODEL                         # the demo's questions; --env.taskset.world W for others

    env = load_environment("demo", "dev")                       # the same from Python

All rollouts of a worker share one tool server, which opens one world; each rollout has its own session there, found by
its trace. The reward and its parts come from that server, by code alone. A judge with a rubric can be added
(``task.rubric.weight``). It can only lower a reward, and it is asked only if that weight is set.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from drretail.addons.gym.env import SHIPPED, STEPS, Shop, ShopEnv
from drretail.addons.gym.reward import Reward
from drretail.agents.running.runner import recorded_spec
from drretail.errors import UserError, install_line
from drretail.records.query import Query
from drretail.records.run import Scope
from drretail.reports.page import read_page

try:
    import verifiers.v1 as vf
    from mcp.server.mcpserver import MCPServer
    from mcp_types import CallToolResult, TextContent, Tool
    from pydantic import Field, field_validator
    from verifiers.v1.harnesses.null import NullHarness
    from verifiers.v1.judges import RubricJudge, RubricJudgeConfig
except ImportError as problem:
    raise UserError(f"The taskset of verifiers needs the extra verifiers: {install_line('verifiers')}.") from problem

if TYPE_CHECKING:
    Trace = vf.Trace[Any, Any, Any]
else:
    Trace = vf.Trace  # verifiers looks for the bare class in annotations

TASKSET = "drretail-shop"
"""The id by which verifiers finds the module ``drretail_shop``, which is installed with drretail."""
ROLLOUTS = 2048
"""The most rollouts that are kept. Those without a call for longest are dropped: most were left without a report."""
ENDED = "The research has ended."
PARTS = tuple(name for name in Reward.model_fields if name not in ("value", "why"))
"""The metrics of a rollout."""


class RolloutState(vf.State):
    """What a rollout and the tool server share."""

    rollout: str = ""
    query_id: str = ""
    turns: list[Reward] = Field(default_factory=list[Reward])
    """The reward of each turn that has ended, with its parts; a question that is no conversation has one turn."""
    left: int = 0
    """The turns that were never asked, since no report was handed in before; they earn 0."""
    has_ended: bool = False
    report: str = ""
    """The reports of all turns as a reader sees them."""


class RubricConfig(RubricJudgeConfig):
    """An optional judge with a rubric, from verifiers; off unless ``weight`` is above 0."""

    path: Path = Path(__file__).parent / "rubric.toml"
    weight: float = Field(default=0.0, ge=0, le=1)
    """The share of the reward that depends on the rubric: reward · (1 − weight + weight · rubric)."""


class ShopTaskConfig(vf.TaskConfig):
    rubric: RubricConfig = RubricConfig()


class ReportJudge(RubricJudge):
    """Judges the report as a reader sees it, not the calls that led to it."""

    def __init__(self, config: RubricConfig, report: str) -> None:
        super().__init__(config)
        self._report = report

    def build_messages(self, **fields: Any) -> str | vf.Messages:
        return super().build_messages(**{**fields, "response": self._report})


class ShopToolsConfig(vf.SharedToolsetConfig):
    """What the tool server opens; the taskset fills it in from its own settings."""

    world: str = "demo"
    queries: str = "dev"
    max_steps: int = STEPS
    without: list[str] = Field(default_factory=list[str])
    scope: Scope = "own"


class ShopConfig(vf.TasksetConfig):
    """Which shop, which queries, and which tools."""

    world: str = "demo"
    """"demo", a world's folder, or "servers:NAME"."""
    queries: str = "dev"
    """A file of queries, or "dev", "test" or "all" of those that ship with the demo."""

    @field_validator("queries")
    @classmethod
    def _is_there(cls, queries: str) -> str:
        """Reports a missing file as a wrong option on the command line, instead of a traceback."""
        if queries not in SHIPPED and " " not in queries and not Path(queries).is_file():
            raise ValueError(f"{queries} does not exist: queries are a file, or one of {', '.join(SHIPPED)}")
        return queries

    max_steps: int = STEPS
    """Calls after which a rollout ends without a report."""
    without: list[str] = Field(default_factory=list[str])
    """Metrics of tools to leave out: web, catalog, user, calculator."""
    scope: Scope = "own"
    task: ShopTaskConfig = ShopTaskConfig()
    tools: ShopToolsConfig = ShopToolsConfig()
    """Where the tool server runs."""

    def served(self) -> ShopToolsConfig:
        """The settings of the tool server. It starts in another folder, so paths are made absolute."""
        queries = self.queries if not Path(self.queries).exists() else str(Path(self.queries).absolute())
        limits = {"max_steps": self.max_steps, "without": self.without, "scope": self.scope}
        return self.tools.model_copy(update={"world": recorded_spec(self.world), "queries": queries, **limits})


class ShopTools(vf.Toolset[ShopToolsConfig, RolloutState]):
    """The tools of all rollouts, with the names, schemas and texts that our agents read."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        self._shop = await asyncio.to_thread(Shop.open, self.config.world, self.config.queries)
        self._envs: OrderedDict[str, ShopEnv | None] = OrderedDict()
        """By trace id; None for a rollout that has ended."""
        self._listed = [
            Tool(name=tool["name"], description=tool["description"], input_schema=tool["parameters"])
            for tool in (schema["function"] for schema in self._new().tools)
        ]

    def register(self, mcp: MCPServer) -> None:
        # The server's handlers call these two, so that schemas are ours and not derived from function signatures.
        server = cast(Any, mcp)
        server.list_tools = self._list
        server.call_tool = self._with_state(self._call)

    async def _list(self) -> list[Tool]:
        return self._listed

    async def _call(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        env = self._env()
        if env is None:
            return _result(ENDED, is_error=True)
        try:
            text, *_, info = await asyncio.to_thread(env.step, {"name": name, "arguments": arguments})
        except UserError:  # another call of the same turn has ended the rollout
            return _result(ENDED, is_error=True)
        if "reward" in info:
            run = env.run() if env.done else env.turns[-1].run
            self.state.turns = [*self.state.turns, Reward.model_validate(info["reward"])]
            self.state.report = f"{self.state.report}\n\n{read_page(run.report or '').shown}".strip()
        if env.done:
            last: Query | None = env.query
            while (last := self._shop.follow_up(last)) is not None:
                self.state.left += 1
            self.state.has_ended = True
            self._envs[self.state.rollout] = None
            env.close()
        return _result(text, is_error=info["error"] is not None)

    def _env(self) -> ShopEnv | None:
        """The env of the calling rollout; None once the rollout has ended."""
        rollout = self.state.rollout
        if rollout not in self._envs:
            env = self._envs[rollout] = self._new()
            env.reset(self.state.query_id)
            if len(self._envs) > ROLLOUTS:
                _, oldest = self._envs.popitem(last=False)
                if oldest is not None:
                    oldest.close()
        self._envs.move_to_end(rollout)
        return self._envs[rollout]

    def _new(self) -> ShopEnv:
        config = self.config
        return ShopEnv(self._shop, max_steps=config.max_steps, without=config.without, scope=config.scope)


class ShopData(vf.TaskData):
    """A query, without anything that would give away its answer."""

    query_id: str


class ShopTask(vf.Task[ShopData, RolloutState, ShopTaskConfig]):
    """A shopper's question, or a conversation, rewarded by ``reward_of``, and lowered by a rubric if one is set."""

    @property
    def key(self) -> str:
        return self.data.query_id

    async def setup(self, trace: Trace, runtime: vf.Runtime) -> None:
        state = trace.state
        state.rollout, state.query_id = trace.id, self.data.query_id

    @vf.stop
    async def has_ended(self, trace: Trace) -> bool:
        """True once the report is handed in or no call is left: nothing that a model says after that counts."""
        return trace.state.has_ended

    @vf.reward
    async def reward(self, trace: Trace) -> float:
        value, rubric = _mean_of(trace.state, "value"), self.config.rubric
        if not value or not rubric.weight:
            return value
        judged = await ReportJudge(rubric, trace.state.report).score(self.data, trace)
        return value * (1 - rubric.weight + rubric.weight * judged)

    @vf.metric
    async def parts(self, trace: Trace) -> Mapping[str, float]:
        return {name: _mean_of(trace.state, name) for name in PARTS}


def _mean_of(state: RolloutState, part: str) -> float:
    """The mean of a part over all turns of a conversation."""
    return sum(getattr(turn, part) for turn in state.turns) / max(1, len(state.turns) + state.left)


class ShopTaskset(vf.Taskset[ShopTask, ShopConfig]):  # pyright: ignore[reportInvalidTypeArguments]  # its bound takes no State but the bare one
    """The queries of a shop that a report can be rewarded for; a conversation is one task, with its turns in it."""

    def load(self) -> Iterator[ShopTask]:
        config = self.config
        with (
            Shop.open(config.world, config.queries) as shop,
            ShopEnv(shop, max_steps=config.max_steps, without=config.without, scope=config.scope) as env,
        ):
            for query_id in (query.query_id for query in shop.queries.values() if query.after is None):
                task = {"id": query_id, "name": query_id, "query_id": query_id, "prompt": env.reset(query_id)[0]}
                data = ShopData.model_validate(task)
                yield ShopTask(data, config.task)

    @classmethod
    def toolsets(cls, config: ShopConfig) -> list[vf.Toolset[Any, Any]]:
        return [ShopTools(config.served())]


class ShopHarness(NullHarness):
    """The chat loop of verifiers with the shop's tools only: with a shell, a policy could read the world."""


class LocalEnvConfig(vf.EnvConfig):
    """One policy, whose chat loop runs on this machine. It executes no code, so it needs no sandbox."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class LocalEnv(vf.Env[LocalEnvConfig]):
    """One policy answers one question."""

    async def run(self, task: vf.Task[Any, Any, Any], agents: vf.Agents) -> None:
        await agents.agent.run(task)


def load_environment(world: str = "demo", queries: str = "dev", **options: Any) -> vf.Env[Any]:
    """The environment of verifiers for these queries; ``options`` are fields of ``ShopConfig``."""
    taskset = {"id": TASKSET, "world": world, "queries": queries, **options}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset}))


def _result(text: str, *, is_error: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


if __name__ == "__main__":
    ShopTools.run()
