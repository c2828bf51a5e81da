"""Questions to a model about people: their personas, their contexts, and the tasks that they choose."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from drretail.addons.personas.persona import (
    FIELDS,
    LONGEST_VALUE,
    MOST_ENTRIES,
    PROFILE_FIELDS,
    ContextEntry,
    Past,
    Persona,
    PersonContext,
    Trait,
)
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.querygen.by_model.session import Ask
from drretail.records.base import Record, canonical_json
from drretail.records.query import Query

LEAST_ENTRIES = 8
NAMES = ("persona", "context", "choose")


class WrittenTrait(Record):
    field: str
    value: str = Field(min_length=1, max_length=LONGEST_VALUE)
    orders: tuple[str, ...] = ()


class WrittenPersona(Record):
    traits: tuple[WrittenTrait, ...]


class WrittenEntry(Record):
    kind: Literal["purchase", "talk"]
    text: str = Field(min_length=1)
    orders: tuple[str, ...] = ()


class WrittenContext(Record):
    entries: tuple[WrittenEntry, ...] = Field(min_length=1, max_length=MOST_ENTRIES)


class ChosenTasks(Record):
    tasks: tuple[str, ...]


def persona_ask(past: Past) -> Ask[WrittenPersona]:
    """The question who a user is, with their records."""
    orders = {order.order_id for order in past.orders}

    def check(written: WrittenPersona) -> str | None:
        names = [trait.field for trait in written.traits]
        if problem := _strange(names, FIELDS, "there are no such fields"):
            return problem
        if len({*names}) < len(names):
            return "a field stands twice"
        for trait in written.traits:
            if not trait.orders and trait.field not in PROFILE_FIELDS:
                return f"{trait.field} names no orders"
            if problem := _strange(trait.orders, orders, f"{trait.field} names what is no order of the shopper's"):
                return problem
        return None

    message = prompts()["persona"].render(
        fields="\n".join(f"- {name}" for name in FIELDS),
        profile_fields=" and ".join(PROFILE_FIELDS),
        profile=_records(past),
    )
    return Ask(f"{past.user_id}#persona", message, WrittenPersona, check)


def build_persona(past: Past, written: WrittenPersona, made_by: str) -> Persona:
    traits = {
        trait.field: Trait(value=trait.value, orders=trait.orders, of_profile=trait.field in PROFILE_FIELDS)
        for trait in written.traits
    }
    return Persona(user_id=past.user_id, made_by=made_by, traits=traits)


def context_ask(past: Past, persona: Persona) -> Ask[WrittenContext]:
    """The question what a user's dealings with the shop would leave behind."""
    orders = {order.order_id for order in past.orders}

    def check(written: WrittenContext) -> str | None:
        order_ids = {id_ for entry in written.entries for id_ in entry.orders}
        return _strange(order_ids, orders, "these are no ids of the shopper's orders")

    message = prompts()["context"].render(
        least=str(LEAST_ENTRIES),
        most=str(MOST_ENTRIES),
        persona=tagged("persona", canonical_json(persona.model_dump(mode="json", exclude_none=True))),
        profile=_records(past),
    )
    return Ask(f"{past.user_id}#context", message, WrittenContext, check)


def context_of(past: Past, written: WrittenContext, made_by: str) -> PersonContext:
    entries = tuple(
        ContextEntry(kind=entry.kind, text=entry.text, orders=entry.orders, of_profile=not entry.orders)
        for entry in written.entries
    )
    return PersonContext(user_id=past.user_id, made_by=made_by, entries=entries)


def choice_ask(persona: Persona, tasks: Sequence[Query]) -> Ask[ChosenTasks]:
    """The question which tasks a user would choose."""
    listed = "\n".join(canonical_json({"id": task.query_id, "task": task.text}) for task in tasks)
    message = prompts()["choose"].render(persona=tagged("persona", persona.text), tasks=tagged("questions", listed))
    task_ids = {task.query_id for task in tasks}
    return Ask(
        f"{persona.user_id}#choose",
        message,
        ChosenTasks,
        lambda chosen: _strange(chosen.tasks, task_ids, "there are no tasks of these ids"),
    )


def chosen_by_model(tasks: Sequence[Query], chosen: Mapping[str, ChosenTasks]) -> dict[str, list[str]]:
    """By task, the users who chose it, ordered by its rank in their lists; ``chosen`` is by user id."""
    ranks = {user: {task: at for at, task in enumerate(dict.fromkeys(choice.tasks))} for user, choice in chosen.items()}
    return {
        task.query_id: sorted(
            (user for user in ranks if task.query_id in ranks[user]),
            key=lambda user, task=task: (ranks[user][task.query_id], user),
        )
        for task in tasks
    }


def prompts() -> dict[str, Prompt]:
    return {name: load_prompt(__file__, name) for name in NAMES}


def _records(past: Past) -> str:
    """A user's profile, summary and orders for a prompt, with the orders' ids."""
    orders = (f"- {order.order_id}: {past.line(order)}" for order in past.orders if past.shows(order))
    who = f"First name: {past.profile.first_name}. Residence: {past.residence}."
    statements = [statement for statement in past.summary().statements if statement.code != "person"]
    return tagged("profile", "\n".join([who, *(f"- {statement.text}" for statement in statements), "Orders:", *orders]))


def _strange(ids: Iterable[str], allowed: Collection[str], what: str) -> str | None:
    """``what`` followed by the names that are not known; None if all are known."""
    strange = sorted({*ids} - {*allowed})
    return f"{what}: {', '.join(strange)}" if strange else None
