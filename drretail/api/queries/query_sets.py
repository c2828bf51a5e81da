"""``queries import``, ``show``, ``shipped``, ``spoil`` and ``converse``: files of queries.

Plain questions become queries, and a model types their wishes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from drretail.agents.running.shard import only as only_those
from drretail.api.models import Spent
from drretail.api.option import accepts
from drretail.api.options.queries import (
    ConverseOptions,
    ImportQuestionsOptions,
    QueryCalls,
    ShippedOptions,
    ShowOptions,
    SpoilOptions,
)
from drretail.api.options.shared import split_names
from drretail.api.queries.writing import (
    asking,
    findings_by_id,
    in_own_words,
    journal_beside,
    named_writer,
    on_failures,
    on_wrong,
    write_queries,
)
from drretail.api.worlds import known_user, world_of
from drretail.errors import UserError, check_known
from drretail.querygen.reading import (
    FIFTY,
    MARKET,
    Split,
    TypedQueries,
    distinct,
    queries_from,
    read_queries,
    read_questions,
    shipped_queries,
    with_expected,
)
from drretail.records.account import Account
from drretail.records.criteria import NEEDS
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.score import NOT_PROVED
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.screen import on_screen, wrapped
from drretail.viewer.output import stdout_console
from drretail.viewer.wishes import wish_lines

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.querygen.lint import Linter
    from drretail.querygen.spoil import Derived


@accepts(ImportQuestionsOptions)
@in_own_words
def import_questions(options: ImportQuestionsOptions) -> Result[TypedQueries]:
    """The queries that were written to ``to``, with those that a model typed.

    Raises UserError if lines of the file would be lost.
    """
    from drretail.querygen.lint import Linter

    source, to = Path(options.source), Path(options.to)
    questions = read_questions(source)
    writer = named_writer(options.model, options)
    with world_of(options.world) as shop:
        questions = [
            replace(question, user_id=known_user(shop, question.user_id)) if question.user_id else question
            for question in questions
        ]
        pairs = zip(queries_from(questions, source.name, shop.manifest.fingerprint), distinct(questions), strict=True)
        expected = [with_expected(query, question.expected, shop.store) for query, question in pairs]
        queries, not_typed = tuple(query for query, _ in expected), Counter(chain(*(names for _, names in expected)))
        types, spent = TypedQueries(queries), None
        if writer is not None:
            types, spent = typed_by_model(shop, Linter(shop), to, queries, writer, options)
    write_queries(to, types.queries, force=options.force)
    account = Account("queries import", "question", came=len(questions), used=len(queries))
    kept_once = {*map(id, distinct(questions))}
    for question in questions:
        if id(question) not in kept_once:
            account.merge("the same id, user and words as another", question.place)
    untyped = [query.query_id for query in types.queries if query.wish is None]
    document: dict[str, Any] = {
        "queries": len(queries),
        "typed": list(types.typed),
        "untyped": untyped,
        "not_typed": dict(not_typed),
        "failed": types.failed,
        "findings": findings_by_id(types.wrong),
        **({} if spent is None else spent.document),
        "world": str(options.world),
        "file": str(to),
    }
    count = f"{counted(len(queries), 'query')} for the world {options.world}"
    hints = on_types(types, spent)
    if not_typed:
        named = ", ".join(f"{name} ({count})" for name, count in sorted(not_typed.items()))
        hints.append(f"Not typed, since a wish has no place for it: {named}.")
    if untyped:
        hints.append(
            f"{counted(len(untyped), 'query')} without a wish. Write down what is to be bought: as the wish of each "
            f"in {to}, or by a model (drretail queries check {to} --world {options.world} --model PROVIDER:MODEL)."
        )
    lines = [f"{count} → {to}{types_line(types, spent)}"]
    left = len(types.failed) + len(types.wrong)
    return Result(types, document, lines, hints=hints, left=left, path=to, accounts=[account])


def typed_by_model(
    shop: "World", linter: "Linter", file: Path, queries: Sequence[Query], writer: "Model", calls: QueryCalls
) -> tuple[TypedQueries, Spent]:
    """The queries with their wishes, and what that took. The journal of all calls is beside ``file``."""
    from drretail.querygen.by_model.write import type_wishes

    total = sum(query.wish is None for query in queries)
    with asking(writer, journal_beside(file), calls, total) as (session, bar):
        typed = type_wishes(shop, linter, session, queries, on_end=bar.advance)
    return typed, Spent(writer, session.usage, session.served)


def types_line(types: TypedQueries, spent: Spent | None) -> str:
    """How many wishes a model wrote and what that took; blank without one."""
    if spent is None:
        return ""
    failed = f", {len(types.failed)} failed" if types.failed else ""
    wrong = f", {len(types.wrong)} of them with a finding (mend them by hand)" if types.wrong else ""
    return f"; {len(types.typed)} typed{wrong}{failed}\n{spent.line}"


def on_types(types: TypedQueries, spent: Spent | None) -> list[str]:
    """Sentences on wishes that are missing or wrong, and on prices."""
    return [] if spent is None else [*on_failures(types.failed), *on_wrong(types.wrong), *spent.on_prices]


LINE = 88
"""The most characters in a line of prose, however wide the terminal is."""


@accepts(ShowOptions)
def show(options: ShowOptions) -> Result[tuple[Query, ...]]:
    """The file's queries."""
    queries, only = read_queries(Path(options.file)), options.only
    if only is not None:
        queries = only_those(queries, str(only) if isinstance(only, int) else ",".join(split_names(only)))
    needs = [query.needs and query.needs.model_dump(mode="json") for query in queries]
    rows = zip(queries, needs, strict=True)
    document = {"queries": [query.model_dump(mode="json") | {"needs": proofs} for query, proofs in rows]}
    width = min(LINE, stdout_console().width)
    texts = ["\n".join(_shown(query, width, details=options.details)) + "\n" for query in queries]
    notes = [NOT_PROVED] if any(query.wants_something for query in queries) and not any(needs) else []
    of_set = f"{counted(len(queries), 'query')}{_of_users(queries)}"
    return Result(tuple(queries), document, [*texts, of_set], notes=notes)


def _shown(query: Query, width: int, *, details: bool) -> Iterator[str]:
    """A heading, the question, and below it its wish."""
    heading = [query.query_id, *([query.kind] if query.kind else []), query.mode.replace("_", "-")]
    heading += ["infeasible"] if query.infeasible else []
    yield on_screen(" · ".join(heading).replace("\n", " "))
    yield from (f"  {wrapped(on_screen(line), width - 2, indent='  ')}" for line in query.text.splitlines())
    typed = ["it has no wish"] if query.wish is None else wish_lines(query.wish)
    for want, relation in query.relations.items():
        typed.append(f"{want}: {relation.replace('_', ' ')}, relative to the system's own pick")
    if details:
        tools = ", ".join(query.expected_tools) or "none"
        whom = query.user_id or "nobody in particular"
        typed += [f"expected tools: {tools}", f"of: {whom}", f"made by: {query.source}"]
        typed += [f"why: {query.rationale}"] if query.rationale else []
    else:
        typed = [line for line in typed if not line.startswith("owned:")]
    from drretail.querygen.proofs import proof_in_words

    for source in NEEDS:
        if proof := getattr(query.needs, source, None):
            typed.append(f"{source} {proof_in_words(source, proof)}")
    yield from (f"  · {wrapped(on_screen(line), width - 4, indent='    ')}" for line in typed)


def _of_users(queries: Iterable[Query]) -> str:
    users = len({query.user_id for query in queries} - {None})
    return f" of {counted(users, 'user')}" if users else ""


@accepts(ShippedOptions)
def shipped(options: ShippedOptions) -> Result[tuple[Query, ...]]:
    """The queries that were written. Raises UnknownName for an unknown set."""
    to, split = Path(options.to), options.split
    sets = {name: (name,) for name in get_args(Split)} | {"all": FIFTY, "market": MARKET}
    check_known("split", sets, split)
    queries = shipped_queries(*sets[split])
    write_queries(to, queries, force=options.force)
    document: dict[str, Any] = {
        "queries": len(queries),
        "users": len({query.user_id for query in queries} - {None}),
        "split": split,
        "file": str(to),
        "world_fingerprint": queries[0].world_fingerprint,
        "canary": queries[0].source,
    }
    world = "market" if split.startswith("market") else "demo"
    line = f"{counted(len(queries), 'query')}{_of_users(queries)} ({split}) over the {world} world → {to}"
    others = ", ".join(name for name in sets if name != split)
    hint = f"To run them: drretail run --queries {to} --world {world} --to EXP. Other sets: --split {others}."
    return Result(tuple(queries), document, [line], hints=[hint], path=to)


@accepts(SpoilOptions)
def spoil(options: SpoilOptions) -> "Result[Derived]":
    """The pairs that were written. Raises UserError if no query gave one."""
    from drretail.querygen.spoil import spoil_queries

    return _derived(options, spoil_queries, ("pairs", "pair of queries"))


@accepts(ConverseOptions)
def converse(options: ConverseOptions) -> "Result[Derived]":
    """The conversations that were written. Raises UserError if no query gave one."""
    from drretail.querygen.converse import make_conversations

    return _derived(options, make_conversations, ("follow_ups", "conversation"))


def _derived(
    options: SpoilOptions, make: "Callable[[Sequence[Query], World, str], Derived]", names: tuple[str, str]
) -> "Result[Derived]":
    """Writes queries that are made of others, ``names`` what is counted and what each gives.

    Raises UserError if there are none, and where they would overwrite those that they are made of.
    """
    to, (sort, thing) = Path(options.to), names
    if to.resolve() == Path(options.file).resolve():
        raise UserError(f"--to {to} would overwrite the queries that the new ones are made of: name another file.")
    with world_of(options.world) as shop:
        derived = make(read_queries(Path(options.file)), shop, options.seed)
    if not derived.queries:
        why = ", ".join(f"{count} × {reason}" for reason, count in sorted(derived.without.items()))
        raise UserError(f"{options.file} gave no {thing}: {why or 'it holds no query'}.")
    write_queries(to, derived.queries, force=options.force)
    document = {"queries": len(derived.queries), sort: dict(derived.counts), "without": dict(derived.without)}
    of_kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(derived.counts.items()))
    lines = [f"{counted(len(derived.queries), 'query')} → {to}; {sort.replace('_', '-')}: {of_kinds}."]
    lines += [f"  left out: {counted(count, 'query')} ({why})" for why, count in sorted(derived.without.items())]
    return Result(derived, document, lines, path=to)
