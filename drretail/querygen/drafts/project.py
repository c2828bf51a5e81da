"""A set of things that belong together, around one that is owned."""

from drretail.querygen.drafts.case import SHOP_TOOLS, USER_TOOLS, Case, Draft, orders_of
from drretail.querygen.history import Purchase
from drretail.querygen.knowledge import Project, projects_with
from drretail.querygen.occasions import when
from drretail.querygen.phrases import listed, sentence
from drretail.querygen.shelf import Wish, budget_for
from drretail.querygen.speech import budget_sentence, told
from drretail.querygen.things import Thing, thing_named
from drretail.records.money import Money
from drretail.records.query import Constraints

_MOST = 3


def draft(case: Case) -> Draft | None:
    purchase = case.pick([it for it in case.history.purchases if _open_projects(case, it)])
    if purchase is None:
        return None
    project, missing = case.rng.choice(_open_projects(case, purchase))
    wanted = missing if len(missing) <= _MOST else _some(case, missing)
    budget = budget_for(case.shelf, [Wish(thing) for thing in wanted], case.level)
    return Draft(
        kind="project",
        about=frozenset({purchase.thing.name, project.goal}),
        text=_text(case, project, purchase, wanted, budget),
        rationale=(
            f"The record shows {orders_of(purchase)}, but no {listed([thing.name for thing in wanted], 'or')}. The set "
            "must be put together from the catalog, added up, and arranged with advice that only the web has."
        ),
        expected_tools=("get_user_statistics", *USER_TOOLS, *SHOP_TOOLS, *(("calculator",) if budget else ())),
        constraints=Constraints(budget=budget, categories=case.shelf.categories(wanted), owned=case.owned(purchase)),
    )


def _open_projects(case: Case, purchase: Purchase) -> list[tuple[Project, list[Thing]]]:
    """Projects that the purchase belongs to, with at least two things that the user lacks and the shop has."""
    if purchase.thing.kind is None:
        return []
    found: list[tuple[Project, list[Thing]]] = []
    for project in projects_with(purchase.thing.name):
        things = [thing_named(name) for name in project.things if case.history.lacks(name)]
        missing = [thing for thing in things if case.shelf.has(thing)]
        if len(missing) >= 2 and project.goal not in case.avoid:
            found.append((project, missing))
    return found


def _some(case: Case, things: list[Thing]) -> list[Thing]:
    chosen = case.rng.sample(range(len(things)), _MOST)
    return [things[index] for index in sorted(chosen)]


def _text(case: Case, project: Project, purchase: Purchase, wanted: list[Thing], budget: Money | None) -> str:
    phrase, today = purchase.thing.phrase, case.history.today
    names = listed([thing.phrase.some for thing in wanted])
    extra = case.rng.choice(wanted)
    about = case.point(extra)
    asks = case.two(project.ask)
    openings = (
        f"I'd like to {project.goal}. {case.having(purchase)}, but that's all there is so far.",
        f"{case.having(purchase)}, and now I want to {project.goal}.",
        f"My next project is to {project.goal}, and the {phrase.text} I bought {when(purchase.day, today)} "
        f"{'were' if phrase.plural else 'was'} only the beginning.",
    )
    bodies = (
        f"Can you put together what's still missing? I'm thinking of {names}, chosen so that they go with what I "
        f"have. I'd like to know {listed(asks)}, too.",
        f"I believe I need {names}. Please pick good ones, paying attention to {about} for the {extra.name}, and "
        f"tell me {listed(asks)}.",
        f"Help me choose {names}: what do people who have done this recommend, and what is overrated? I'd also like "
        f"some advice on {asks[0]}.",
    )
    endings = (
        "My order history should show you what I can leave out.",
        "If something I've already bought will do, say so and leave it off the list.",
        "Please check my earlier orders so that I don't buy anything twice.",
    )
    rest = "" if budget else case.spending()
    return told(
        sentence(case.rng.choice(openings)),
        case.rng.choice(bodies),
        budget_sentence(case.rng, budget, "total"),
        case.rng.choice(endings),
        rest,
    )
