"""A present for somebody who shares the user's taste."""

from drretail.querygen.drafts.case import SHOP_TOOLS, USER_TOOLS, Case, Draft, orders_of
from drretail.querygen.history import Purchase
from drretail.querygen.knowledge import Project, projects_with
from drretail.querygen.phrases import article, listed, sentence
from drretail.querygen.shelf import Wish, budget_for
from drretail.querygen.speech import budget_sentence, told
from drretail.querygen.things import Thing, thing_named
from drretail.records.money import Money
from drretail.records.query import Constraints

_WHO = (
    ("sister", "she"),
    ("brother", "he"),
    ("best friend", "she"),
    ("neighbor", "he"),
    ("colleague", "she"),
    ("cousin", "he"),
    ("aunt", "she"),
    ("father-in-law", "he"),
)
_ASKS = (
    "what people who care about {interest} like to get but never buy for themselves",
    "what makes {idea} stand out for somebody who already has the basics",
    "which presents around {interest} end up unused",
)
_OCCASIONS = ("birthday", "housewarming", "retirement party", "anniversary")


def draft(case: Case) -> Draft | None:
    purchase = case.pick([it for it in case.history.purchases if _interests(case, it)])
    if purchase is None:
        return None
    project, gifts = case.rng.choice(_interests(case, purchase))
    ideas = gifts if len(gifts) <= 2 else [gifts[index] for index in sorted(case.rng.sample(range(len(gifts)), 2))]
    # One present is bought: the budget must reach for either idea.
    budget = budget_for(case.shelf, [Wish(thing) for thing in ideas], case.level, per_item=True)
    return Draft(
        kind="gift",
        about=frozenset({f"gift: {project.interest}"}),
        text=_text(case, project, purchase, ideas, budget),
        rationale=(
            f"The taste to go by is in the record: {orders_of(purchase)}. The present must not be that again, has to "
            "be found in the catalog, and is judged by what others on the web say about giving it."
        ),
        expected_tools=("get_user_statistics", *USER_TOOLS, *SHOP_TOOLS),
        constraints=Constraints(budget=budget, categories=case.shelf.categories(ideas), owned=case.owned(purchase)),
    )


def _interests(case: Case, purchase: Purchase) -> list[tuple[Project, list[Thing]]]:
    """Projects of the purchase that make good presents, with other things of theirs that are on offer."""
    if purchase.thing.kind is None or not purchase.thing.kind.gift:
        return []
    found: list[tuple[Project, list[Thing]]] = []
    for project in projects_with(purchase.thing.name):
        things = [thing_named(name) for name in project.things if name != purchase.thing.name]
        gifts = [thing for thing in things if thing.talk.gift and case.shelf.has(thing)]
        if gifts and f"gift: {project.interest}" not in case.avoid:
            found.append((project, gifts))
    return found


def _text(case: Case, project: Project, purchase: Purchase, ideas: list[Thing], budget: Money | None) -> str:
    who, they = case.rng.choice(_WHO)
    occasion = case.rng.choice(_OCCASIONS)
    mine = purchase.thing.phrase
    again = f"more {mine.text} like mine" if mine.plural else f"{mine.some} like mine"
    names = listed([thing.phrase.some for thing in ideas], "or")
    idea = case.rng.choice(ideas)
    ask = case.rng.choice(_ASKS).format(interest=project.interest, idea=idea.phrase.some)
    openings = (
        f"My {who}'s {occasion} is coming up, and {they} is as keen on {project.interest} as I am.",
        f"I need a present for my {who}, who likes {project.interest} just as much as I do.",
        f"My {who} and I both love {project.interest}, and {they} has {article(occasion)} {occasion} soon.",
    )
    bodies = (
        f"It shouldn't just be {again}, but something that goes well with that: I thought of {names}. Which would "
        f"please somebody with my taste most, and can you find out {ask}?",
        f"Going by what I've bought myself, such as the {mine.text}, would {names} be right, or is there something "
        f"nicer? I'd like three suggestions with good reviews, and a word on {ask}.",
        f"Look at what I've ordered over time, not only the {mine.text}, to get an idea of our taste; leave out what "
        f"I already own, and suggest something like {names}. Please also find out {ask}.",
    )
    ending = "" if budget else "It should cost about as much as what I usually order for myself."
    return told(
        sentence(case.rng.choice(openings)),
        case.rng.choice(bodies),
        budget_sentence(case.rng, budget, "single"),
        ending,
        case.rng.choice(("A short reason for each pick would help me decide.", "", "Tell me which you'd choose.")),
    )
