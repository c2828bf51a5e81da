"""What a server of the user's own can do with a model: asked once, kept for later commands, and said once.

what is asked         how                                                   what follows
--------------------  ----------------------------------------------------  ----------------------------------------
length of a context   of the server, as four kinds of them tell it          lean tools, shorter results and answers
answers at a time     of the server, or by two questions at once            no more questions are under way than that
form of a schema      by a question that no unconstrained answer meets      the first of ``FORMS`` that is kept to
arguments             they are sent with every question                     what is refused is never sent again
tokens in a second    by a long question and a long answer (``doctor``)     minutes in estimates
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import write_json
from drretail.llm.calling import paced_attempt
from drretail.llm.faults import Fault, address_of, keys_of
from drretail.llm.registry import Model
from drretail.llm.structured import answered_json, structured
from drretail.llm.usage import usage_of
from drretail.records.base import Record
from drretail.records.models import FORMS, Abilities, StructuredForm
from drretail.records.run import Usage

PATIENCE = 3.0
"""Seconds that a server has to say something about itself. Servers that say nothing refuse at once."""
NOT_NOW = frozenset({429, 502, 503, 504})
"""Statuses of a server that is busy or still loads its model, and so say nothing of what it can do."""
SHORT = 60
"""Tokens that the answer to a trial question may have."""
TRIAL = "Say hello in plain words. Please no JSON."
"""No schema asks for it: only a constrained answer is in its form. OpenAI takes json_object if messages name JSON."""

LONG_QUESTION = f"Which of these numbers is the largest? {' '.join(str(n * n) for n in range(7, 107))}"
COUNTING = "Count from one to one hundred, in words."
QUEUED = 1.6
"""Times as long as alone that the slower of two questions at once takes if it waited for the other."""


class Greeting(Record):
    """A greeting in one word."""

    word: Literal["drretail"]


@dataclass(frozen=True, slots=True)
class Source:
    """A place where some servers say what they hold."""

    path: str
    """Below the root of the server, which is its address without "/v1"."""
    read: Callable[[Any, str], Mapping[str, Any]]
    """(what it says, the model's name) → the fields of Abilities that it tells."""
    is_ollamas: bool = False
    """True if it belongs to Ollama's own protocol, whose sources are asked by POST."""


def _props(answer: Any, name: str) -> Mapping[str, Any]:
    return {"context": answer["default_generation_settings"]["n_ctx"], "slots": answer["total_slots"]}


def _models(answer: Any, name: str) -> Mapping[str, Any]:
    listed: list[Any] = answer["data"]
    (entry,) = [each for each in listed if each["id"] == name] or listed  # one alone is it, by whatever name
    properties = {**(entry.get("meta") or {}), **entry}
    contexts = (properties.get(key) for key in ("loaded_context_length", "max_model_len", "n_ctx"))
    return {"context": next(filter(None, contexts), None)}


def _loaded(answer: Any, name: str) -> Mapping[str, Any]:
    (entry,) = [each for each in answer["models"] if each["name"] in (name, f"{name}:latest")]
    return {"context": entry["context_length"]}


def _shown(answer: Any, name: str) -> Mapping[str, Any]:
    lengths = [value for key, value in answer["model_info"].items() if key.endswith(".context_length")]
    return {"context": min(lengths)}


SOURCES = (
    Source("/props", _props),  # llama.cpp
    Source("/v1/models", _models),  # vLLM, llama.cpp
    Source("/api/v0/models", _models),  # LM Studio
    Source("/api/ps", _loaded),  # Ollama, by OpenAI's protocol, which can't be told how much to keep
    Source("/api/show", _shown, is_ollamas=True),  # Ollama, by its own
)


async def survey(model: Model) -> Abilities:
    """What the model's server says of itself, and which form of a schema it keeps to.

    Raises UserError if it gives no answer, and CommandStopped if it can't be reached.
    """
    form = await _form_kept(model)  # first, since Ollama says nothing of a model that it has not loaded
    stated = await told_by_server(model)
    return stated.model_copy(update={"structured": form, "refused": tuple(sorted(model.refused))})


async def told_by_server(model: Model) -> Abilities:
    """The length of the context and the answers at a time, as far as the server says; it sends the model nothing."""
    import httpx2

    address = getattr(model.chat, "openai_api_base", None) or getattr(model.chat, "base_url", None) or ""
    root = str(address).rstrip("/").removesuffix("/v1")
    keys = keys_of(model.chat)
    headers = {"authorization": f"Bearer {keys[0]}"} if keys else {}
    abilities: dict[str, int] = {}
    async with httpx2.AsyncClient(timeout=PATIENCE, headers=headers) as client:
        for source in (each for each in SOURCES if root and each.is_ollamas == (model.info.provider == "ollama")):
            try:
                name = {"model": model.info.model} if source.is_ollamas else None
                answer = await client.request("POST" if source.is_ollamas else "GET", root + source.path, json=name)
                stated = source.read(answer.json(), model.info.model) if answer.is_success else {}
            except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, LookupError, TypeError, AttributeError):
                continue  # another kind of server
            abilities = {name: n for name, n in stated.items() if isinstance(n, int) and n > 0} | abilities
    return Abilities.model_validate(abilities)


async def _form_kept(model: Model) -> StructuredForm:
    """The first form that the server takes and whose answer shows that it was constrained."""
    from langchain_core.messages import HumanMessage

    brief = model.at_most(SHORT + model.thinking)
    schema = Greeting.model_json_schema()
    for form in FORMS[:-1]:
        chat = structured(replace(brief, structured=form), schema)
        if chat is None:
            return "prompt"
        outcome, _ = await paced_attempt(brief, chat, [HumanMessage(TRIAL)], 0.0)
        if not isinstance(outcome, Fault):
            text = answered_json(outcome)
        else:
            model.halt.check_denied(model, outcome.error)
            if outcome.error.kind == "timeout" or outcome.is_unreached or outcome.status in NOT_NOW:
                model.halt.check_down(model, outcome)
                raise UserError(f"{model.spec} has not answered its first question: {outcome.error.message}.")
            text = outcome.unfinished or ""
        if text.startswith("{") if form == "json_object" else _is_greeting(text):
            return form
    return "prompt"


def _is_greeting(text: str) -> bool:
    try:
        return bool(Greeting.model_validate_json(text))
    except ValidationError:
        return False


async def measured(model: Model) -> Abilities:
    """What is known of the model's server, with its speed, and whether it writes one answer at a time."""
    read, reading = await _timed(model.at_most(1), LONG_QUESTION)
    written, writing = await _timed(model.at_most(SHORT), COUNTING)
    speeds = {"read_speed": read.total / reading, "write_speed": max(written.output, 1) / writing}
    if model.server.slots is None:
        both = await asyncio.gather(*[_timed(model.at_most(SHORT), f"{COUNTING} Begin at {n}.") for n in (20, 30)])
        if max(seconds for _, seconds in both) > QUEUED * writing:
            speeds["slots"] = 1
    return model.server.model_copy(update=speeds)


async def _timed(model: Model, question: str) -> tuple[Usage, float]:
    """The tokens and the seconds of one answer, whether or not it was cut. Raises ModelError if there is none.

    Asked again after a lost connection: llama.cpp's server may end one just as the next question is sent.
    """
    from langchain_core.messages import HumanMessage

    outcome, seconds = await paced_attempt(model, model.chat, [HumanMessage(question)], 0.0)
    if isinstance(outcome, Fault) and outcome.usage is None and outcome.passes:
        outcome, seconds = await paced_attempt(model, model.chat, [HumanMessage(question)], 0.0)
    usage = outcome.usage if isinstance(outcome, Fault) else usage_of(outcome)
    if isinstance(outcome, Fault) and usage is None:
        raise outcome.error
    return usage or Usage(), max(seconds, 0.001)


@dataclass(slots=True)
class KnownServers:
    """What earlier commands found out, in a file. One that can't be read is as if there were none."""

    path: Path

    def of(self, model: Model) -> Abilities | None:
        """What is known of the server for this model."""
        entry = self._read().get(_key(model))
        return None if entry is None else Abilities.model_validate(entry)

    def keep(self, model: Model, abilities: Abilities) -> None:
        """Keeps what was found, in place of what was known."""
        with suppress(OSError):  # a folder that can't be written to costs a question in each command
            known, entry = self._read(), abilities.model_dump(mode="json", exclude_defaults=True)
            if known.get(_key(model)) != entry:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                write_json(self.path, known | {_key(model): entry})

    def _read(self) -> dict[str, Any]:
        try:
            servers = json.loads(self.path.read_text(encoding="utf-8"))
            return {key: each for key, each in servers.items() if Abilities.model_validate(each)}
        except (OSError, ValueError, AttributeError):
            return {}


def _key(model: Model) -> str:
    return f"{address_of(model) or model.info.provider} {model.spec}"
