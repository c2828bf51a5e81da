"""What could not be found out, said plainly."""

from collections.abc import Iterable

from drretail.llm.offline.shopper.aspects import read_aspects
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.missing import NO_WEB
from drretail.llm.offline.shopper.need import Need, names_thing
from drretail.llm.offline.shopper.questions import Question
from drretail.llm.offline.shopper.report.advice import needs_without_advice
from drretail.llm.offline.shopper.report.answer import nothing_at_all, why_nothing
from drretail.llm.offline.shopper.report.naming import Names, cite
from drretail.llm.offline.shopper.report.replies import answers_to
from drretail.llm.offline.shopper.situation import ORDERS, PROFILE, STATISTICS, WEB
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import content_stems, first_upper, joined, plural, stems_of

_SUBJECTS = {PROFILE: "your profile", ORDERS: "your orders", STATISTICS: "your shopping figures", WEB: "the web"}
NOTHING_OF_SHOPPER = "What you own and like: the research tells nothing of it."
_NOTHING, _NOR_ANY = "Nothing that I read on the web says", "Nor does anything that I read there say"


def gaps_section(study: Study, names: Names) -> list[str]:
    """A heading and a list; nothing when everything was found."""
    gaps = [
        *_questions(study),
        *_aspects(study),
        *_unopened(study),
        *_silent_records(study, names),
        *_prices(study, names),
        *_delivery(study),
        *_web(study),
        *_customer(study),
        *_short_supply(study),
    ]
    return ["## What I could not find out", "\n".join(f"- {gap}" for gap in gaps)] if gaps else []


def open_points(study: Study, names: Names) -> list[str]:
    """What a researcher of one part leaves open: needs without a pick, questions, missing prices."""
    open_needs = [index for index, pick in enumerate(study.basket.picks) if pick is None]
    missing = [why_nothing(study, index, names) for index in open_needs]
    points = [*missing, nothing_at_all(study), *_questions(study), *_prices(study, names)]
    return [point for point in points if point]


def _questions(study: Study) -> list[str]:
    """One sentence for each question that nothing answers."""
    answered = answers_to(study)
    gaps = [_unanswered(study, question) for question in study.questions if question.label not in answered]
    first = next((place for place, gap in enumerate(gaps) if gap.startswith(_NOTHING)), None)
    return [gap if place == first else gap.replace(_NOTHING, _NOR_ANY) for place, gap in enumerate(gaps)]


def _aspects(study: Study) -> list[str]:
    """By what the shopper wants things compared and no record that was opened speaks of."""
    shown = [option.product for shelf in study.shelves for option in shelf.options if option.product.opened]
    silent = [f"“{aspect}”" for aspect in read_aspects(study.situation.query) if not _spoken_of(aspect, shown)]
    if not silent or not any(study.basket.picks):
        return []
    if not shown:
        return [f"How they compare on {joined(silent)}: I have opened no product's record."]
    where = "nothing that was noted of them" if study.situation.relayed else "no record that I opened"
    return [f"How they compare on {joined(silent)}: {where} says anything of that in these words."]


def _spoken_of(aspect: str, products: Iterable[Candidate]) -> bool:
    words = set(content_stems(aspect))
    return any(words <= set(product.stems) for product in products)


def _unanswered(study: Study, question: Question) -> str:
    situation = study.situation
    if question.needs_place and study.customer.state is None:
        return f"{first_upper(question.told)} depends on where you live, which I do not know."
    if situation.could_not(WEB):
        return f"I {NO_WEB} for {question.told}."
    if not situation.relayed and not _searched(study, question.words(study.customer)):
        return f"I have not searched the web for {question.told}."
    if question.direct:
        return f"Nothing that I read on the web answers {question.told}"
    return f"{_NOTHING} {question.told}."


def _prices(study: Study, names: Names) -> list[str]:
    picks = [pick.product for pick in study.basket.picks if pick]
    unpriced = [f"the {names.of(product)} {cite(product.evidence)}" for product in picks if product.price is None]
    ranged = [f"the {names.of(product)} {cite(product.evidence)}" for product in picks if product.price_from]
    gaps = [f"Prices: the shop lists none for {joined(unpriced)}."] if unpriced else []
    if ranged:
        gaps.append(f"The exact price of {joined(ranged)}: the listing only says from what price it starts.")
    return gaps


def _unopened(study: Study) -> list[str]:
    """That nothing but titles, prices and ratings was read, with what only a record could have told."""
    picks = [pick for pick in study.basket.picks if pick]
    if not picks or any(pick.product.opened for pick in picks):
        return []
    bans = joined([f"“{ban}”" for ban in study.constraints.must_not], last="or")
    only = f", nor whether {'it contains' if len(picks) == 1 else 'they contain'} {bans}" if bans else ""
    what = "the listing says" if len(picks) == 1 else "the listings say"
    return [f"What {what} beyond title, price and rating{only}: I have opened no product's record."]


def _silent_records(study: Study, names: Names) -> list[str]:
    silent = [
        f"the {names.of(pick.product)} {cite(pick.product.evidence)}"
        for pick in study.basket.picks
        if pick
        and pick.product.opened
        and not study.situation.relayed
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
    if situation.could_not(WEB):
        return [f"What guides and tests say: I {NO_WEB}."]
    if not situation.made(WEB):
        way = "the research brought no page" if situation.relayed else "I have not searched the web"
        return [f"What guides and tests say: {way}."]
    if not situation.found(WEB):
        return ["What guides and tests say: the web search failed."]
    if not any(lookup.value.get("results") for lookup in situation.found(WEB)):
        return ["What guides and tests say: the web search brought no page."]
    silent = [need for need in needs_without_advice(study) if not need.guessed]
    absent = [need for need in silent if not _has_page(study, need)]
    unsought = [plural(need.name) for need in absent if not situation.relayed and not _sought(study, need)]
    unseen = [plural(need.name) for need in absent if plural(need.name) not in unsought]
    unquoted = [plural(need.name) for need in silent if _has_page(study, need)]
    gaps = [f"What guides say about {joined(unsought)}: I have not searched the web for that."] if unsought else []
    gaps += [f"What guides say about {joined(unseen)}: the web search brought nothing on them."] if unseen else []
    if unquoted:
        gaps.append(f"What guides say about {joined(unquoted)}: pages name them, but say nothing I could repeat.")
    return gaps


def _searched(study: Study, words: Iterable[str]) -> bool:
    """True where a search held at least half of these words."""
    wanted = {stem for word in words for stem in stems_of(word)}
    searches = [set(stems_of(str(lookup.args.get("query", "")))) for lookup in study.situation.made(WEB)]
    return any(2 * len(wanted & search) >= len(wanted) for search in searches)


def _sought(study: Study, need: Need) -> bool:
    """True where a search held the whole of one of the thing's names."""
    searches = [set(stems_of(str(lookup.args.get("query", "")))) for lookup in study.situation.made(WEB)]
    return any(set(name) <= search for name in need.names for search in searches)


def _has_page(study: Study, need: Need) -> bool:
    """True when a page that the searches brought names the thing, quoted or not."""
    results = [result for lookup in study.situation.found(WEB) for result in lookup.value.get("results", [])]
    shown = [f"{r.get('title', '')} | {r.get('summary') or r.get('snippet') or ''}" for r in results]
    return any(names_thing(need, text) for text in shown)


def _customer(study: Study) -> list[str]:
    situation = study.situation
    known = situation.user_id is not None or situation.relayed
    if known and study.needs and all(situation.could_not(tool) for tool in (PROFILE, STATISTICS, ORDERS)):
        return ["What you own and like: I could not look at your record."]
    if situation.user_id is None and situation.relayed:
        return [NOTHING_OF_SHOPPER] if study.needs else []
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
