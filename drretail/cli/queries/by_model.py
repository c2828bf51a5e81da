"""``drretail queries generate --model``: queries that a language model writes."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from drretail.api.worlds import open_world
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.spending import show_estimates, writing_document, writing_line
from drretail.errors import UserError
from drretail.progress import Bar, busy, choose_progress
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, remark

if TYPE_CHECKING:
    from drretail.api.models import Spent, Writer
    from drretail.env.world import World
    from drretail.querygen.by_model.session import ModelSession
    from drretail.querygen.by_model.targets import Targets
    from drretail.querygen.by_model.write import Written
    from drretail.records.evidence import Finding


PROMPTS_NEED_A_MODEL = "--prompts is what a language model is told: name one with --model PROVIDER:MODEL."
# The most failures that are shown one by one; --json has all.
_MOST_SHOWN = 5


@contextmanager
def asking(writer: "Writer", journal: Path, calls: flags.Calls, total: int) -> "Generator[tuple[ModelSession, Bar]]":
    """The model's session, with a journal of all its calls, and a bar of ``total`` questions, for a ``with`` block."""
    from drretail.querygen.by_model.session import ModelSession

    session = ModelSession(writer.model, journal, parallel=calls.parallel, retry_failed=calls.retry_failed)
    with choose_progress().track(f"Asking {writer.model.spec}", total) as bar, session:
        yield session, bar


def journal_beside(queries: "Path") -> "Path":
    """The path of the journal of all model calls for a file of queries."""
    return queries.with_name(f"{queries.name}.journal.jsonl")


def say_failures(reasons: "Mapping[str, str]") -> None:
    """Prints on stderr why queries failed, by id."""
    for query_id, reason in list(reasons.items())[:_MOST_SHOWN]:
        remark(f"{query_id}: {reason}")
    if len(reasons) > _MOST_SHOWN:
        remark(f"… and {len(reasons) - _MOST_SHOWN} more; --json lists all.")
    if reasons:
        remark("These failures are kept. --retry-failed asks again.")


def say_wrong(found: "Mapping[str, Sequence[Finding]]") -> None:
    """Prints on stderr what is wrong with queries that are kept nevertheless, by id."""
    from drretail.querygen.by_model.examination import in_words

    for query_id, wrong in found.items():
        remark(f"{query_id} is kept though {'; '.join(map(in_words, wrong))}")


def findings_by_id(found: "Mapping[str, Sequence[Finding]]") -> dict[str, list[dict[str, Any]]]:
    """The findings by query id, for ``--json``."""
    return {
        query_id: [finding.model_dump(mode="json", exclude_none=True) for finding in wrong]
        for query_id, wrong in found.items()
    }


def in_own_words(command: Callable[..., None]) -> Callable[..., None]:
    """The command, in which models are told the prompts of ``--prompts``."""

    @wraps(command)
    def call(*, calls: flags.Calls, **given: Any) -> None:
        if calls.prompts is None:
            command(calls=calls, **given)
            return
        from drretail.api.prompts.files import read_query_prompts
        from drretail.prompts import overridden

        with overridden(read_query_prompts(Path(calls.prompts))):
            command(calls=calls, **given)

    return call


def opened_writer(model: str | None, calls: flags.Calls, *, keyless: bool = False) -> "Writer | None":
    """The model of flags or settings; None for offline:shopper, so that rules write instead.

    Raises UserError for an unknown model or profile.
    """
    from drretail.api.models import open_writer

    writer = open_writer(model, calls.model_profile, calls.base_url, keyless=keyless)
    if writer is None and calls.prompts is not None:
        raise UserError(PROMPTS_NEED_A_MODEL)
    return writer


def named_writer(model: str | None, calls: flags.Calls, planned: flags.Planned | None = None) -> "Writer | None":
    """The model that the flags name; None without one. The settings' model is not used: money is spent only on request.

    Raises UserError for the offline model, whose rules cannot read texts, and if nothing is there to estimate.
    """
    is_estimate = planned is not None and planned.estimate
    if model is None and calls.model_profile is None:
        if calls.prompts is not None:
            raise UserError(PROMPTS_NEED_A_MODEL)
        if is_estimate:
            raise UserError("--estimate estimates the calls of a model: name one with --model.")
        return None
    writer = opened_writer(model, calls, keyless=is_estimate)
    if writer is None:
        raise UserError("The offline model cannot read questions: name a language model with --model PROVIDER:MODEL.")
    return writer


@dataclass(frozen=True, slots=True)
class Assignment:
    """The queries to write: for the named users, or else for drawn ones, or generic ones about the
    shop's categories.
    """

    world: str
    named: tuple[str, ...]
    users: int
    per_user: int
    generic: bool
    seed: str
    level: int | None = None
    """The difficulty of the drafts whose axes the model gets; None for any."""


def write_by_model(
    to: Path, assignment: Assignment, writer: "Writer", calls: flags.Calls, output: flags.Output, *, force: bool
) -> None:
    """Writes the queries to ``to``, and every call to the journal beside it. Ends with 3 if any failed."""
    from drretail.api.models import Spent
    from drretail.cli.options.query_files import check_file, check_resumable, write_queries
    from drretail.difficulty.measure import Dial, with_levels
    from drretail.env.offers import Offers
    from drretail.querygen.by_model import write as by_model

    if force:
        check_file(to)
    else:
        check_resumable(to, journal_beside(to), writer.model.spec)
    with open_world(assignment.world) as shop:
        with busy("choosing what to ask for"):
            targets = _targets(shop, assignment)
        total = sum(target.count for target in targets.targets)
        with asking(writer, journal_beside(to), calls, total) as (session, bar):
            written = by_model.write_queries(shop, session, targets.targets, on_end=lambda _: bar.advance())
        measured = map(Dial(Offers(shop)).difficulty, written.queries)
        written = replace(written, queries=tuple(with_levels(written.queries, measured)))
    if written.queries:
        write_queries(to, written.queries, force=force)
    spent = Spent(writer, written.usage, written.served)
    _tell(to, targets, written, spent, as_json=output.as_json)
    exit_code(len(written.failures) + len(written.wrong))


def estimate_by_model(to: Path, assignment: Assignment, writer: "Writer", *, as_json: bool) -> None:
    """Prints what the queries that ``to`` still lacks are likely to take."""
    from drretail.llm.estimates import Estimates
    from drretail.querygen.by_model.write import estimate_writing

    with open_world(assignment.world) as shop, busy("choosing what to ask for"):
        one = estimate_writing(shop, writer.model, _targets(shop, assignment).targets, journal_beside(to))
    likely = Estimates(f"Queries to write to {to}", [one], writer.prices, ("model", "queries"))
    show_estimates(likely, as_json=as_json)


def _targets(shop: "World", assignment: Assignment) -> "Targets":
    from drretail.difficulty.leveled import generate_at
    from drretail.querygen.by_model.targets import generic_targets, targets_at, targets_drawn, targets_of, with_drafts

    if assignment.generic and assignment.named:
        raise UserError("Generic queries have no user: leave out --user or --mode generic.")
    if assignment.generic:
        return generic_targets(shop, assignment.users * assignment.per_user, assignment.seed)
    if assignment.level is not None:
        n = len(assignment.named) or assignment.users
        return targets_at(
            generate_at(shop, [assignment.level], n, seed=assignment.seed, users=assignment.named).queries
        )
    if assignment.named:
        targets = targets_of(shop, assignment.named, assignment.per_user)
    else:
        targets = targets_drawn(shop, assignment.users, assignment.per_user, assignment.seed)
    return with_drafts(shop, targets, assignment.seed)


def _tell(to: Path, targets: "Targets", written: "Written", spent: "Spent", *, as_json: bool) -> None:
    levels = dict(sorted(Counter(query.level for query in written.queries if query.level is not None).items()))
    users = len({query.user_id for query in written.queries if query.user_id is not None})
    if targets.without:
        remark(f"Users without an order that was kept: {len(targets.without)}.")
    say_failures({failure.query_id: failure.reason for failure in written.failures})
    say_wrong(written.wrong)
    if as_json:
        print_json(
            {
                "queries": len(written.queries),
                "users": users,
                "users_without": list(targets.without),
                "failed": [asdict(failure) for failure in written.failures],
                "answers": written.answers,
                "levels": levels,
                "findings": findings_by_id(written.wrong),
                **writing_document(spent),
                "file": str(to) if written.queries else None,
            }
        )
        return
    of_users = f" of {counted(users, 'user')}" if users else ""
    again = sum(answers > 1 for answers in written.answers.values())
    parts = [
        f"{counted(len(written.queries), 'query')}{of_users}",
        *([f"{again} of them needed more than one answer"] if again else []),
        *([f"{len(written.failures)} failed"] if written.failures else []),
        *([f"{len(written.wrong)} with a finding (queries review edits or drops them)"] if written.wrong else []),
    ]
    typer.echo(f"{', '.join(parts)}{f' → {to}' if written.queries else ''}")
    if levels:
        typer.echo(f"Of level {', '.join(f'{level} ({count})' for level, count in levels.items())}")
    typer.echo(writing_line(spent))
