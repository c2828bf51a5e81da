"""How the shopper understands a question before it has looked anything up: the wish that it reads there."""

from collections.abc import Iterator, Sequence

from drretail.offline.shopper.candidates import KNOWN_BY_NAME, bare_name, name_stems, title_words
from drretail.offline.shopper.conversation import Situation
from drretail.offline.shopper.needs import Study, core_words
from drretail.offline.shopper.reading.asked import Phrase
from drretail.offline.shopper.reading.question import Question, said_of
from drretail.records.query import Demand
from drretail.records.wish import Want, Wish

_MOST_STARS = 5
_WHOLE_NAME = 2
"""Words of a name that is not shortened: "bird feeder suits me" may speak of a bird feeder."""


def understood(text: str, owned: str = "") -> Wish:
    """What a question wants bought, as far as its words say so; what the shop has of it is not known yet.

    ``owned`` lists what the shopper has, one product per line: its id, the day of the order, the title.

    Where nothing is plainly asked for, one thing is wanted that goes by any of the names that may be meant, and there
    is room for others.
    """
    study = Study(Situation(text))
    question, phrases = study.question, _named(study.tiers[0], study.question.must)
    is_plain = bool(phrases)
    if not is_plain:
        phrases = _likely(study, _named([*study.tiers[1], *study.tiers[2]], question.must))
    of_one = not is_plain or question.weighs(phrases)
    groups = [phrases] if of_one and phrases else [[phrase] for phrase in phrases]
    names = [_name(phrase) for phrase in phrases]
    wants = [_want(question, group, names, is_plain=is_plain) for group in groups]
    if len(wants) == 1 and wants[0].quantity == 1 and question.asked.count:
        wants = [wants[0].model_copy(update={"quantity": question.asked.count})]
    budget, scope = question.budget or (None, "total")
    return Wish(
        wants=tuple(wants),
        budget=budget if scope == "total" else None,
        room=not is_plain and bool(wants),
        deadline=question.deadline,
        owned=tuple(_spoken_of(question, owned)),
    )


def _spoken_of(question: Question, owned: str) -> Iterator[str]:
    """The ids of the owned products that go by a name of what the question says is owned."""
    names = [name_stems(_name(phrase)) for phrase in question.asked.of("owned")]
    for line in owned.splitlines():
        product_id, _, title = line.partition("  ")
        words = title_words(title.partition("  ")[2])
        if any(words.all.issuperset(name) and words.position(name) >= KNOWN_BY_NAME for name in names if name):
            yield product_id


def _named(phrases: Sequence[Phrase], demands: Sequence[Demand]) -> list[Phrase]:
    """The phrases without those that only say what a thing must be: "I'm looking for vegan"."""
    demanded = {demand.property.casefold() for demand in demands}
    return [phrase for phrase in phrases if phrase.words.casefold() not in demanded]


def _likely(study: Study, phrases: Sequence[Phrase]) -> list[Phrase]:
    """Of phrases that may or may not be things to buy those of several words, or that are spoken of again."""
    return [phrase for phrase in phrases if " " in _name(phrase) or study.is_said_again(phrase)] or list(phrases)


def _want(question: Question, phrases: Sequence[Phrase], names: Sequence[str], *, is_plain: bool) -> Want:
    """The want for a thing that goes by any of the phrases; what is not plain may have a word too many at its end."""
    called = [_name(phrase) for phrase in phrases]
    shorter = [bare_name(name) for name in called]
    if not is_plain:
        shorter += [" ".join(words[:-1]) for name in called if len(words := name.split()) > _WHOLE_NAME]
    budget, scope = question.budget or (None, "total")
    stars = question.asked.least_stars
    return Want(
        name=" or ".join(called),
        kinds=(*called, *shorter),
        quantity=phrases[0].quantity,
        again=any(question.wants_again(phrase) for phrase in phrases),
        must=tuple(_of_any(question.must, called, names)),
        must_not=(*_of_any(question.must_not, called, names), *_ruled_out(question, called)),
        rating_min=None if stars is None or stars > _MOST_STARS else stars,
        ratings_min=question.asked.least_ratings,
        price_max=budget if scope == "per_item" else None,
        brands_wanted=question.brands_wanted,
        brands_unwanted=question.brands_unwanted,
    )


def _of_any(demands: Sequence[Demand], called: Sequence[str], names: Sequence[str]) -> list[str]:
    return [demand for name in called for demand in said_of(demands, name, names)]


def _ruled_out(question: Question, called: Sequence[str]) -> list[str]:
    """What is ruled out in so many words, and is neither a brand nor the thing itself."""
    brands = {brand.casefold() for brand in question.brands_unwanted}
    things = {stem for name in called for stem in name_stems(name)}
    out = [_name(phrase) for phrase in question.asked.of("ruled_out")]
    return [words for words in out if words.casefold() not in brands and not things.issuperset(name_stems(words))]


def _name(phrase: Phrase) -> str:
    """What a thing is called, without wishes before its name."""
    return " ".join(core_words(phrase.words))
