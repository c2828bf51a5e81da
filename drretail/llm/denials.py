"""What no other call would mend: a refused key, a missing model, an empty account, a server that is down."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from drretail.errors import CommandStopped
from drretail.event_loop import current_command
from drretail.llm.faults import Fault, body_of, causes_of, masked, status_of, words_of

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
AGAIN = "and run the same command again: it continues from here."


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
    if status in (401, 403) or (status == 400 and any(_WRONG_KEY in str(_body(error)) for error in causes)):
        return "key"
    return None


IN_A_ROW = 3
"""Calls of one server, of all runs together, each with all its retries. One may meet a moment, three meet an outage."""


@dataclass(slots=True)
class Halt:
    """What all models of a command share: once one of them is denied, or its server is down, none is asked any more.

    Calls under way end, so that nothing is lost that will be paid. What they come to is not recorded, and is asked
    again when the command is run again.
    """

    _sentence: str = ""
    _command: object = None
    _unanswered: dict[str, int] = field(default_factory=dict[str, int])
    """By server, the calls in a row that it left without an answer."""

    def check(self) -> None:
        """Raises CommandStopped when no model is to be asked any more."""
        if self._command is not None and self._command is current_command():
            raise CommandStopped(self._sentence)

    def check_denied(self, model: "Model", problem: BaseException) -> None:
        """Raises CommandStopped, with one sentence on what to mend, where no other call of this model can succeed."""
        denial = denial_of(problem)
        if denial is not None:
            self._stop(_sentence(model, denial, _detail(model, problem)), problem)

    def check_down(self, model: "Model", fault: Fault) -> None:
        """Raises CommandStopped where the server can't be reached, or has left ``IN_A_ROW`` calls without an answer.

        ``fault`` is what a call with all its retries came to. One that was answered, if only with what can't be used,
        says that the server is there.
        """
        if not fault.passes:
            return self.answered(model)
        server = address_of(model) or model.info.provider
        unanswered = self._unanswered[server] = self._unanswered.get(server, 0) + 1
        detail = _detail(model, fault.error)
        if fault.is_unreached:
            self._stop(
                f"{server} can't be reached for {model.spec} ({detail}): start it, or mend the way there, {AGAIN}",
                fault.error,
            )
        elif unanswered >= IN_A_ROW:
            left = f"{server} left {unanswered} calls in a row to {model.spec} without an answer, retries included"
            self._stop(f"{left} ({detail}): see what it lacks, {AGAIN}", fault.error)
        return None

    def answered(self, model: "Model") -> None:
        """The server of a model is there."""
        self._unanswered.pop(address_of(model) or model.info.provider, None)

    def _stop(self, sentence: str, problem: BaseException) -> None:
        self._sentence, self._command = sentence, current_command()
        raise CommandStopped(sentence) from problem


def address_of(model: "Model") -> str | None:
    """Where a model of one's own server is asked, without user name and password; None at its provider's."""
    return model.params.get("base_url")


def _sentence(model: "Model", denial: Denial, detail: str) -> str:
    where, key = address_of(model) or model.info.provider, " or ".join(model.key_variables)
    if denial == "model":
        with_key = f" for the key in {key}" if key else ""
        return f"{where} has no model {model.info.model!r}{with_key} ({detail}): name one that it has {AGAIN}"
    if denial == "account":
        whose = f" of the key in {key}" if key else ""
        return (
            f"{where} is not paid by the account{whose} for {model.spec} ({detail}): fill it up, or change it, {AGAIN}"
        )
    if not key:
        return f"{where} does not let {model.spec} in ({detail}): mend that {AGAIN}"
    return f"{where} refuses the key in {key} for {model.spec} ({detail}): set {key} to one that it takes {AGAIN}"


def _detail(model: "Model", problem: BaseException) -> str:
    """The status and the provider's own words, without the key."""
    messages = (body_of(error).get("message") for error in causes_of(problem))
    reason = next((message for message in messages if isinstance(message, str)), None)
    text = masked(model.chat, str(problem) if reason is None else reason).rstrip(".")
    status = status_of(problem)
    return text[:DETAIL_LENGTH] if status is None else f"{status}: {text[:DETAIL_LENGTH]}"


def _body(error: BaseException) -> Any:
    """All that Google's client knows of an error."""
    details = getattr(error, "details", None)
    return details if isinstance(details, Mapping) else error
