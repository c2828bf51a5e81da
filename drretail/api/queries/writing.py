"""Models that write and read queries: opened, asked, and what went wrong; and the file that queries are written to.

Its lines may be somebody's work, so none is lost without --force.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from drretail.api.models import open_writer
from drretail.api.options.queries import QueryCalls
from drretail.api.options.shared import Texts, split_names, text_list
from drretail.errors import UserError, check_known
from drretail.experiments.query_files import write_with_gold
from drretail.files import read_lines
from drretail.llm.prompt import overridden_prompts
from drretail.progress import Bar
from drretail.querygen.reading import read_queries
from drretail.records.criteria import NEEDS, Share
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.viewer.drawing.progress import choose_progress

if TYPE_CHECKING:
    from drretail.llm.registry import Model
    from drretail.querygen.by_model.session import ModelSession


def check_file(to: Path) -> None:
    """Raises UserError if the path is a folder, or ends like a file of another format."""
    if to.is_dir():
        raise UserError(f"{to} is a folder: name a file in it, such as {to / 'queries.jsonl'}.")
    if to.suffix.casefold() in (".csv", ".tsv", ".xlsx", ".json", ".txt"):
        raise UserError(f"{to}: queries are written as JSONL: give it a name that ends in .jsonl.")


def check_unused(to: Path, *, force: bool) -> None:
    """Raises UserError if the file already has lines. Called before the slow work begins."""
    check_file(to)
    if not force and _lines_of(to):
        raise UserError(f"{to} exists: name another file, or add --force.")


def write_queries(to: Path, queries: Iterable[Query], *, force: bool) -> None:
    """Writes the queries, one per line.

    Raises UserError if a line of the file would be lost, unless ``force``. The same queries, or more of them, lose
    none.
    """
    check_file(to)
    queries = list(queries)
    if not force:
        try:
            existing = [query.as_line() for query in read_queries(to)]  # each with its gold
        except UserError:  # these are no queries
            existing = _lines_of(to)
        written = {query.as_line() for query in queries}
        lost = sum(line not in written for line in existing)
        if lost:
            raise UserError(
                f"{to} exists, and {'a line' if lost == 1 else f'{lost} lines'} of it would be lost: name another "
                "file, or add --force."
            )
    write_with_gold(queries, to)


def check_resumable(to: Path, journal: Path, source: str) -> None:
    """Raises UserError, before a model is paid, for a file that could not be written afterwards.

    A file can be resumed if its journal exists and the named model wrote all of its queries.
    """
    check_file(to)
    try:
        sources = {Query.model_validate_json(line).source for line in _lines_of(to)}
    except ValidationError:
        sources = {"somebody else"}
    if sources - {source} or (sources and not journal.exists()):
        raise UserError(f"{to} exists, and {source} did not write it: name another file, or add --force.")


def _lines_of(to: Path) -> list[str]:
    return [line for line in read_lines(to) if line.strip()] if to.is_file() else []


O = TypeVar("O", bound=QueryCalls)  # noqa: E741
R = TypeVar("R")

PROMPTS_NEED_A_MODEL = "--prompts is what a language model is told: name one with --model PROVIDER:MODEL."
# The most failures that are shown one by one; --json has all.
_MOST_SHOWN = 5


@contextmanager
def asking(writer: "Model", journal: Path, calls: QueryCalls, total: int) -> "Generator[tuple[ModelSession, Bar]]":
    """The model's session, with a journal of all its calls, and a bar of ``total`` questions, for a ``with`` block."""
    from drretail.querygen.by_model.session import ModelSession

    session = ModelSession(writer, journal, parallel=calls.parallel, retry_failed=calls.retry == "failed")
    with choose_progress().track(f"Asking {writer.spec}", total) as bar, session:
        yield session, bar


def shares_in(texts: Texts) -> list[Share]:
    """The shares of --needs: "profile,web" of all queries, "profile,web=.5" of half.

    Raises UnknownName for another need, and UserError for shares that are none, or of more than all queries.
    """
    shares = list[Share]()
    for text in text_list(texts):
        names, _, part = text.partition("=")
        needs: frozenset[Any] = frozenset(split_names(names))
        check_known("need", NEEDS, *needs)
        try:
            shares.append(Share(needs, float(part or 1)))
        except ValueError:
            raise UserError(f"--needs {text}: write a share behind the names, such as {names}=.5.") from None
    if any(not 0 < each.share <= 1 for each in shares) or sum(each.share for each in shares) > 1 + 1e-9:
        raise UserError(
            "The shares of --needs are not above 0, or together above 1. Name what one query needs in one text: "
            "--needs profile,web=.5 --needs profile=.25."
        )
    return shares


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


def on_wrong(findings: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """Sentences on what is wrong with queries that are kept nevertheless, by id."""
    from drretail.querygen.by_model.examination import in_words

    for query_id, wrong in findings.items():
        yield f"{query_id} is kept though {'; '.join(map(in_words, wrong))}"


def findings_by_id(findings: Mapping[str, Sequence[Finding]]) -> dict[str, list[dict[str, Any]]]:
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
        from drretail.api.prompts import read_query_prompts

        with overridden_prompts(read_query_prompts(Path(options.prompts))):
            return function(options)

    return call


def opened_writer(model: str | None, calls: QueryCalls) -> "Model | None":
    """The model of flags or settings; None for offline:shopper, so that rules write instead.

    Raises UserError for an unknown model or profile.
    """
    writer = open_writer(model, calls.model_profile, calls.base_url)
    if writer is None and calls.prompts is not None:
        raise UserError(PROMPTS_NEED_A_MODEL)
    return writer


def named_writer(model: str | None, calls: QueryCalls) -> "Model | None":
    """The model that is named; None without one. The settings' model is not used: money is spent only on request.

    Raises UserError for the offline model, whose rules cannot read texts.
    """
    if model is None and calls.model_profile is None:
        if calls.prompts is not None:
            raise UserError(PROMPTS_NEED_A_MODEL)
        return None
    writer = opened_writer(model, calls)
    if writer is None:
        raise UserError("The offline model cannot read questions: name a language model with --model PROVIDER:MODEL.")
    return writer
