"""``queries generate``: queries from real histories, by rules or by a language model."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.api.models import Spent
from drretail.api.option import accepts
from drretail.api.options.queries import GenerateOptions
from drretail.api.options.shared import text_list
from drretail.api.queries.writing import (
    asking,
    check_file,
    check_resumable,
    findings_by_id,
    in_own_words,
    journal_beside,
    on_failures,
    on_wrong,
    opened_writer,
    shares_in,
    write_queries,
)
from drretail.api.worlds import world_of
from drretail.errors import UserError
from drretail.records.account import Account
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Result

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.querygen.by_model.targets import Target
    from drretail.querygen.by_model.write import Written
    from drretail.querygen.generate import Quota

Queries = tuple["Query", ...]


@accepts(GenerateOptions)
@in_own_words
def generate(options: GenerateOptions) -> Result[Queries]:
    """The queries that were written to ``to``. A model's calls are in a journal beside it.

    Raises UserError if the file's queries would be lost.
    """
    writer = _writer(options)
    return _by_rules(options) if writer is None else _by_model(options, writer)


def _writer(options: GenerateOptions) -> "Model | None":
    """The model; None if rules write. Raises UserError for options that don't go together."""
    writer = opened_writer(options.model, options)
    if writer is None and options.mode == "generic":
        raise UserError("Without a model only profile_aware queries can be made: add --model PROVIDER:MODEL.")
    if options.mode == "generic" and options.user:
        raise UserError("Generic queries have no user: leave out --user or --mode generic.")
    return writer


def _by_model(options: GenerateOptions, writer: "Model") -> Result[Queries]:
    from drretail.querygen.by_model import write as by_model
    from drretail.querygen.by_model.targets import shared_out
    from drretail.querygen.generate import Quota

    to = Path(options.to)
    if options.force:
        check_file(to)
    else:
        check_resumable(to, journal_beside(to), writer.spec)
    needs = shares_in(options.needs)
    with world_of(options.world) as shop:
        with busy("choosing what to ask for"):
            targets, without = _targets(shop, options)
            quota = Quota(needs, sum(target.count for target in targets))
            targets = shared_out(targets, quota)
        total = sum(target.count for target in targets)
        with asking(writer, journal_beside(to), options, total) as (session, bar):
            written = by_model.write_for_targets(shop, session, targets, on_end=bar.advance)
    if written.queries:
        write_queries(to, written.queries, force=options.force)
    for query in written.queries:
        quota.count(query.needs.proved if query.needs else ())
    return _written(to, len(targets), without, written, quota, Spent(writer, session.usage, session.served), options)


def _targets(shop: "World", options: GenerateOptions) -> "tuple[list[Target], list[str]]":
    """What to ask for: of the named users, else of drawn ones, or of the shop's categories; and users without any."""
    from drretail.querygen.by_model.targets import generic_targets, targets_of

    if options.mode == "generic":
        return generic_targets(shop, options.n * options.per_user, options.seed), []
    return targets_of(shop, text_list(options.user) or options.n, options.per_user, options.seed)


def _written(
    to: Path,
    n_targets: int,
    without: Sequence[str],
    written: "Written",
    quota: "Quota",
    spent: Spent,
    options: GenerateOptions,
) -> Result[Queries]:
    users = len({query.user_id for query in written.queries if query.user_id is not None})
    document: dict[str, Any] = {
        "queries": len(written.queries),
        "users": users,
        "users_without": [*without],
        "failed": written.failed,
        "left_out": written.left_out,
        "short_of_needs": quota.shortfalls,
        "answers": written.answers,
        "findings": findings_by_id(written.wrong),
        **spent.document,
        "file": str(to) if written.queries else None,
    }
    of_users = f" of {counted(users, 'user')}" if users else ""
    again = sum(answers > 1 for answers in written.answers.values())
    counts = [
        f"{counted(len(written.queries), 'query')}{of_users}",
        *([f"{again} of them needed more than one answer"] if again else []),
        *([f"{len(written.failed)} failed"] if written.failed else []),
        *([f"{len(written.left_out)} left out"] if written.left_out else []),
        *([f"{len(written.wrong)} with a finding (mend or drop them by hand)"] if written.wrong else []),
    ]
    line = f"{', '.join(counts)}{f' → {to}' if written.queries else ''}"
    gave = options.n if options.mode == "generic" else n_targets
    account = _account(options, written.queries, gave, without)
    for query_id, why in written.failed.items():
        account.leave_out(why, query_id, failed=True)
    for query_id, why in written.left_out.items():
        account.leave_out(why, query_id)
    return Result(
        written.queries,
        document,
        [line, spent.line],
        notes=quota.shortfalls,
        hints=[*on_failures(written.failed), *on_wrong(written.wrong), *spent.on_prices],
        left=len(written.failed) + len(written.left_out) + len(written.wrong) + len(quota.shortfalls),
        path=to if written.queries else None,
        accounts=[account],
    )


def _by_rules(options: GenerateOptions) -> Result[Queries]:
    from drretail.querygen.generate import generate_queries

    to, users, seed = Path(options.to), text_list(options.user), options.seed
    needs = shares_in(options.needs)
    check_file(to)
    total = (len({*users}) or options.n) * options.per_user
    with world_of(options.world) as shop, busy("writing queries", total) as bar:
        generated = generate_queries(
            shop, users or options.n, per_user=options.per_user, seed=seed, needs=needs, on_query=bar.advance
        )
    write_queries(to, generated.queries, force=options.force)
    document: dict[str, Any] = {
        "queries": len(generated.queries),
        "users": generated.users,
        "users_without": list(generated.without),
        "short_of_needs": generated.quota.shortfalls,
        "file": str(to),
    }
    line = f"{counted(len(generated.queries), 'query')} of {counted(generated.users, 'user')} → {to}"
    made = tuple(generated.queries)
    account = _account(options, made, generated.users, generated.without)
    for user_id, count in Counter(query.user_id for query in made).items():
        account.leave_out("the user's orders give no more", user_id or "", options.per_user - count)
    hints = [f"{options.model} is no language model: rules write the queries."] if options.model is not None else []
    notes, left = generated.quota.shortfalls, len(generated.quota.shortfalls)
    kinds = generated.kinds
    if missing := total - len(made):
        notes.append(
            f"{counted(missing, 'query is', 'queries are')} missing: of {counted(kinds['looked_at'], 'kind')} that "
            f"users ordered records or pages tell the offers apart in {kinds['asked_about']}, and rules make no "
            "more whose sources are all needed. Have a model write them (--model)."
        )
    return Result(made, document, [line], notes=notes, hints=hints, left=left, path=to, accounts=[account])


def _account(options: GenerateOptions, queries: Queries, users: int, without: Sequence[str]) -> Account:
    """The queries that were asked for, without those that a model failed to write.

    ``users`` is how many gave queries, and ``without`` those whose orders give none; drawn ones were replaced.
    """
    account = Account("queries generate", "query")
    named = dict.fromkeys(text_list(options.user))
    account.take((len(named) or options.n) * options.per_user)
    account.use(len(queries))
    for user_id in without:
        if user_id in named:
            account.leave_out("no query can be made of the user's orders", user_id, options.per_user, failed=True)
    if not named:
        missing = (options.n - users) * options.per_user
        account.leave_out("no other user has orders of which a query can be made", count=missing)
    return account
