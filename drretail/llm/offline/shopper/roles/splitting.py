"""The sub-problems of a question: texts that say all that a researcher needs, who sees nothing else."""

from collections.abc import Sequence

from drretail.llm.offline.shopper.need import Need
from drretail.llm.offline.shopper.questions import OUTDOOR_THEMES
from drretail.llm.offline.shopper.report.naming import amount_text
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import joined, number_text, plural, with_article

MOST_RESEARCHERS = 5
_COMPARE = "Bring several with their figures, dear ones and cheap ones."


def split(study: Study) -> list[str]:
    """One text about the shopper, one for each need or group of needs, one for what only the web knows."""
    person = [about_shopper(study)] if study.situation.user_id else []
    web = [on_the_web(study)] if study.questions or _grows_outdoors(study) else []
    groups = _groups(study.needs, MOST_RESEARCHERS - len(person) - len(web))
    parts = [*person, *(to_find(study, group) for group in groups), *web]
    # Somebody has to look before anybody can say that there is nothing to be found.
    return parts or [f"The shopper writes: “{study.situation.query}”"]


def about_shopper(study: Study) -> str:
    """What the shopper's own record has to say."""
    things = [need.name for need in study.needs] + list(study.wanted.owned)
    own = f" and what they have already of: {', '.join(dict.fromkeys(things))}" if things else " and what they have"
    return (
        "Read the shopper's profile, statistics and orders: where they live, what they usually spend, which brands"
        f" they come back to,{own}."
    )


def to_find(study: Study, needs: Sequence[Need], most: str | None = None) -> str:
    """Things to find in the shop, with every limit that bears on them; ``most`` replaces the limit of money."""
    sentences = [f"Find {joined([_described(need) for need in needs])}{_money(study) if most is None else most}."]
    sentences += [_shared(study)] if most is None else []
    sentences += [*_demands(study, needs), *_brands(study), *_past(needs)]
    # A thing that is only guessed at may be nothing that a shop sells: then there is nothing to compare.
    sentences += [] if any(need.guessed for need in needs) else [_COMPARE]
    return " ".join(sentence for sentence in sentences if sentence)


def on_the_web(study: Study) -> str:
    """The shopper's own questions, and what depends on where they live."""
    asked = [f"{question.text.rstrip('?')}?" for question in study.questions if question.direct]
    wondered = [f"Find out {question.text}." for question in study.questions if not question.direct]
    known = [need for need in study.needs if not need.guessed]
    of_place = _grows_outdoors(study) or any(question.needs_place for question in study.questions)
    place = "Where the shopper lives stands in their profile." if of_place and study.situation.user_id else ""
    about = f"The shopper is thinking of {joined([plural(need.name) for need in known])}." if known else ""
    return " ".join(part for part in ["Only the web can tell this.", *asked, *wondered, place, about] if part)


def _grows_outdoors(study: Study) -> bool:
    """True for what thrives in one place and not in another, and a shopper whose place is on record."""
    outdoors = any(need.theme in OUTDOOR_THEMES for need in study.needs if not need.guessed)
    return outdoors and study.situation.user_id is not None


def _groups(needs: Sequence[Need], most: int) -> list[Sequence[Need]]:
    """The needs in order, in at most ``most`` groups of nearly the same size, the larger ones first."""
    count = max(1, min(len(needs), most))
    size, longer = divmod(len(needs), count)
    groups: list[Sequence[Need]] = []
    start = 0
    for place in range(count):
        end = start + size + (place < longer)
        groups.append(needs[start:end])
        start = end
    return [group for group in groups if group]


def _described(need: Need) -> str:
    """ "a cedar bird feeder", "three birdhouses"."""
    words = " ".join([*need.wishes, need.name])
    return with_article(words) if need.quantity == 1 else f"{number_text(need.quantity)} {plural(words)}"


def _money(study: Study) -> str:
    limits = study.limits
    if limits.total is not None:
        return f" for at most {amount_text(limits.total)} in total"
    return f" for at most {amount_text(limits.each)} each" if limits.each is not None else ""


def _shared(study: Study) -> str:
    """Says that the money is not all for this, so that cheap things are looked for too."""
    if study.limits.total is None or len(study.needs) < 2:
        return ""
    return f"That sum is for {number_text(len(study.needs))} things together."


def _demands(study: Study, needs: Sequence[Need]) -> list[str]:
    stated = study.demands.stated
    elsewhere = {demand for demand, name in study.demands.scopes if name not in {need.name for need in needs}}
    must = [f"It must be {demand}." for demand in stated.must if demand not in elsewhere]
    wishes = [demand for demand in study.demands.wished if demand not in elsewhere]
    wished = [f"Good if {joined(wishes)}."] if wishes else []
    without = [f"It must come without {ban}." for ban in stated.must_not]
    floors = [f"Rated {study.demands.floors.text}."] if study.demands.floors else []
    return [*must, *wished, *without, *floors]


def _brands(study: Study) -> list[str]:
    stated = study.demands.stated
    wanted = [f"Preferably from {joined(list(stated.brands_wanted), last='or')}."] if stated.brands_wanted else []
    unwanted = [f"Nothing from {brand}." for brand in stated.brands_unwanted]
    return [*wanted, *unwanted]


def _past(needs: Sequence[Need]) -> list[str]:
    if any(need.again for need in needs):
        return ["The shopper wants to order again what they had before: look it up in their orders."]
    return ["The shopper does not want the same again."] if any(need.other for need in needs) else []
