"""What no other call would mend: a key that is refused, a model that is not there, an account that is empty."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from drretail.errors import CommandStopped
from drretail.llm.faults import body_of, causes_of, masked, status_of, words_of

if TYPE_CHECKING:
    from drretail.llm.registry import Model

Denial = Literal["key", "model", "account"]
_EMPTY = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached", "billing_error"})
_NO_MODEL = frozenset({"model_not_found", "invalid_model"})
_POOR = "credit balance is too low"
"""Anthropic's 400 to an empty account has no type of its own."""
_WRONG_KEY = "API_KEY_INVALID"
"""Google's reason of a 400."""
DETAIL_LENGTH = 200


def denial_of(problem: BaseException) -> Denial | None:
    """Why a provider would answer no other call either; None where the next one may do."""
    causes = list(causes_of(problem))
    words = {word for error in causes for word in words_of(error)}
    status = status_of(problem)
    if words & _EMPTY or status == 402 or (status == 400 and any(_POOR in str(error) for error in causes)):
        return "account"
    if words & _NO_MODEL or status == 404:
        return "model"
    # OpenRouter's word for a question that a filter did not like: the next question may pass.
    if any("flagged_input" in (body_of(error).get("metadata") or {}) for error in causes):
        return None
    if status in (401, 403) or (status == 400 and any(_WRONG_KEY in str(_told(error)) for error in causes)):
        return "key"
    return None


@dataclass(slots=True)
class Halt:
    """What all models of a command share: once one of them is denied, none is asked any more in that event loop.

    Calls under way end, so that nothing is lost that will be paid.
    """

    _said: str = ""
    _loop: asyncio.AbstractEventLoop | None = None

    def check(self) -> None:
        """Raises CommandStopped when no model is to be asked any more."""
        if self._loop is not None and self._loop is asyncio.get_running_loop():
            raise CommandStopped(self._said)

    def check_denied(self, model: "Model", problem: BaseException) -> None:
        """Raises CommandStopped, with one sentence on what to mend, where no other call of this model can succeed."""
        denial = denial_of(problem)
        if denial is not None:
            self._said, self._loop = _sentence(model, denial, _detail(model, problem)), asyncio.get_running_loop()
            raise CommandStopped(self._said) from problem


def address_of(model: "Model") -> str | None:
    """Where a model of one's own server is asked, without user name and password; None at its provider's."""
    url = model.params.get("base_url")
    if url is None:
        return None
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _sentence(model: "Model", denial: Denial, detail: str) -> str:
    where, key = address_of(model) or model.info.provider, " or ".join(model.key_variables)
    again = "and run the same command again: it goes on from here."
    if denial == "model":
        with_key = f" for the key in {key}" if key else ""
        return f"{where} has no model {model.info.model!r}{with_key} ({detail}): name one that it has {again}"
    if denial == "account":
        whose = f" of the key in {key}" if key else ""
        return (
            f"{where} is not paid by the account{whose} for {model.spec} ({detail}): fill it up, or change it, {again}"
        )
    if not key:
        return f"{where} does not let {model.spec} in ({detail}): mend that {again}"
    return f"{where} refuses the key in {key} for {model.spec} ({detail}): set {key} to one that it takes {again}"


def _detail(model: "Model", problem: BaseException) -> str:
    """The status and the provider's own words, without the key."""
    messages = (body_of(error).get("message") for error in causes_of(problem))
    said = next((message for message in messages if isinstance(message, str)), None)
    text = masked(model.chat, str(problem) if said is None else said).rstrip(".")
    status = status_of(problem)
    return text[:DETAIL_LENGTH] if status is None else f"{status}: {text[:DETAIL_LENGTH]}"


def _told(error: BaseException) -> Any:
    """All that Google's client knows of an error."""
    details = getattr(error, "details", None)
    return details if isinstance(details, Mapping) else error
