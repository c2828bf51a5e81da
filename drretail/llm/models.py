"""The models of one run: every call is journalled, counted, and written into the trajectory."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from drretail.errors import ModelError, UserError, quoted
from drretail.event_loop import run_loop
from drretail.experiments.journal import ActionResult, Asked, Journal
from drretail.llm.calling import MARKED, Attempts, answer_of, with_cache_marks
from drretail.llm.prices import priced
from drretail.llm.registry import Model
from drretail.llm.structured import MAX_REPAIRS, Check, Question, answered_json
from drretail.llm.usage import CHARACTERS_PER_TOKEN, LEAST_BRANCH, SMALLEST_BRANCH, Budget
from drretail.records import figures
from drretail.records.base import Record, canonical_json
from drretail.records.run import PROVIDER_FAULTS, Limits, Role, Step, Stop, Usage
from drretail.records.trajectory import Trajectory, span

# How each provider is told that the tools it sees may not be called. They must still be sent: Anthropic refuses
# a conversation that holds tool calls but names no tools. A provider that is not listed gets no tools instead.
NO_CALLS: dict[str, Any] = {
    "anthropic": {"type": "none"},
    **dict.fromkeys(("openai", "google", "offline", "scripted"), "none"),
}
WITH_BOTH = frozenset({"openai", "scripted"})
"""Providers whose models take tools and the schema of the final answer in one request."""
SMALLEST = 1e-9
"""Dollars that a branch gets if nothing is left for it: a limit has to be above 0."""
OnUse = Callable[[Usage], None]
T = TypeVar("T", bound=Record)


@dataclass(slots=True)
class Models:
    """The models of one run, or of one of its researchers, by role, with the tokens they have used so far."""

    by_role: Mapping[Role, Model]
    journal: Journal
    trajectory: Trajectory
    limits: Limits = field(default_factory=Limits)
    gate: asyncio.Semaphore | None = None
    """Held by each call while it is in flight; None = any number may be in flight."""
    on_use: OnUse | None = None
    """Called with the usage of each call."""
    _used: dict[str, Usage] = field(default_factory=dict[str, Usage])
    _branches: "list[Models]" = field(default_factory=list["Models"])
    _parts: dict[int, tuple[Any, Any, str]] = field(default_factory=dict[int, tuple[Any, Any, str]])
    """By object id: a message or tool, so that its id is not reused, with its content and its canonical JSON in
    requests. Each call sends the whole conversation again.
    """
    _bound: dict[tuple[Role, bool], tuple[list[Any], Any]] = field(
        default_factory=dict[tuple[Role, bool], tuple[list[Any], Any]]
    )
    """The tools of a role's last turn, and its chat with these bound."""
    _last_tokens: int = 0
    _last_dollars: float = 0
    """The least that the next call will take: what the last one took, and what was added to the conversation since."""

    async def call(
        self,
        role: Role,
        messages: Sequence[BaseMessage],
        *,
        path: str = "0",
        tools: Sequence[dict[str, Any]] = (),
        may_call: bool = True,
    ) -> AIMessage:
        """The model's answer. With ``may_call`` False the model sees the tools of the conversation but may call none.

        Raises ModelError if the provider fails for good or a budget is spent.
        """
        model = self._model(role)
        schemas, (before, chat) = list(tools), self._bound.get((role, may_call), (None, None))
        if before != schemas:
            chat = _bound(model, schemas, may_call)
            self._bound[role, may_call] = schemas, chat
        request = self._request(model, messages) | {"tools": schemas, "may_call": may_call}
        return await self._turn(role, path, messages, request, chat)

    async def ask(
        self,
        role: Role,
        messages: Sequence[BaseMessage],
        answer: type[T],
        *,
        path: str = "0",
        check: Check[T] | None = None,
        repairs: int = MAX_REPAIRS,
    ) -> T:
        """The model's answer in the schema of ``answer``. One that does not fit is sent back, at most ``repairs``
        times.

        ``check`` says what else is wrong with an answer; None if nothing is. Raises ModelError if there is no usable
        answer.
        """
        model = self._model(role)

        async def call(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> str:
            request = self._request(model, messages) | {"schema": schema}
            return answered_json(await self._turn(role, path, messages, request))

        reply = await Question(answer, call, check, repairs).put(messages)
        self.trajectory.count_setback("repairs", role, reply.attempts - 1)
        if reply.answer is None:
            raise reply.failure or ModelError("unusable", "no usable answer")
        return reply.answer

    async def forward(
        self,
        role: Role,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]] = (),
        choice: str | None = None,
        schema: dict[str, Any] | None = None,
    ) -> AIMessage:
        """The answer to a request that an agent made for a provider; an answer in a ``schema`` is its JSON text.

        ``choice`` is "none", "any" or the tool that has to be called. Raises as ``call`` does, and ValueError for a
        schema beside tools if the provider takes one or the other.
        """
        model, schemas, may_call = self._model(role), list(tools), choice != "none"
        request = self._request(model, messages) | {"tools": schemas, "may_call": may_call}
        if schemas and may_call and (choice or schema):
            if schema and model.info.provider not in WITH_BOTH:
                raise ValueError(f"{model.spec} takes a schema of its answer or tools, not both.")
            form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
            options: dict[str, Any] = {"tool_choice": choice} if choice else {}
            options |= {"response_format": form} if schema else {}
            chat = model.chat.bind_tools(schemas, **options)
            return await self._turn(role, "0", messages, request | options, chat)
        if schema:
            answer = await self._turn(role, "0", messages, request | {"schema": schema})
            return answer.model_copy(update={"content": answered_json(answer), "tool_calls": []})
        return await self._turn(role, "0", messages, request, _bound(model, schemas, may_call))

    async def embed(self, role: Role, body: dict[str, Any]) -> dict[str, Any]:
        """The answer of an OpenAI-compatible provider to a request for embeddings, by the model that it names.

        Raises ModelError as ``call`` does, and ValueError for a model of another provider.
        """
        model = self._model(role)
        client: Any = getattr(model.chat, "root_async_client", None)
        if client is None:
            raise ValueError(f"{model.spec} has no embeddings: name a model of openai:, or an agent without them.")
        request = {"model": model.spec, "embeddings": body, "messages": []}
        self._check_budget(role, {"messages": body.get("input", "")})

        async def action() -> ActionResult:
            try:
                answer = await client.post("/embeddings", body=body, cast_to=dict[str, Any])
            except Exception as problem:  # the boundary of a vendor's client, whose errors differ by version
                raise ModelError("model", f"no embeddings: {type(problem).__name__}: {problem}") from problem
            read = (answer.get("usage") or {}).get("prompt_tokens", 0)
            used = priced(Usage(calls=1, input_uncached=read), f"openai:{body.get('model')}")
            return ActionResult(answer, used.model_dump())

        effect = await self.journal.scope("0", role).aperform("model", request, action)
        self._count(role, effect.usage or {})
        return effect.response

    def chat(self, role: Role, path: str = "0") -> "RoleChat":
        """The role's model as LangChain's agents and graphs take it. Its calls are those of ``call``."""
        self._model(role)
        return RoleChat(models=self, role=role, path=path)

    def _model(self, role: Role) -> Model:
        if role not in self.by_role:
            raise ModelError("agent", f"the agent asks for the role {quoted(role)}, which its roles do not name")
        return self.by_role[role]

    def read(self, role: Role, characters: int) -> None:
        """Notes that the next call of this role will be longer by so many characters, such as tool results."""
        grown = Usage(input_uncached=characters // CHARACTERS_PER_TOKEN)
        self._last_tokens += grown.total
        if self.limits.dollars is not None:
            self._last_dollars += self._model(role).priced(grown).dollars or 0

    def most_branches(self, wanted: int) -> int:
        """How many of the ``wanted`` researchers get enough tokens; 0 if too few are left for even one."""
        share = self._tokens_budget.share(1)
        if share is None:
            return wanted
        return 0 if share < LEAST_BRANCH else max(1, min(wanted, int(share // SMALLEST_BRANCH)))

    def share(self, count: int) -> Limits:
        """The limits of each of ``count`` branches: an equal share of the tokens and dollars that are left.

        So what one spends never affects another.
        """
        share = self.limits
        if (tokens := self._tokens_budget.share(count)) is not None:
            share = share.model_copy(update={"tokens": max(1, int(tokens))})
        if (money := self._dollars_budget.share(count)) is not None:
            share = share.model_copy(update={"dollars": max(SMALLEST, money)})
        return share

    def branch(self, share: Limits) -> "Models":
        """Separate models for a branch with these limits, which count with the run's."""
        branch = Models(self.by_role, self.journal, self.trajectory, share, self.gate, self.on_use, _parts=self._parts)
        self._branches.append(branch)
        return branch

    @property
    def usage(self) -> dict[str, Usage]:
        """The tokens of every role, the researchers' branches included."""
        total = dict(self._used)
        for branch in self._branches:
            for role, used in branch.usage.items():
                total[role] = total.get(role, Usage()) + used
        return dict(sorted(total.items()))

    @property
    def tokens(self) -> int:
        """All tokens read and written so far, by every role."""
        return sum(usage.total for usage in self.usage.values())

    @property
    def dollars(self) -> float | None:
        """What all calls cost so far; None if the price of a model that was called is unknown."""
        return sum(self.usage.values(), Usage()).dollars

    @property
    def budget_stop(self) -> Stop | None:
        """The stop to conclude with, if one more turn and the report might not fit into a budget; otherwise None."""
        if self._tokens_budget.nearly_spent:
            return "token_budget"
        return "dollar_budget" if self._dollars_budget.nearly_spent else None

    @property
    def must_conclude(self) -> bool:
        """True if one more turn and the report after it might not fit into the tokens or dollars."""
        return self.budget_stop is not None

    @property
    def _tokens_budget(self) -> Budget:
        limit = self.limits.tokens
        return Budget(None) if limit is None else Budget(limit, self.tokens, self._last_tokens)

    @property
    def _dollars_budget(self) -> Budget:
        limit = self.limits.dollars
        return Budget(None) if limit is None else Budget(limit, self.dollars or 0, self._last_dollars)

    async def _turn(
        self, role: Role, path: str, messages: Sequence[BaseMessage], request: dict[str, Any], chat: Any = None
    ) -> AIMessage:
        """One call, which is journalled, counted, and added to the trajectory whether it succeeds or not."""
        self._check_budget(role, request)
        model = self._model(role)
        kind = "synthesis" if role == "synthesis" else "model"
        seq = self.trajectory.reserve(path)

        async def action() -> ActionResult:
            attempts = Attempts(priced=model.priced)
            attributes = {
                "gen_ai.request.model": model.spec,
                "gen_ai.provider.name": model.info.provider,
                "drretail.role": role,
            }
            with span("chat", model.spec, attributes) as note:
                sent, schema = _sent(model, messages, request), request.get("schema")
                answer = await answer_of(model, sent, chat=chat, schema=schema, attempts=attempts)
                used = attempts.usage_with(answer)
                note({"gen_ai.usage.input_tokens": used.input, "gen_ai.usage.output_tokens": used.output})
            content = answer.model_dump(mode="json", exclude_none=True)
            return ActionResult(content, used.model_dump(), len(attempts.failed))

        try:
            async with self.gate or nullcontext():  # outside the timed part: waiting in line is no latency
                effect = await self.journal.scope(path, role).aperform(
                    "model", request, action, self._asked(request, messages)
                )
        except ModelError as problem:
            if problem.usage is not None:
                self._count(role, problem.usage)
            self.trajectory.count_setback("second_attempts", number=problem.retries)
            self.trajectory.count_setback("lost", role, problem.kind in PROVIDER_FAULTS)
            self.trajectory.add(Step(path=path, seq=seq, kind=kind, role=role, error=problem.message))
            raise
        self._count(role, effect.usage or {})
        self.trajectory.count_setback("second_attempts", number=effect.retries or 0)
        answer = AIMessage.model_validate(effect.response)
        text = answered_json(answer) if "schema" in request else answer.text
        thought = self.trajectory.keep_text(text) if text else None
        self.trajectory.add(Step(path=path, seq=seq, kind=kind, role=role, name=model.spec, result_sha=thought))
        return answer

    def _request(self, model: Model, messages: Sequence[BaseMessage]) -> dict[str, Any]:
        """The parts of a request that decide the answer, in a form that is equal for equal requests."""
        contents = [self._part(message)[1] for message in messages]
        return {"model": model.spec, "params": model.params, "messages": contents}

    def _asked(self, request: Mapping[str, Any], messages: Sequence[BaseMessage]) -> Asked:
        """The texts of a request with these messages."""
        parts = {"messages": messages, "tools": request.get("tools", ())}
        return {
            name: [self._part(part)[2] for part in parts[name]] if name in parts else canonical_json(value)
            for name, value in request.items()
        }

    def _part(self, part: Any) -> tuple[Any, Any, str]:
        """A message or tool, its content in a request, and the canonical JSON of that, which are made once."""
        if id(part) not in self._parts:
            content = _content(part) if isinstance(part, BaseMessage) else part
            self._parts[id(part)] = part, content, canonical_json(content)
        return self._parts[id(part)]

    def _check_budget(self, role: Role, request: Mapping[str, Any]) -> None:
        """Raises ModelError if the call would exceed a budget by more than its slack."""
        if self.limits.tokens is None and self.limits.dollars is None:
            return
        # Estimated from its length: what it takes is known only afterwards.
        coming = Usage(
            input_uncached=len(str(request["messages"]) + str(request.get("tools", ""))) // CHARACTERS_PER_TOKEN
        )
        dollars = None if self.limits.dollars is None else self._model(role).priced(coming).dollars
        if self.limits.dollars is not None and self.dollars is None:
            unknown = "a model that was not asked for has answered, whose price is unknown, so"
            raise ModelError("budget", f"{unknown} dollars can't be limited: limit tokens instead with --vary tokens=N")
        if self._tokens_budget.exceeded_by(coming.total):
            unit, allowed, spent = "tokens", f"{self.limits.tokens:,} tokens", f"{self.tokens:,}"
        elif self._dollars_budget.exceeded_by(dollars or 0):
            unit, allowed, spent = "dollars", f"${self.limits.dollars:g}", f"${figures.dollars(self.dollars or 0)}"
        else:
            return
        lacking = f"the {allowed} allowed do not suffice for the next call, with {spent} spent"
        raise ModelError("budget", f"{lacking}: allow more with --vary {unit}=N")

    def _count(self, role: Role, tokens: Mapping[str, Any]) -> None:
        used = Usage(**tokens)
        self._used[role] = self._used.get(role, Usage()) + used
        self._last_tokens = used.total
        self._last_dollars = used.dollars or 0
        if self.on_use is not None:
            self.on_use(used)


def _sent(model: Model, messages: Sequence[BaseMessage], request: Mapping[str, Any]) -> Sequence[BaseMessage]:
    """The messages to send, with cache marks if the provider caches only what is marked.

    A turn that may call tools is followed by another, which repeats it. A turn that may not is the last one, and its
    other tool setting makes the cached conversation useless: only tools and system message are marked.
    """
    if model.info.provider not in MARKED:
        return messages
    return with_cache_marks(messages, continues=bool(request.get("tools")) and bool(request.get("may_call")))


def _bound(model: Model, tools: list[dict[str, Any]], may_call: bool) -> Any:
    if not tools:
        return model.chat
    if may_call:
        return model.chat.bind_tools(tools)
    choice = NO_CALLS.get(model.info.provider)
    return model.chat if choice is None else model.chat.bind_tools(tools, tool_choice=choice)


def _content(message: BaseMessage) -> dict[str, Any]:
    calls = {name: getattr(message, name, None) for name in ("tool_calls", "tool_call_id")}
    present = {name: value for name, value in calls.items() if value}
    return {"role": message.type, "content": message.content} | present


class RoleChat(BaseChatModel):
    """A role's model for LangChain: what it is asked is journalled, counted and capped with the run, and replays."""

    models: Any
    """The Models of the run."""
    role: Role
    path: str = "0"

    @property
    def _llm_type(self) -> str:
        return "drretail"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with these tools in OpenAI's form. No ``tool_choice`` but "none" has an effect."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def with_structured_output(
        self, schema: Any, *, include_raw: bool = False, **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        """Answers as objects of a pydantic model, repaired as by ``Models.ask``. Raises UserError for other schemas."""
        if include_raw or not (isinstance(schema, type) and issubclass(schema, BaseModel)):
            raise UserError("models.chat(…).with_structured_output takes a pydantic model, and no include_raw.")

        async def answered(prompt: LanguageModelInput) -> BaseModel:
            messages = self._convert_input(prompt).to_messages()
            return await self.models.ask(self.role, messages, schema, path=self.path)

        return RunnableLambda(lambda prompt: run_loop(answered(prompt)), answered)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return run_loop(self._agenerate(messages, stop, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = await self.models.call(
            self.role,
            messages,
            path=self.path,
            tools=kwargs.get("tools") or (),
            may_call=kwargs.get("tool_choice") != "none",
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])
