"""What place and season ask of things that the user owns."""

from drretail.querygen.drafts.case import SHOP_TOOLS, USER_TOOLS, Case, Draft, orders_of
from drretail.querygen.history import Purchase
from drretail.querygen.knowledge import Project, projects_with
from drretail.querygen.occasions import next_season, season
from drretail.querygen.phrases import listed, sentence
from drretail.querygen.shelf import Wish, budget_for
from drretail.querygen.speech import budget_sentence, told
from drretail.querygen.things import Thing, thing_named
from drretail.records.money import Money
from drretail.records.query import Constraints

# The text never names the place: an agent has to look it up, as for "my state" in the paper's Figure 9.
_PLACES = ("my state", "my area", "my part of the country")


def draft(case: Case) -> Draft | None:
    if not case.history.state:
        return None
    purchase = case.pick([it for it in case.history.purchases if _occasions(case, it)])
    if purchase is None:
        return None
    project, useful = case.rng.choice(_occasions(case, purchase))
    extra = case.rng.choice(useful)
    budget = budget_for(case.shelf, [Wish(extra)], case.level)
    return Draft(
        kind="season",
        about=frozenset({f"season: {project.interest}", extra.name}),
        text=_text(case, project, purchase, extra, budget),
        rationale=(
            f"The record shows {orders_of(purchase)}, the profile tells where the user lives, and today's date the "
            "season. What these ask for is on the web; what to buy for it is in the catalog."
        ),
        expected_tools=("get_user_profile", *USER_TOOLS, *SHOP_TOOLS),
        constraints=Constraints(budget=budget, categories=case.shelf.categories([extra]), owned=case.owned(purchase)),
    )


def _occasions(case: Case, purchase: Purchase) -> list[tuple[Project, list[Thing]]]:
    """Projects of the purchase with things that are on offer and not owned."""
    if purchase.thing.kind is None:
        return []
    found: list[tuple[Project, list[Thing]]] = []
    for project in projects_with(purchase.thing.name):
        things = [thing_named(name) for name in project.things if case.history.lacks(name)]
        useful = [thing for thing in things if thing.name not in case.avoid and case.shelf.has(thing)]
        if useful and f"season: {project.interest}" not in case.avoid:
            found.append((project, useful))
    return found


def _text(case: Case, project: Project, purchase: Purchase, extra: Thing, budget: Money | None) -> str:
    today, country = case.history.today, case.history.country
    place = case.rng.choice(_PLACES)
    slots = {"place": place, "season": season(today, country), "next": next_season(today, country)}
    asks = [case.rng.choice(project.here).format(**slots), case.rng.choice(project.ask)]
    point = listed(case.points(extra))
    openings = (
        f"{case.having(purchase)} and would like to know {asks[0]}.",
        f"Can you tell me {asks[0]}? {case.having(purchase)}, but not much besides.",
        f"{case.having(purchase)}, and I wonder {asks[0]}.",
    )
    bodies = (
        f"Depending on that, would {extra.phrase.some} be worth adding to what I have? If so, recommend two or three "
        f"that differ in {point}.",
        f"I've been looking at {extra.phrase.some} for that reason. Which of yours suit the conditions here, and how "
        f"do they compare on {point}?",
        f"If {extra.phrase.some} would help, show me suitable ones with their {point}; if not, tell me what to buy "
        "instead.",
    )
    endings = (
        f"I'd also like to know {asks[1]}.",
        f"And while you're at it, find out {asks[1]}.",
        f"Please check what I've ordered from you before, and tell me {asks[1]}.",
    )
    return told(
        sentence(case.rng.choice(openings)),
        case.rng.choice(bodies),
        case.rng.choice(endings),
        budget_sentence(case.rng, budget, "single"),
    )
