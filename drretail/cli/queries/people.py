"""``drretail queries personas``, ``context`` and ``pair``: PDR-Bench's setting on a shop (docs/benchmark.md)."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from drretail.api.option import Option
from drretail.api.worlds import open_world
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.options.query_files import Force
from drretail.cli.queries.by_model import asking, in_own_words, named_writer, say_failures
from drretail.cli.spending import writing_document
from drretail.errors import UserError
from drretail.records.base import Record
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, remark

if TYPE_CHECKING:
    from drretail.api.models import Writer
    from drretail.querygen.by_model.session import Ask
    from drretail.querygen.people.persona import Persona

T = TypeVar("T", bound=Record)
People = Annotated[Path, Option("The folder of personas and contexts.", metavar="DIR")]
Model = Annotated[
    str | None, Option("The model that writes and judges (default: rules over the records).", metavar="PROVIDER:MODEL")
]


@in_own_words
def personas(
    people: People,
    calls: flags.Calls,
    output: flags.Output,
    world: flags.World = "demo",
    users: flags.Users = 25,
    user: flags.NamedUsers = None,
    model: Model = None,
    seed: flags.Seed = "42",
) -> None:
    """Writes a persona of each user from the orders. Keeps existing personas."""
    from itertools import islice

    from drretail.querygen.people.past import persona_by_rules, read_past
    from drretail.querygen.people.person_model import persona_ask, persona_of
    from drretail.querygen.people.persona import Persona, freeze_person, person_path
    from drretail.querygen.users import check_users, drawn_users

    writer = named_writer(model, calls)
    with open_world(world) as shop:
        check_users(shop, user or ())
        named = list(user or islice(drawn_users(shop, seed, users), users))
        missing = [user_id for user_id in named if not person_path(people, Persona, user_id).exists()]
        pasts = {user_id: read_past(shop, user_id) for user_id in missing}
    if writer is None:
        made, failed, spent = [persona_by_rules(past) for past in pasts.values()], {}, {}
    else:
        asks = {user: persona_ask(past) for user, past in pasts.items()}
        written, failed, spent = ask_all(writer, people, asks, calls)
        made = [persona_of(pasts[user], answer, writer.model.spec) for user, answer in written.items()]
    for persona in made:
        freeze_person(people, persona)
    fields = sum(len(persona.traits) for persona in made)
    line = f"{len(made)} personas with {fields} fields → {people}; {len(named) - len(missing)} existed already"
    tell(line, {"personas": len(made), "fields": fields, "there": len(named) - len(missing), **spent}, failed, output)


@in_own_words
def context(
    people: People,
    calls: flags.Calls,
    output: flags.Output,
    world: flags.World = "demo",
    model: Model = None,
    entries: Annotated[int, Option("Without a model: maximum orders shown per user.", min=1)] = 40,
) -> None:
    """Writes notes on each persona's history (its context). Keeps existing contexts."""
    from drretail.querygen.people.past import context_by_rules, read_past
    from drretail.querygen.people.person_model import context_ask, context_of
    from drretail.querygen.people.persona import PersonContext, freeze_person, read_people

    writer = named_writer(model, calls)
    known = read_personas(people)
    there = read_people(people, PersonContext)
    with open_world(world) as shop:
        pasts = {user_id: read_past(shop, user_id) for user_id in known}
    wanted = [pasts[user_id] for user_id in known if user_id not in there]
    if writer is None:
        made, failed, spent = [context_by_rules(past, entries) for past in wanted], {}, {}
    else:
        asks = {past.user_id: context_ask(past, known[past.user_id]) for past in wanted}
        written, failed, spent = ask_all(writer, people, asks, calls)
        made = [context_of(pasts[user], answer, writer.model.spec) for user, answer in written.items()]
    for one in made:
        freeze_person(people, one)
    document: dict[str, Any] = {"contexts": len(made), "there": len(there), **spent}
    tell(f"{len(made)} contexts → {people}; {len(there)} existed already", document, failed, output)


@in_own_words
def pair(
    source: Annotated[
        Path,
        Option(
            "Queries without a user (.jsonl), or a text file with one question per line.",
            argument=True,
            metavar="TASKS",
        ),
    ],
    people: People,
    to: flags.ToQueries,
    calls: flags.Calls,
    output: flags.Output,
    world: flags.World = "demo",
    users_per_task: Annotated[int, Option("Maximum users per task.", min=1)] = 5,
    model: Model = None,
    force: Force = False,
) -> None:
    """Pairs each task with several different users, and writes a query for each pair.

    `drretail queries review FILE` lets people accept or reject the pairs.
    """
    from drretail.cli.options.query_files import write_queries
    from drretail.querygen.importing import queries_from, read_questions
    from drretail.querygen.people.pairing import check_tasks, chosen_by_overlap, paired
    from drretail.querygen.people.past import read_past
    from drretail.querygen.people.person_model import choice_ask, chosen_by_model
    from drretail.querygen.people.persona import PersonContext, read_people
    from drretail.querygen.reading import read_queries

    writer = named_writer(model, calls)
    known, contexts = read_personas(people), read_people(people, PersonContext)
    if source.suffix.casefold() == ".jsonl":
        tasks = read_queries(source)
    else:
        tasks = queries_from(read_questions(source), source.name, None)
    check_tasks(tasks)
    failed: dict[str, str] = {}
    spent: dict[str, Any] = {}
    with open_world(world) as shop:
        if writer is None:
            choices = chosen_by_overlap(tasks, [read_past(shop, user_id) for user_id in known], users_per_task)
        else:
            asks = {user: choice_ask(persona, tasks) for user, persona in known.items()}
            found, failed, spent = ask_all(writer, people, asks, calls)
            choices = chosen_by_model(tasks, found)
        queries = paired(tasks, choices, known, contexts, users_per_task, shop.manifest.fingerprint)
    if not queries:
        raise UserError(
            "No drawn user would choose any of the tasks: draw more users with drretail queries personas --users N."
        )
    write_queries(to, queries, force=force)
    fewer = [task.query_id for task in tasks if len(choices.get(task.query_id, ())) < users_per_task]
    if fewer:
        remark(f"Tasks with fewer than {users_per_task} users: {len(fewer)} ({', '.join(fewer[:5])}).")
    if any(query.context is None for query in queries):
        remark("Some users have no context: drretail queries context writes them, and pair puts them into the queries.")
    document = {"queries": len(queries), "tasks": len(tasks), "fewer": fewer, "file": str(to), **spent}
    tell(f"{counted(len(queries), 'query')} of {counted(len(tasks), 'task')} → {to}", document, failed, output)


def ask_all(
    writer: "Writer", people: Path, asks: "Mapping[str, Ask[T]]", calls: flags.Calls
) -> tuple[dict[str, T], dict[str, str], dict[str, Any]]:
    """The model's answers by user, the reasons for missing ones, and for --json what all of it took.

    Every call is in the journal in the people's folder.
    """
    from drretail.api.models import Spent
    from drretail.querygen.by_model import session as by_model

    people.mkdir(parents=True, exist_ok=True)
    with asking(writer, people / "journal.jsonl", calls, len(asks)) as (session, bar):
        answers = by_model.ask_all(session, asks.values(), on_end=bar.advance)
    found = {user: answers.found[ask.key] for user, ask in asks.items() if ask.key in answers.found}
    return found, answers.failed, writing_document(Spent(writer, answers.usage, answers.served))


def read_personas(people: Path) -> "dict[str, Persona]":
    """The personas in the folder. Raises UserError if there is none."""
    from drretail.querygen.people.persona import Persona, read_people

    found = read_people(people, Persona)
    if not found:
        raise UserError(f"{people} holds no persona: write some with drretail queries personas --people {people}.")
    return found


def tell(line: str, document: dict[str, Any], failed: Mapping[str, str], output: flags.Output) -> None:
    """Prints what was written. Ends with 3 if something failed."""
    if output.as_json:
        print_json({**document, "failed": dict(failed)})
    else:
        typer.echo(line)
    say_failures(failed)
    exit_code(len(failed))
