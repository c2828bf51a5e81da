"""``ShopEnv`` behind a server of OpenEnv, and its client. Needs the extra ``openenv``.

uvicorn --factory drretail.addons.gym.openenv:create_app            # the demo's questions, on 127.0.0.1:8000

with ShopClient(base_url="http://127.0.0.1:8000").sync() as env:
    result = env.reset(query_id="dev-01")
    result = env.step(ShopAction(name="product_catalog_search", arguments={"query": "diaper bag"}))
"""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from pydantic import Field, WithJsonSchema

from drretail import __version__
from drretail.addons.gym.env import Queries, Shop, ShopEnv
from drretail.addons.gym.reward import Reward
from drretail.env.world import World
from drretail.errors import UserError, install_line

try:
    from fastapi import FastAPI
    from openenv.core import EnvClient
    from openenv.core.client_types import StepResult
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
    from starlette.types import ASGIApp, Receive, Send
    from starlette.types import Scope as Connection
    from starlette.websockets import WebSocketDisconnect
except ImportError as problem:
    raise UserError(f"The server of OpenEnv needs the extra openenv: {install_line('openenv')}.") from problem

ROLLOUTS = 256


class ShopAction(Action):
    """One call of a tool. Whatever a policy puts there gets an answer: what was wrong is told in the observation."""

    name: Annotated[Any, WithJsonSchema({"type": "string", "description": "The tool's name."})] = None
    arguments: Annotated[Any, WithJsonSchema({"type": "object", "description": "Its arguments."})] = Field(
        default_factory=dict
    )


class ShopObservation(Observation):
    """What a policy reads, and beside it what a trainer wants to know."""

    text: str = Field(default="", description="What the policy reads: the question, then each call's result.")
    tools: list[dict[str, Any]] = Field(
        default_factory=list[dict[str, Any]],
        description="After a reset: the schemas of the tools, as OpenAI's API has them.",
    )
    evidence: list[str] = Field(default_factory=list[str], description="Ids of what the call has shown.")
    error: str | None = Field(default=None, description="The kind of error, where the call had one.")
    ended: str | None = Field(default=None, description='At the end, and at that of a turn, "report" or "step_limit".')
    parts: Reward | None = Field(
        default=None, description="At the end, and at that of a turn, the reward with its parts."
    )


class ShopState(State):
    """Where a rollout stands."""

    query_id: str | None = None
    user_id: str | None = None
    done: bool = False


class ShopEnvironment(Environment[ShopAction, ShopObservation, ShopState]):
    """One rollout at a time, in a shop that all sessions share."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, shop: Shop, **options: Any) -> None:
        """``options`` are those of ``ShopEnv``."""
        super().__init__()
        self._env = ShopEnv(shop, **options)
        self._state = ShopState()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, query_id: str | None = None, **others: Any
    ) -> ShopObservation:
        """Starts with the query ``query_id``, or with a random one if there is a ``seed``, or with the shop's next."""
        text, _ = self._env.reset(query_id, seed=seed)
        query = self._env.query
        self._state = ShopState(episode_id=episode_id or str(uuid4()), query_id=query.query_id, user_id=query.user_id)
        return ShopObservation(text=text, tools=self._env.tools, reward=0.0)

    def step(self, action: ShopAction, timeout_s: float | None = None, **others: Any) -> ShopObservation:
        text, reward, *_, info = self._env.step({"name": action.name, "arguments": action.arguments})
        self._state.step_count, self._state.done = self._env.steps, self._env.done
        return ShopObservation(
            text=text,
            evidence=info["evidence"],
            error=info["error"],
            ended=info.get("ended"),
            parts=None if "reward" not in info else Reward.model_validate(info["reward"]),
            reward=reward,
            done=self._env.done,
        )

    @property
    def state(self) -> ShopState:
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="drretail",
            description="A shopper's question, researched with nine tools; the report is rewarded by its cart.",
            version=__version__,
        )

    def close(self) -> None:
        self._env.close()


class ShopClient(EnvClient[ShopAction, ShopObservation, ShopState]):
    """A client of a server made by ``create_app``; each connection runs one rollout at a time."""

    def _step_payload(self, action: ShopAction) -> dict[str, Any]:
        return {"name": action.name, "arguments": action.arguments}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ShopObservation]:
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = ShopObservation(**payload.get("observation", {}), reward=reward, done=done)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> ShopState:
        return ShopState(**payload)


class Departures:
    """Middleware that ignores a client's leaving: OpenEnv then closes the connection again, which fails."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        with suppress(WebSocketDisconnect):
            await self._app(scope, receive, send)


def create_app(
    world: str | Path | World | Shop = "demo",
    queries: Queries = "dev",
    *,
    rollouts: int = ROLLOUTS,
    **options: Any,
) -> FastAPI:
    """A server for at most ``rollouts`` rollouts at once; the world is opened once for all of them.

    ``queries`` are as in ``Shop.open``, ``options`` as in ``ShopEnv``. Raises UserError as these do.
    """
    shop = world if isinstance(world, Shop) else Shop.open(world, queries)
    ShopEnv(shop, **options).close()  # reports wrong options before a client connects
    app = create_fastapi_app(
        partial(ShopEnvironment, shop, **options), ShopAction, ShopObservation, max_concurrent_envs=rollouts
    )
    app.add_middleware(Departures)
    if shop is not world:
        app.router.on_shutdown.append(shop.close)
    return app
