"""What a reviewer sees of each query of a file, as lines of text: its wish, findings, basket and shopper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.text.wording import wish_lines
from drretail.querygen.checks.feasibility import cheapest_line
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Checked, Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.score import ProfileSummary
from drretail.records.tables.screen import on_screen


@dataclass(frozen=True, slots=True)
class Item:
    """A query with its findings; ``shopper`` is None without a user, or if the world lacks the user."""

    checked: Checked
    shopper: ProfileSummary | None

    @property
    def query(self) -> Query:
        return self.checked.query


class Items:
    """The items of one file's queries in one world; each is made when it is asked for."""

    def __init__(self, world: World, queries: Sequence[Query]) -> None:
        self.world = world
        self._linter = Linter(world)
        self._summaries = Summaries(world)
        self._known: dict[str, ProfileSummary | None] = {}
        self._checked = {checked.query.query_id: checked for checked in self._linter.check_all(queries)}
        self._texts = Texts(queries)

    def of(self, query: Query) -> Item:
        """The item of a query of the file."""
        return Item(self._checked[query.query_id], self._shopper(query.user_id))

    def check(self, edited: Query) -> Checked:
        """The findings on another version of a query of the file, beside all the other queries."""
        duplicate = self._texts.near_duplicate(edited)
        return self._linter.check(edited, also=[] if duplicate is None else [duplicate])

    def _shopper(self, user_id: str | None) -> ProfileSummary | None:
        if user_id is None:
            return None
        if user_id not in self._known:
            try:
                self._known[user_id] = self._summaries.of(user_id)
            except NotFound:  # the checks report it
                self._known[user_id] = None
        return self._known[user_id]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines below it, without characters that could steer a terminal or hide words."""

    title: str
    lines: tuple[str, ...]


def section(title: str, lines: Iterable[str]) -> Section:
    return Section(title, tuple(map(on_screen, lines)))


def page_of(item: Item) -> tuple[Section, ...]:
    """The sections that a reviewer sees below the query: wish, checks, basket, shopper and rationale."""
    return (
        wish_section(item.query),
        *checks_of(item.checked),
        section("The shopper", shopper_lines(item)),
        section("Why it was made", [item.query.rationale or "No reason is given."]),
    )


def wish_section(query: Query) -> Section:
    """The wish, and who typed it."""
    if query.wish is None:
        return section("What it wants", ["nobody has typed what the query wants"])
    by = [f"typed by {query.typed_by}"] if query.typed_by else []
    return section("What it wants", [*wish_lines(query.wish), *by])


def checks_of(checked: Checked) -> tuple[Section, ...]:
    """The findings, and the cheapest basket."""
    basket = cheapest_line(checked.reference)
    return (
        section("Checks", [finding_line(finding) for finding in checked.findings] or ["Nothing was found."]),
        section("The cheapest basket", [basket]),
    )


def finding_line(finding: Finding) -> str:
    """A finding in one line: "error budget_unreachable: $20 (the cheapest basket costs …)"."""
    detail = f" ({finding.found})" if finding.found else ""
    return f"{finding.severity} {finding.code}: {finding.text}{detail}"


def shopper_lines(item: Item) -> list[str]:
    """The profile summary, one statement per line."""
    if item.shopper is not None:
        return [statement.text for statement in item.shopper.statements]
    if item.query.user_id is None:
        return ["Nobody: the query is for no certain shopper."]
    return ["The world does not know this shopper."]
