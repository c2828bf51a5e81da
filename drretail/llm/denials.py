"""Failures that no further call can mend: a refused key, a missing model, an empty account, a server that is down."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from drretail.errors import CommandStopped
from drretail.llm.event_loop import current_command
from drretail.llm.faults import Fault, body_of, causes_of, keys_of, logins_of, masked, status_of, words_of

if TYPE_CHECKING:
    from drretail.llm.registry import Model

Denial = Literal["key", "model", "account"]
_EMPTY = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached", "billing_error"})
_NO_MODEL = frozenset({"model_not_found", "invalid_model"})
_POOR = "credit balance is too low"
"""Anthropic answers an empty account with a 400 without a type of its own, so it is recognised by this text."""
_WRONG_KEY = "API_KEY_INVALID"
"""The reason in Google's 400 for a wrong key."""
DETAIL_LENGTH = 400
AGAIN = "and run the same command again: it continues from here."


def denial_of(problem: BaseException) -> Denial | None:
    """Why the provider would refuse every other call too; None if the next call may succeed."""
    causes = list(causes_of(problem))
    words = {word for error in causes for word in words_of(error)}
    status = status_of(problem)
    if words & _EMPTY or status == 402 or (status == 400 and any(_POOR in str(error) for error in causes)):
        return "account"
    if words & _NO_MODEL or status == 404:
        return "model"
    # OpenRouter's mark of a question that a filter rejected: the next question may pass.
    if any("flagged_input" in (body_of(error).get("metadata") or {}) for error in causes):
        return None
    details = [getattr(error, "details", None) for error in causes]  # all that Google's client knows of an error
    known = [detail if isinstance(detail, Mapping) else error for detail, error in zip(details, causes, strict=True)]
    is_wrong_key = status == 400 and any(_WRONG_KEY in str(each) for each in known)
    return "key" if status in (401, 403) or is_wrong_key else None


IN_A_ROW = 3
"""Failed calls in a row to one server, over all runs, each with its retries: one may be chance, three
mean an outage.
"""


@dataclass(slots=True)
class Halt:
    """Stops all models of a command, which share it, once one of them is denied or its server is down.

    Calls under way end, so that no answer that is paid for is lost. The call that failed is not recorded: it is made
    again when the command is run again.
    """

    _sentence: str = ""
    _command: object = None
    _unanswered: dict[str, int] = field(default_factory=dict[str, int])
    """By server, the calls in a row that it left without an answer."""

    def check(self) -> None:
        """Raises CommandStopped if no model may be asked any more."""
        if self._command is not None and self._command is current_command():
            raise CommandStopped(self._sentence)

    def check_denied(self, model: "Model", problem: BaseException) -> None:
        """Raises CommandStopped, with a sentence on what to mend, if no other call of this model can succeed."""
        denial = denial_of(problem)
        if denial is not None:
            self._stop(_sentence(model, denial, _detail(model, problem)), problem)

    def check_down(self, model: "Model", fault: Fault) -> None:
        """Raises CommandStopped if the server can't be reached, or left ``IN_A_ROW`` calls in a row without an answer.

        ``fault`` is the result of a call with all its retries. If it is not one that passes, the server did answer,
        though with something unusable, and the row ends.
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
        """Notes that the model's server has answered."""
        self._unanswered.pop(address_of(model) or model.info.provider, None)

    def _stop(self, sentence: str, problem: BaseException) -> None:
        self._sentence, self._command = sentence, current_command()
        raise CommandStopped(sentence) from problem


def address_of(model: "Model") -> str | None:
    """The address of the user's own server, without user name and password; None if the provider itself is asked."""
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
    if logins_of(model.chat):
        return f"{where} refuses the login in its address for {model.spec} ({detail}): mend it in --base-url {AGAIN}"
    if not key:
        return f"{where} does not let {model.spec} in ({detail}): name one with --base-url that does {AGAIN}"
    refused = "refuses the key in" if keys_of(model.chat) else "asks for a key, which is not in"
    mended = f"set the environment variable {key} to one that it takes"
    return f"{where} {refused} {key} for {model.spec} ({detail}): {mended} {AGAIN}"


def _detail(model: "Model", problem: BaseException) -> str:
    """The status and the provider's own message, without the key."""
    messages = (body_of(error).get("message") for error in causes_of(problem))
    reason = next((message for message in messages if isinstance(message, str)), None)
    text = masked(model.chat, str(problem) if reason is None else reason).rstrip(".")
    status = status_of(problem)
    return text[:DETAIL_LENGTH] if status is None else f"{status}: {text[:DETAIL_LENGTH]}"
