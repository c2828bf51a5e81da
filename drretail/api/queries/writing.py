"""Models that write and read queries: opened, asked, and what went wrong."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from drretail.api.options.queries import QueryCalls
from drretail.errors import UserError
from drretail.progress import Bar, choose_progress

if TYPE_CHECKING:
    from drretail.api.models import Writer
    from drretail.querygen.by_model.session import ModelSession
    from drretail.records.evidence import Finding

O = TypeVar("O", bound=QueryCalls)  # noqa: E741
R = TypeVar("R")

PROMPTS_NEED_A_MODEL = "--prompts is what a language model is told: name one with --model PROVIDER:MODEL."
# The most failures that are shown one by one; --json has all.
_MOST_SHOWN = 5


@contextmanager
def asking(writer: "Writer", journal: Path, calls: QueryCalls, total: int) -> "Generator[tuple[ModelSession, Bar]]":
    """The model's session, with a journal of all its calls, and a bar of ``total`` questions, for a ``with`` block."""
    from drretail.querygen.by_model.session import ModelSession

    session = ModelSession(writer.model, journal, parallel=calls.parallel, retry_failed=calls.retry == "failed")
    with choose_progress().track(f"Asking {writer.model.spec}", total) as bar, session:
        yield session, bar


def journal_beside(queries: Path) -> Path:
    """The path of the journal of all model calls for a file of queries."""
    return queries.with_name(f"{queries.name}.journal.jsonl")


def on_failures(reasons: Mapping[str, str]) -> Iterator[str]:
    """Sentences on why queries failed, by id."""
    for query_id, reason in list(reasons.items())[:_MOST_SHOWN]:
        yield f"{query_id}: {reason}"
    if len(reasons) > _MOST_SHOWN:
        yield f"… and {len(reasons) - _MOST_SHOWN} more; --json lists all."
    if reasons:
        yield "These failures are kept. --retry failed asks again."


def on_wrong(findings: "Mapping[str, Sequence[Finding]]") -> Iterator[str]:
    """Sentences on what is wrong with queries that are kept nevertheless, by id."""
    from drretail.querygen.by_model.examination import in_words

    for query_id, wrong in findings.items():
        yield f"{query_id} is kept though {'; '.join(map(in_words, wrong))}"


def findings_by_id(findings: "Mapping[str, Sequence[Finding]]") -> dict[str, list[dict[str, Any]]]:
    """The findings by query id, for ``--json``."""
    return {
        query_id: [finding.model_dump(mode="json", exclude_none=True) for finding in wrong]
        for query_id, wrong in findings.items()
    }


def in_own_words(function: Callable[[O], R]) -> Callable[[O], R]:
    """The function, in which models are told the prompts of the option ``prompts``."""

    @wraps(function)
    def call(options: O) -> R:
        if options.prompts is None:
            return function(options)
        from drretail.api.prompts.files import read_query_prompts
        from drretail.llm.prompts.prompt import overridden

        with overridden(read_query_prompts(Path(options.prompts))):
            return function(options)

    return call


def opened_writer(model: str | None, calls: QueryCalls, *, keyless: bool = False) -> "Writer | None":
    """The model of flags or settings; None for offline:shopper, so that rules write instead.

    Raises UserError for an unknown model or profile.
    """
    from drretail.api.models import open_writer

    writer = open_writer(model, calls.model_profile, calls.base_url, keyless=keyless)
    if writer is None and calls.prompts is not None:
        raise UserError(PROMPTS_NEED_A_MODEL)
    return writer


def named_writer(model: str | None, calls: QueryCalls, *, keyless: bool = False) -> "Writer | None":
    """The model that is named; None without one. The settings' model is not used: money is spent only on request.

    Raises UserError for the offline model, whose rules cannot read texts.
    """
    if model is None and calls.model_profile is None:
        if calls.prompts is not None:
            raise UserError(PROMPTS_NEED_A_MODEL)
        return None
    writer = opened_writer(model, calls, keyless=keyless)
    if writer is None:
        raise UserError("The offline model cannot read questions: name a language model with --model PROVIDER:MODEL.")
    return writer


def estimated_writer(model: str | None, calls: QueryCalls) -> "Writer":
    """The model that is named, without its key. Raises UserError if none is: nothing would be asked."""
    writer = named_writer(model, calls, keyless=True)
    if writer is None:
        raise UserError("--estimate estimates the calls of a model: name one with --model.")
    return writer
