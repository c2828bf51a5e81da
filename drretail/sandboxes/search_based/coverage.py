"""Which supportive pages a task can't do without, and whether they are enough (paper 003, stage 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.env.web.sandbox import SandboxPage
from drretail.prompts import load_prompt, tagged
from drretail.records.base import Record
from drretail.sandboxes.search_based.asker import Asker, NotEnough
from drretail.sandboxes.search_based.keywords import numbered_needs
from drretail.sandboxes.search_based.labels import RuledPage, SaidFact


class SaidGroup(Record):
    fact_numbers: list[int]
    needed: bool


class FactGroups(Record):
    """Facts that say the same, and whether an answer can do without them."""

    groups: list[SaidGroup]


class SettledNeed(Record):
    need: int
    answer: str
    pages: list[int]


class Settlement(Record):
    """What the pages settle, and what they leave open."""

    needs: list[SettledNeed]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class NeededPages:
    """Supportive pages that each have a needed fact which no other of them has, and those that add nothing."""

    necessary: tuple[RuledPage, ...]
    redundant: tuple[RuledPage, ...]


async def weigh_facts(
    asker: Asker, task: str, question: str, needs: Sequence[str], pages: Sequence[RuledPage]
) -> NeededPages:
    """Groups the facts of supportive pages by a model, and leaves pages out by code. Raises TaskFailed."""
    facts: list[tuple[int, SaidFact]] = [
        (number, fact) for number, page in enumerate(pages) if page.ruling is not None for fact in page.ruling.facts
    ]
    days = [page.found.page.date or "no date" for page in pages]
    lines = (f"{number}. (need {fact.need}, {days[page]}) {fact.fact}" for number, (page, fact) in enumerate(facts, 1))
    data = [tagged("query", question), numbered_needs(needs), tagged("facts", "\n".join(lines))]
    grouping = await asker.ask(
        f"{task}/weigh",
        load_prompt(__file__, "weigh"),
        data,
        FactGroups,
        lambda answer: _misgrouped(answer, len(facts)),
    )
    has: dict[int, set[int]] = {number: set() for number in range(len(pages))}
    for group, members in enumerate(grouping.groups):
        for number in members.fact_numbers if members.needed else ():
            has[facts[number - 1][0]].add(group)
    kept = smallest_cover(has, {number: len(page.found.page.text) for number, page in enumerate(pages)})
    return NeededPages(
        tuple(page for number, page in enumerate(pages) if number in kept),
        tuple(page for number, page in enumerate(pages) if number not in kept),
    )


def smallest_cover(has: Mapping[int, set[int]], length: Mapping[int, int]) -> set[int]:
    """Pages that have all of these facts together, none of which could be left out without losing one.

    Where several would do, those are taken that have most of what is lacking, the shorter ones first.
    """
    lacking: set[int] = set().union(*has.values())
    taken: list[int] = []
    while lacking:
        best = min(has, key=lambda page: (-len(has[page] & lacking), length[page], page))
        taken.append(best)
        lacking -= has[best]
    # What was taken first may have been made needless by all that came after.
    for page in list(taken):
        others = set[int]().union(*(has[other] for other in taken if other != page))
        if has[page] <= others:
            taken.remove(page)
    return set(taken)


async def check_settled(
    asker: Asker, name: str, question: str, needs: Sequence[str], pages: Sequence[SandboxPage], files: Sequence[str]
) -> None:
    """Raises NotEnough where something is missing for an answer from these pages alone, and TaskFailed.

    ``files`` are the user's in their tags.
    """
    data = [tagged("query", question), numbered_needs(needs), *page_tags(pages), *files]
    settlement = await asker.ask(
        name,
        load_prompt(__file__, "settle"),
        data,
        Settlement,
        lambda answer: _misnumbered(answer, len(needs), len(pages)),
    )
    unsettled = {needs[need.need - 1]: need.answer for need in settlement.needs if not need.pages}
    missing = [*(f"{need} ({why})" for need, why in unsettled.items()), *filter(str.strip, settlement.missing)]
    if missing:
        raise NotEnough(f"the pages are not enough: {'; '.join(map(str.strip, missing))}", tuple(unsettled))


def page_tags(pages: Sequence[SandboxPage]) -> list[str]:
    """Each page in its tag, under its number from 1."""
    return [
        tagged("page", page.text, id=str(number), title=page.title, date=page.date or "unknown")
        for number, page in enumerate(pages, 1)
    ]


def _misgrouped(answer: FactGroups, count: int) -> str | None:
    given = sorted(number for group in answer.groups for number in group.fact_numbers)
    if given != list(range(1, count + 1)):
        wrong = sorted({*given} ^ {*range(1, count + 1)} | {number for number in given if given.count(number) > 1})
        return f"each number from 1 to {count} has to stand in exactly one group; look at {', '.join(map(str, wrong))}"
    return (
        None if any(group.needed for group in answer.groups) else "no group is needed: which of them decide the answer?"
    )


def _misnumbered(answer: Settlement, needs: int, pages: int) -> str | None:
    if sorted(need.need for need in answer.needs) != list(range(1, needs + 1)):
        return f"each need from 1 to {needs} has to be answered once"
    if strange := [number for need in answer.needs for number in need.pages if not 1 <= number <= pages]:
        return f"there is no page {strange[0]}: they go from 1 to {pages}"
    return None
