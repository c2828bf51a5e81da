"""Tasks and users → one query per pair. Users choose tasks; of these users, the most different ones are taken."""

from collections.abc import Mapping, Sequence

from drretail.addons.personas.persona import Past, Persona, PersonContext
from drretail.errors import UserError
from drretail.grounding.report.evidence_ids import short_hash
from drretail.grounding.text.words import content_stems
from drretail.records.query import Query

POOL = 4
"""Without a model, a task has this many times as many choosers as users are wanted, so that balancing the users
over all tasks has a choice.
"""
# A query's id has at most 64 characters: the task's id, a hyphen and 8 of the user's hash.
_LONGEST_TASK_ID = 64 - 9


def relevance(task: Query, past: Past) -> float:
    """The share of the words of a task and its wanted kinds that occur in what the user bought, 0 to 1."""
    kinds = () if task.wish is None else (kind for want in task.wish.wants for kind in want.kinds)
    wanted = frozenset(content_stems(" ".join((task.text, *kinds))))
    return len(wanted & past.words()) / len(wanted) if wanted else 0.0


def chosen_by_overlap(tasks: Sequence[Query], pasts: Sequence[Past], wanted: int) -> dict[str, list[str]]:
    """By task, the users whose orders have most in common with it; those who are equally near in an order that is drawn
    for each task. As in PDR-Bench, a task has as many users as are wanted, also where few share a word with it.
    """
    chosen: dict[str, list[str]] = {}
    for task in tasks:
        near = {past.user_id: relevance(task, past) for past in pasts}
        drawn = {user: short_hash(f"{task.query_id}|{user}") for user in near}
        chosen[task.query_id] = sorted(near, key=lambda user: (-near[user], drawn[user]))[: wanted * POOL]
    return chosen


def distance(persona: Persona, other: Persona) -> float:
    """One minus the mean likeness over the fields that either persona fills, 0 to 1; names are not compared.

    A field that only one of them fills counts as unlike.
    """
    first, second = persona.traits, other.traits
    names = {*first, *second} - {"basic_attributes.name"}
    alike = sum(likeness(trait.value, second[name].value) for name, trait in first.items() if name in names & {*second})
    return 1 - alike / len(names) if names else 0.0


def likeness(value: str, other: str) -> float:
    """The Jaccard index of the content words of two values; without any, 1 if the values are equal."""
    first, second = set(content_stems(value)), set(content_stems(other))
    return len(first & second) / len(first | second) if first | second else float(value == other)


def most_different(users: Sequence[str], personas: Mapping[str, Persona], wanted: int) -> list[str]:
    """The first of ``users``, then repeatedly the one that is farthest from its nearest among the taken.

    Of several, the first.
    """
    taken, left = list(users[:1]), list(users[1:])
    nearest = {user: distance(personas[user], personas[taken[0]]) for user in left} if taken else {}
    while left and len(taken) < wanted:
        best = max(left, key=lambda user: (nearest[user], -users.index(user)))
        taken.append(best)
        left.remove(best)
        nearest = {user: min(nearest[user], distance(personas[user], personas[best])) for user in left}
    return taken


def pair_query(task: Query, persona: Persona, context: PersonContext | None, fingerprint: str) -> Query:
    """The task as one user's query: the same text, with persona and context beside it."""
    return task.model_copy(
        update={
            "query_id": f"{task.query_id[:_LONGEST_TASK_ID]}-{short_hash(persona.user_id)}",
            "task_id": task.query_id,
            "user_id": persona.user_id,
            "mode": "task",
            "persona": persona.text,
            "context": None if context is None else context.text,
            "wish": None if task.wish is None else task.wish.model_copy(update={"owned": ()}),
            "rationale": "",
            "expected_tools": (),
            "world_fingerprint": fingerprint,
        }
    )


def check_tasks(tasks: Sequence[Query]) -> None:
    """Raises UserError for tasks that have a user, or whose ids are too alike to give distinct ids of queries."""
    with_user = [task.query_id for task in tasks if task.user_id is not None]
    if with_user:
        raise UserError(f"A task has no user, and {with_user[0]!r} has one: give questions, or queries without a user.")
    starts = {task.query_id[:_LONGEST_TASK_ID] for task in tasks}
    if len(starts) < len(tasks):
        raise UserError("Two tasks have ids that begin with the same 55 characters: shorten them.")
