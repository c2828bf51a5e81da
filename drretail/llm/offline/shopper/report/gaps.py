"""What could not be found out, said plainly."""

from drretail.llm.offline.shopper.needs import Need
from drretail.llm.offline.shopper.questions import Question
from drretail.llm.offline.shopper.report.naming import Names, cite
from drretail.llm.offline.shopper.report.replies import answers_to
from drretail.llm.offline.shopper.situation import ORDERS, PROFILE, STATISTICS, WEB
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import first_upper, joined, plural

_SUBJECTS = {PROFILE: "your profile", ORDERS: "your orders", STATISTICS: "your shopping figures", WEB: "the web"}
_NO_PAGE, _NOR_ANY = "No page that I found says", "Nor does any page say"


def gaps_section(study: Study, names: Names) -> list[str]:
    """A heading and a list; nothing when everything was found."""
    gaps = [
        *_questions(study),
        *_silent_records(study, names),
        *_prices(study, names),
        *_delivery(study),
        *_web(study),
        *_customer(study),
        *_short_supply(study),
    ]
    return ["## What I could not find out", "\n".join(f"- {gap}" for gap in gaps)] if gaps else []


def _questions(study: Study) -> list[str]:
    """One sentence for each question that nothing answers."""
    answered = answers_to(study)
    gaps = [_unanswered(study, question) for question in study.questions if question.label not in answered]
    return [gap.replace(_NO_PAGE, _NOR_ANY) if place else gap for place, gap in enumerate(gaps)]


def _unanswered(study: Study, question: Question) -> str:
    situation = study.situation
    if question.needs_place and study.customer.state is None:
        return f"{first_upper(question.told)} depends on where you live, which I do not know."
    if not situation.made(WEB):
        return f"I could not search the web for {question.told}, and the shop's own records do not say."
    if question.direct:
        return f"No page that I found answers {question.told}"
    return f"{_NO_PAGE} {question.told}."


def _prices(study: Study, names: Names) -> list[str]:
    picks = [pick.product for pick in study.basket.picks if pick]
    unpriced = [f"the {names.of(product)} {cite(product.evidence)}" for product in picks if product.price is None]
    ranged = [f"the {names.of(product)} {cite(product.evidence)}" for product in picks if product.price_from]
    gaps = [f"Prices: the shop lists none for {joined(unpriced)}."] if unpriced else []
    if ranged:
        gaps.append(f"The exact price of {joined(ranged)}: the listing only says from what price it starts.")
    return gaps


def _silent_records(study: Study, names: Names) -> list[str]:
    silent = [
        f"the {names.of(pick.product)} {cite(pick.product.evidence)}"
        for pick in study.basket.picks
        if pick
        and pick.product.opened
        and not (pick.product.record.get("features") or pick.product.record.get("description"))
    ]
    if not silent:
        return []
    return [f"More about {joined(silent)}: the shop holds no description, so only title and ratings speak."]


def _delivery(study: Study) -> list[str]:
    deadline = study.constraints.deadline
    return [f"Whether it arrives {deadline}: the shop's records hold no delivery times."] if deadline else []


def _web(study: Study) -> list[str]:
    situation = study.situation
    if not study.web:
        return []
    if not situation.made(WEB):
        return ["What guides and tests say: I had no way to search the web."] if WEB not in situation.tools else []
    if not situation.found(WEB):
        return ["What guides and tests say: the web search failed."]
    if not any(lookup.value.get("results") for lookup in situation.found(WEB)):
        return ["What guides and tests say: the web search brought no page."]
    return []


def _customer(study: Study) -> list[str]:
    situation = study.situation
    if situation.user_id is None:
        return ["What you own and like: I was not told who you are."] if study.needs else []
    failed = [_SUBJECTS[tool] for tool in (PROFILE, STATISTICS, ORDERS) if tool in situation.unavailable]
    return [f"{joined(failed).capitalize()}: the shop did not answer."] if failed else []


def _short_supply(study: Study) -> list[str]:
    """Needs for which there was only one product to choose from."""
    alone: list[Need] = [
        need
        for need, pick, shelf in zip(study.needs, study.basket.picks, study.shelves, strict=True)
        if pick is not None and len(shelf.rivals) == 1
    ]
    if not alone or len(study.needs) == 1:
        return []
    things = joined([plural(need.name) for need in alone])
    return [f"How the pick compares for {things}: there was no second one to hold it against."]
