"""Which supportive pages a task needs, and whether they are enough (DR³-Eval, stage 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.addons.sandboxes.search_based.asker import Asker, NotEnough
from drretail.addons.sandboxes.search_based.keywords import numbered_needs
from drretail.addons.sandboxes.search_based.labels import RuledPage
from drretail.env.web.sandbox import SandboxPage
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record


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
    """Supportive pages: the necessary ones, each with a needed fact that no other has, and the redundant ones."""

    necessary: tuple[RuledPage, ...]
    redundant: tuple[RuledPage, ...]


async def weigh_facts(
    asker: Asker, task: str, question: str, needs: Sequence[str], pages: Sequence[RuledPage]
) -> NeededPages:
    """The necessary and the redundant pages: a model groups their facts, and code chooses. Raises TaskFailed."""
    facts = [(number, fact) for number, page in enumerate(pages) for fact in page.facts]
    days = [page.found.page.date or "no date" for page in pages]
    lines = (f"{number}. (need {fact.need}, {days[page]}) {fact.fact}" for number, (page, fact) in enumerate(facts, 1))
    data = [tagged("query", question), numbered_needs(needs), tagged("facts", "\n".join(lines))]
    prompt = load_prompt(__file__, "weigh")
    grouping = await asker.ask(
        f"{task}/weigh", prompt, data, FactGroups, lambda answer: _misgrouped(answer, len(facts))
    )
    has: dict[int, set[int]] = {number: set() for number in range(len(pages))}
    for group, members in enumerate(grouping.groups):
        for number in members.fact_numbers if members.needed else ():
            has[facts[number - 1][0]].add(group)
    cover = smallest_cover(has, {number: len(page.found.page.text) for number, page in enumerate(pages)})
    return NeededPages(
        tuple(page for number, page in enumerate(pages) if number in cover),
        tuple(page for number, page in enumerate(pages) if number not in cover),
    )


def smallest_cover(has: Mapping[int, set[int]], length: Mapping[int, int]) -> set[int]:
    """Pages that together have all of these facts; leaving any one out would lose a fact.

    It is greedy: the page with most of the missing facts comes first, and among equals the shortest.
    """
    lacking: set[int] = set().union(*has.values())
    taken: list[int] = []
    while lacking:
        best = min(has, key=lambda page: (-len(has[page] & lacking), length[page], page))
        taken.append(best)
        lacking -= has[best]
    # A page taken early may be redundant by now, given those taken after it.
    for page in list(taken):
        others = set[int]().union(*(has[other] for other in taken if other != page))
        if has[page] <= others:
            taken.remove(page)
    return set(taken)


async def check_settled(
    asker: Asker, name: str, question: str, needs: Sequence[str], pages: Sequence[SandboxPage], files: Sequence[str]
) -> None:
    """Raises NotEnough if these pages and files alone do not suffice for an answer, and TaskFailed.

    ``files`` are the user's files in tags.
    """
    data = [tagged("query", question), numbered_needs(needs), *page_tags(pages), *files]
    prompt = load_prompt(__file__, "settle")
    settlement = await asker.ask(
        name, prompt, data, Settlement, lambda answer: _misnumbered(answer, len(needs), len(pages))
    )
    unsettled = {needs[need.need - 1]: need.answer for need in settlement.needs if not need.pages}
    missing = [*(f"{need} ({why})" for need, why in unsettled.items()), *filter(str.strip, settlement.missing)]
    if missing:
        raise NotEnough(f"the pages are not enough: {'; '.join(map(str.strip, missing))}", tuple(unsettled))


def page_tags(pages: Sequence[SandboxPage]) -> list[str]:
    """Each page in a tag with its number, from 1."""
    return [
        tagged("page", page.text, id=str(number), title=page.title, date=page.date or "unknown")
        for number, page in enumerate(pages, 1)
    ]


def _misgrouped(answer: FactGroups, count: int) -> str | None:
    numbers = sorted(number for group in answer.groups for number in group.fact_numbers)
    if numbers != list(range(1, count + 1)):
        wrong = sorted(
            {*numbers} ^ {*range(1, count + 1)} | {number for number in numbers if numbers.count(number) > 1}
        )
        return f"each number from 1 to {count} has to stand in exactly one group; look at {', '.join(map(str, wrong))}"
    is_any_needed = any(group.needed for group in answer.groups)
    return None if is_any_needed else "no group is needed: which of them decide the answer?"


def _misnumbered(answer: Settlement, needs: int, pages: int) -> str | None:
    if sorted(need.need for need in answer.needs) != list(range(1, needs + 1)):
        return f"each need from 1 to {needs} has to be answered once"
    if strange := [number for need in answer.needs for number in need.pages if not 1 <= number <= pages]:
        return f"there is no page {strange[0]}: they go from 1 to {pages}"
    return None
