"""``queries personas``, ``context`` and ``pair``: PDR-Bench's setting on a shop; their options."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from drretail.api.option import Option, accepts
from drretail.api.options import research, shared
from drretail.api.options.queries import Force, Model, QueryCalls, To, Users
from drretail.api.options.shared import text_list
from drretail.api.queries.writing import asking, in_own_words, named_writer, on_failures, write_queries
from drretail.api.worlds import world_of
from drretail.errors import UserError, quoted
from drretail.records.base import Record
from drretail.records.figures import counted
from drretail.viewer.drawing.result import Result

if TYPE_CHECKING:
    from drretail.addons.personas.persona import Persona, PersonContext
    from drretail.llm.registry import Model as ChatModel
    from drretail.querygen.by_model.session import Ask
    from drretail.records.query import Query

People = Annotated[str | Path, Option("The folder of personas and contexts.", metavar="DIR")]


@dataclass(frozen=True, slots=True)
class PersonasOptions(QueryCalls):
    """Writes a persona of each user from the orders. Keeps existing personas."""

    people: People
    world: research.World = "demo"
    _: KW_ONLY
    n: Annotated[int, Option("The number of users to draw.", min=1)] = 25
    user: Users = ()
    model: Model = None
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class ContextOptions(QueryCalls):
    """Writes notes on each persona's history (its context). Keeps existing contexts."""

    people: People
    world: research.World = "demo"
    _: KW_ONLY
    model: Model = None


@dataclass(frozen=True, slots=True)
class PairOptions(QueryCalls):
    """Pairs each task with several different users, and writes a query for each pair."""

    source: Annotated[
        str | Path,
        Option(
            "Queries without a user (.jsonl), or a text file with one question per line.",
            argument=True,
            metavar="TASKS",
        ),
    ]
    people: People
    to: To
    world: research.World = "demo"
    _: KW_ONLY
    n: Annotated[int, Option("Maximum users per task.", min=1)] = 5
    model: Model = None
    force: Force = False


T = TypeVar("T", bound=Record)
R = TypeVar("R")


@accepts(PersonasOptions)
@in_own_words
def personas(options: PersonasOptions) -> "Result[list[Persona]]":
    """The personas that were written, beside those that existed."""
    from itertools import islice

    from drretail.addons.personas.person_model import build_persona, persona_ask
    from drretail.addons.personas.persona import Persona, freeze_person, person_path, persona_by_rules, read_past
    from drretail.querygen.generate import users_of

    people, writer = Path(options.people), named_writer(options.model, options)
    with world_of(options.world) as shop:
        who = text_list(options.user)
        users = list(islice(users_of(shop, who or options.n, options.seed), len(who) or options.n))
        missing = [user_id for user_id in users if not person_path(people, Persona, user_id).exists()]
        pasts = {user_id: read_past(shop, user_id) for user_id in missing}
    if writer is None:
        personas, failed, spent = [persona_by_rules(past) for past in pasts.values()], {}, {}
    else:
        asks = {user: persona_ask(past) for user, past in pasts.items()}
        written, failed, spent = _ask_all(writer, people, asks, options)
        personas = [build_persona(pasts[user], answer, writer.spec) for user, answer in written.items()]
    for persona in personas:
        freeze_person(people, persona)
    fields = sum(len(persona.traits) for persona in personas)
    existing = len(users) - len(missing)
    line = f"{counted(len(personas), 'persona')} with {counted(fields, 'field')} → {people}; {existing} existed already"
    document = {"personas": len(personas), "fields": fields, "there": existing, **spent}
    return _result(personas, line, document, failed, people)


@accepts(ContextOptions)
@in_own_words
def context(options: ContextOptions) -> "Result[list[PersonContext]]":
    """The contexts that were written, beside those that existed. Raises UserError without a persona."""
    from drretail.addons.personas.person_model import context_ask, context_of
    from drretail.addons.personas.persona import PersonContext, context_by_rules, freeze_person, read_past, read_people

    people, writer = Path(options.people), named_writer(options.model, options)
    people_by_id = read_personas(people)
    existing = read_people(people, PersonContext)
    with world_of(options.world) as shop:
        pasts = {user_id: read_past(shop, user_id) for user_id in people_by_id}
    wanted = [pasts[user_id] for user_id in people_by_id if user_id not in existing]
    if writer is None:
        contexts, failed, spent = [context_by_rules(past) for past in wanted], {}, {}
    else:
        asks = {past.user_id: context_ask(past, people_by_id[past.user_id]) for past in wanted}
        written, failed, spent = _ask_all(writer, people, asks, options)
        contexts = [context_of(pasts[user], answer, writer.spec) for user, answer in written.items()]
    for context_record in contexts:
        freeze_person(people, context_record)
    document: dict[str, Any] = {"contexts": len(contexts), "there": len(existing), **spent}
    line = f"{counted(len(contexts), 'context')} → {people}; {len(existing)} existed already"
    return _result(contexts, line, document, failed, people)


@accepts(PairOptions)
@in_own_words
def pair(options: PairOptions) -> "Result[tuple[Query, ...]]":
    """The queries that were written, each of a task and a user. Raises UserError if no user would choose a task."""
    from drretail.addons.personas.person_model import choice_ask, chosen_by_model
    from drretail.addons.personas.persona import (
        PersonContext,
        check_tasks,
        chosen_by_overlap,
        most_different,
        pair_query,
        read_past,
        read_people,
    )
    from drretail.querygen.reading import queries_from, read_queries, read_questions

    source, people, to, most = Path(options.source), Path(options.people), Path(options.to), options.n
    writer = named_writer(options.model, options)
    people_by_id, contexts = read_personas(people), read_people(people, PersonContext)
    is_of_queries = source.suffix.casefold() == ".jsonl"
    tasks = read_queries(source) if is_of_queries else queries_from(read_questions(source), source.name, None)
    check_tasks(tasks)
    failed: dict[str, str] = {}
    spent: dict[str, Any] = {}
    with world_of(options.world) as shop:
        if writer is None:
            choices = chosen_by_overlap(tasks, [read_past(shop, user_id) for user_id in people_by_id], most)
        else:
            asks = {user: choice_ask(persona, tasks) for user, persona in people_by_id.items()}
            answers, failed, spent = _ask_all(writer, people, asks, options)
            choices = chosen_by_model(tasks, answers)
        queries = tuple(
            pair_query(task, people_by_id[user], contexts.get(user), shop.manifest.fingerprint)
            for task in tasks
            for user in most_different(choices.get(task.query_id, ()), people_by_id, most)
        )
    if not queries:
        raise UserError(
            "No drawn user would choose any of the tasks: draw more users with drretail queries personas --n N."
        )
    write_queries(to, queries, force=options.force)
    hints = list[str]()
    few = [task for task in tasks if len(choices.get(task.query_id, ())) < most]
    fewer = [task.query_id for task in few]
    if fewer:
        shown = fewer if is_of_queries else [quoted(task.text) for task in few]  # questions get their ids here
        hints.append(f"Tasks with fewer than {most} users: {len(fewer)} ({', '.join(shown[:5])}).")
    if any(query.context is None for query in queries):
        hints.append("Some users have no context: drretail queries context writes them, and pair adds them.")
    document = {"queries": len(queries), "tasks": len(tasks), "fewer": fewer, "file": str(to), **spent}
    line = f"{counted(len(queries), 'query')} of {counted(len(tasks), 'task')} → {to}"
    return _result(queries, line, document, failed, to, *hints)


def _ask_all(
    writer: "ChatModel", people: Path, asks: "Mapping[str, Ask[T]]", calls: QueryCalls
) -> tuple[dict[str, T], dict[str, str], dict[str, Any]]:
    """The model's answers by user, the reasons for missing ones, and for --json what all of it took.

    Every call is in the journal in the people's folder.
    """
    from drretail.api.models import Spent
    from drretail.querygen.by_model import session as by_model

    people.mkdir(parents=True, exist_ok=True)
    with asking(writer, people / "journal.jsonl", calls, len(asks)) as (session, bar):
        answers = by_model.ask_all(session, asks.values(), on_end=bar.advance)
    answered = {user: answers.found[ask.key] for user, ask in asks.items() if ask.key in answers.found}
    return answered, answers.failed, Spent(writer, session.usage, session.served).document


def read_personas(people: Path) -> "dict[str, Persona]":
    """The personas in the folder. Raises UserError if there is none."""
    from drretail.addons.personas.persona import Persona, read_people

    personas = read_people(people, Persona)
    if not personas:
        raise UserError(f"{people} holds no persona: write some with drretail queries personas --people {people}.")
    return personas


def _result(
    records: R, line: str, document: dict[str, Any], failed: Mapping[str, str], path: Path, *hints: str
) -> Result[R]:
    """What was written, and why the rest is missing."""
    whole = {**document, "failed": dict(failed)}
    return Result(records, whole, [line], hints=[*hints, *on_failures(failed)], left=len(failed), path=path)
