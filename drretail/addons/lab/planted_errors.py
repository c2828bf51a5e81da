"""Kinds of errors: a pick that breaks exactly one limit of the query's wish; figures, dates and makers changed by the
records; citations and advice by templates.

After a sentence that cites a picked product, a sentence is added that takes another product instead, so that the cart
stays complete. If the report declares picks, the copy declares the changed ones.

Templates are English. Their sentences are added after a sentence of the report that cites the same source.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import chain, islice
from random import Random

from drretail.addons.lab.derived_experiment import Material, Planted
from drretail.grounding.constraints import Decisions, fitting, is_below, is_over_budget
from drretail.grounding.listing import Listing, is_of_brand, is_of_kind, listing_of
from drretail.grounding.text.layout import Sentence
from drretail.grounding.verify.records import all_words_of, amount_of, fits, on_record, record_of
from drretail.grounding.verify.values import plain
from drretail.records.evidence import Citation
from drretail.records.reading import Pick, ReadValue, ValueKind
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish


def over_budget_silently(material: Material) -> Iterator[Planted]:
    for place in _places(material):
        yield from place.taking(place.would_do(), "the picks then cost more than the budget", over=True)


def owned_recommended(material: Material) -> Iterator[Planted]:
    """Includes products of which the run was shown an order but no record."""
    # By product that the user owns: an order of it that the run was shown.
    marks = {
        str(record["product_id"]): entry.id
        for entry in material.case.evidence.values()
        if entry.kind == "order"
        for text in entry.sources
        if (record := record_of(text.text)) and record.get("product_id") in material.case.all_owned
    }
    known = {} if material.case.lookup is None else material.case.lookup(sorted(marks))
    for place in _places(material, known):
        yield from place.taking(place.but_for(again=True), "the user has it already", marks=marks)


def unwanted_brand(material: Material) -> Iterator[Planted]:
    for place in _places(material):
        brands = place.want.brands_unwanted
        unwanted = [
            listing
            for listing in place.but_for(brands_unwanted=())
            if any(is_of_brand(listing, brand) for brand in brands)
        ]
        yield from place.taking(unwanted, "the query rules out its maker")


def below_rating(material: Material) -> Iterator[Planted]:
    """Takes a product that is known to have fewer stars or ratings than the query asks for."""
    for place in _places(material):
        want, others = place.want, place.but_for(rating_min=None, ratings_min=None)
        low = [
            listing
            for listing in others
            if is_below(listing.product.average_rating, want.rating_min, unknown=False)
            or is_below(listing.product.rating_number, want.ratings_min, unknown=False)
        ]
        yield from place.taking(low, "it has fewer stars or ratings than the query asks for")


def not_wanted(material: Material) -> Iterator[Planted]:
    """Adds a product of a kind that the query does not want, within the budget."""
    wish = material.case.query.wish
    if wish is None or wish.room:
        return
    carts = {
        product_id: cart
        for product_id, product in material.shown.items()
        if product_id not in material.case.all_owned
        and not any(is_of_kind(product, kind) for want in wish.wants for kind in want.kinds)
        and not is_over_budget(wish, cart := material.cart(Pick(product=product_id)), material.known(cart))
    }
    for sentence, _ in material.sentences(citing={f"P:{product}" for product in material.picked}) if carts else ():
        product = material.chance.choice(list(carts))
        words = f"Take the {material.shown[product].title} as well [P:{product}]."
        yield material.added(sentence, words, "nobody asked for it", carts[product])


def want_left_out(material: Material) -> Iterator[Planted]:
    """Removes the only pick of a want. Only if picks are declared, since a layout can't show that."""
    for place in _places(material) if material.case.picks is not None else ():
        cart = material.cart(without=place.pick)
        is_left_out = not (
            place.want.optional
            or any(is_of_kind(product, kind) for product in material.known(cart).values() for kind in place.want.kinds)
        )
        for sentence, cited in place.sentences() if cart and is_left_out else ():
            words = f"Better leave it for another time [{cited[0]}]."
            yield material.added(sentence, words, "the query wants it now", cart)


def wrong_quantity(material: Material) -> Iterator[Planted]:
    """Takes more pieces of a pick, within the budget. Only if picks are declared, since a layout can't show that."""
    for place in _places(material) if material.case.picks is not None else ():
        wanted = place.pick.quantity
        more = [place.pick.model_copy(update={"quantity": wanted + pieces}) for pieces in (1, 2, 3)]
        carts = {pick.quantity: material.cart(pick, without=place.pick) for pick in more}
        within = [count for count, cart in carts.items() if not is_over_budget(place.wish, cart, material.known(cart))]
        for sentence, cited in place.sentences() if within and not place.wish.room else ():
            count = material.chance.choice(within)
            yield material.added(sentence, f"Take {count} of it [{cited[0]}].", f"wanted are {wanted}", carts[count])


@dataclass(frozen=True, slots=True)
class _Place:
    """A pick for a want, and the other known products of the want's kinds."""

    material: Material
    wish: Wish
    want: Want
    pick: Pick
    others: Sequence[Listing]

    def would_do(self, **freed: object) -> Sequence[Listing]:
        """The other products that suit the want, with the limits in ``freed`` changed."""
        case = self.material.case
        return fitting(self.want.model_copy(update=freed), self.others, case.all_owned, Decisions(case.query.gold))

    def but_for(self, **freed: object) -> list[Listing]:
        """The other products that suit the want only with these limits changed."""
        do = {listing.product.product_id for listing in self.would_do()}
        return [listing for listing in self.would_do(**freed) if listing.product.product_id not in do]

    def sentences(self) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
        return self.material.sentences(citing={f"P:{self.pick.product}"})

    def taking(
        self, listings: Sequence[Listing], note: str, *, over: bool = False, marks: Mapping[str, str] | None = None
    ) -> Iterator[Planted]:
        """Copies that take one of these products instead of the pick.

        With ``over`` the new cart must exceed the budget; otherwise it must not. ``marks`` are sources for products of
        which the run was shown no record.
        """
        titles = {listing.product.product_id: listing.product.title for listing in listings}
        carts = {
            product_id: self.material.cart(self.pick.model_copy(update={"product": product_id}), self.pick)
            for product_id in titles
        }
        chosen = [
            product_id
            for product_id, cart in carts.items()
            if is_over_budget(self.wish, cart, self.material.known(cart)) == over
        ]
        for sentence, _ in self.sentences() if chosen else ():
            product = self.material.chance.choice(chosen)
            mark = f"P:{product}" if product in self.material.shown or not marks else marks[product]
            yield self.material.added(sentence, f"Take the {titles[product]} instead [{mark}].", note, carts[product])


def _places(material: Material, known: Mapping[str, Product] | None = None) -> Iterator[_Place]:
    """Each pick of each want; ``known`` are products of which the run was shown no record."""
    wish = material.case.query.wish
    if wish is None:
        return
    picks = {pick.product: pick for pick in material.reading.picks or ()}
    listings = [listing_of(product) for product in {**(known or {}), **material.shown}.values()]
    for want in wish.wants:
        of_kind = {
            listing.product.product_id: listing
            for listing in listings
            if any(is_of_kind(listing.product, kind) for kind in want.kinds)
        }
        others = [listing for product_id, listing in of_kind.items() if product_id not in picks]
        yield from (
            _Place(material, wish, want, picks[product_id], others) for product_id in of_kind if product_id in picks
        )


_NUMERAL = re.compile(r"\d(?:[\d.,]*\d)?")
FACTORS = (Decimal("0.78"), Decimal("0.88"), Decimal("1.13"), Decimal("1.27"))
OF_COUNTS = (Decimal("0.6"), Decimal("1.4"), Decimal("1.9"), Decimal("2.6"))
_OF_RATINGS = tuple(map(Decimal, ("-0.7", "-0.5", "-0.3", "0.3", "0.5", "0.7")))
# Stars are 1 to 5.
_HIGHEST = 5
_TIMES = re.compile(r"\*| x ")
"""Between a number and a price, as derivations and calculator expressions write it."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST_MAKER = 4


def scaled(material: Material, kind: ValueKind, factors: tuple[Decimal, ...]) -> Iterator[Planted]:
    """Multiplies each right value of the kind by one of the factors."""
    for value, old in _right(material, kind):
        yield from _written(material, value, old, old * material.chance.choice(factors), f"right is {old}")


def wrong_total(material: Material, *, of_product: bool) -> Iterator[Planted]:
    """Scales each right total; with ``of_product`` those that are a number times a price, otherwise the others."""
    for value, old in _right(material, "total"):
        if bool(_TIMES.search(value.derivation or "")) is of_product:
            yield from _written(material, value, old, old * material.chance.choice(FACTORS), f"right is {old}")


def price_of_another_product(material: Material) -> Iterator[Planted]:
    for value, old in _right(material, "price"):
        own = value.of[0].removeprefix("P:")
        others = [
            (product_id, Decimal(str(other.price)))
            for product_id, other in material.shown.items()
            if product_id != own and other.price is not None and not other.price_from
        ]
        material.chance.shuffle(others)
        planted = (_written(material, value, old, price, f"the price of P:{product}") for product, price in others)
        yield from islice(chain.from_iterable(planted), 1)


def wrong_rating(material: Material) -> Iterator[Planted]:
    for value, old in _right(material, "rating"):
        new = [old + step for step in _OF_RATINGS if 1 <= old + step <= _HIGHEST]
        choice = material.chance.choice(new)
        yield from _written(material, value, old, choice, f"the rating is {old}", least_places=1)


def wrong_order_date(material: Material) -> Iterator[Planted]:
    known = set(material.ledger.order_dates.values())
    for value in material.reading.values:
        if value.kind != "date" or not _is_right(material, value) or not isinstance(value.amount, str):
            continue
        text = material.case.report[value.start : value.end]
        year = _YEAR.search(text)
        if year is None or year[0] != value.amount[:4] or len(value.amount) < len("2020-04"):
            continue
        other = str(int(year[0]) - material.chance.choice((1, 2)))
        if any(date.isoformat(day).startswith(f"{other}{value.amount[4:]}") for day in known):
            continue
        words = f"{text[: year.start()]}{other}{text[year.end() :]}"
        yield material.replaced(value.start, value.end, words, f"the order is of {value.amount}")


def wrong_brand(material: Material) -> Iterator[Planted]:
    """Replaces a maker's name, spelt as in its record, in a sentence that cites only that maker's product."""
    makers = {product_id: product.brand or "" for product_id, product in material.shown.items()}
    for index, cited in material.case.layout.cited.items():
        own = makers.get(cited[0].removeprefix("P:"), "") if len(cited) == 1 else ""
        others = sorted(
            {
                maker
                for maker in makers.values()
                if maker and maker.casefold() not in own.casefold() and own not in maker
            }
        )
        if len(own) < _SHORTEST_MAKER or not others or index in material.wrong:
            continue
        sentence = material.case.layout.sentences[index]
        place = re.compile(rf"(?<!\w){re.escape(own)}(?!\w)").search(
            material.case.layout.text, sentence.start, sentence.end
        )
        if place is not None:
            other = material.chance.choice(others)
            yield material.replaced(place.start(), place.end(), other, f"{cited[0]} is made by {own}")


def guesses(material: Material) -> Iterator[Planted]:
    """Replaces each right figure by a wrong one."""
    kinds: tuple[ValueKind, ...] = ("price", "total", "left_over", "per_unit")
    for kind in kinds:
        yield from scaled(material, kind, FACTORS)
    yield from scaled(material, "rating_count", OF_COUNTS)
    yield from wrong_rating(material)


def _right(material: Material, kind: ValueKind) -> Iterator[tuple[ReadValue, Decimal]]:
    """The verified values of a kind that state one number; prices, ratings and dates only with a single source."""
    for value in material.reading.values:
        amount = amount_of(value) if value.kind == kind and _is_right(material, value) else None
        if amount is not None and amount.low == amount.high:
            yield value, amount.low


def _is_right(material: Material, value: ReadValue) -> bool:
    is_single = len(value.of) == 1 or value.kind not in ("price", "rating", "rating_count", "date")
    is_plain = value.relation in ("is", "about") and value.state == "verified"
    return is_single and is_plain and material.index_at(value.start) is not None


def _written(
    material: Material, value: ReadValue, old: Decimal, new: Decimal, note: str, *, least_places: int = 0
) -> Iterator[Planted]:
    """The report with the new number in the old one's format; nothing if the new number is also right."""
    text = material.case.report[value.start : value.end]
    for numeral in _NUMERAL.finditer(text):
        for factor in (1, 100):  # "19 cents" is 0.19
            style = _style(numeral[0], old * factor)
            if style is None:
                continue
            places = max(style[0], least_places)
            rounded = round(new * factor, places)
            number = f"{rounded:,.{places}f}" if style[1] else f"{rounded:.{places}f}"
            number = number.translate(str.maketrans(",.", ".,")) if style[2] else number
            words = f"{text[: numeral.start()]}{number}{text[numeral.end() :]}"
            if rounded != round(old * factor, places) and not _still_fits(material, value, rounded / factor):
                yield material.replaced(value.start, value.end, words, note)
            return


def _style(numeral: str, number: Decimal) -> tuple[int, bool, bool] | None:
    """A numeral's decimal places, whether it groups thousands, and whether its decimal sign is the comma.

    None if it is not this number. Both conventions are tried, and the number shows which one applies.
    """
    for swapped in (False, True):
        plain = numeral.translate(str.maketrans(",.", ".,")) if swapped else numeral
        bare = plain.replace(",", "")
        if bare.count(".") <= 1 and bare[-1:] != "." and Decimal(bare) == number:
            return len(bare.partition(".")[2]), "," in plain, swapped
    return None


def _still_fits(material: Material, value: ReadValue, new: Decimal) -> bool:
    """True if the record supports the new number too."""
    amount = amount_of(value.model_copy(update={"amount": (f"{new:f}", f"{new:f}")}))
    products = [material.ledger.products.get(source.removeprefix("P:")) for source in value.of]
    records = [on_record(value.kind, product) for product in products if product is not None]
    return amount is None or any(fits(amount, record) for record in records)


FEATURES = (
    ("certified", "It is certified by the USDA {mark}."),
    ("warranty", "It comes with a five-year warranty {mark}."),
    ("dermatologists", "It was tested by dermatologists {mark}."),
    ("waterproof", "It is waterproof to a depth of thirty metres {mark}."),
    ("dishwasher", "All of it may go into the dishwasher {mark}."),
)
"""A word, and the sentence to plant if neither the product's record nor the report has that word."""
CITIES = ("Duluth, Minnesota", "Tampa, Florida", "Spokane, Washington", "Amarillo, Texas", "Toledo, Ohio")
_ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
_OLD_DAYS = 730
"""The least age of a page that is presented as news, in days."""
# The capital of an ordinary word, which is lowered inside a sentence; "USB" and "A" keep theirs.
_LOWER = re.compile(r"[A-Z](?=[a-z]+\b)")


def citation_moved(material: Material) -> Iterator[Planted]:
    """Moves a sentence's only product citation to a product for which a value in the sentence is wrong."""
    for value in material.reading.values:
        index = material.index_at(value.start)
        own = value.of[0] if len(value.of) == 1 else ""
        if index is None or value.state != "verified" or material.case.layout.cited.get(index) != (own,):
            continue
        amount, sentence = amount_of(value), material.case.layout.sentences[index]
        strangers = [
            product_id
            for product_id, product in material.shown.items()
            if amount and not fits(amount, on_record(value.kind, product))
        ]
        marks = [mark for mark in _marks(material, sentence) if own[2:] in mark.marker]
        if own[:2] == "P:" and strangers and len(marks) == 1:
            other = material.chance.choice(strangers)
            words = marks[0].marker.replace(own[2:], other)
            yield material.replaced(marks[0].start, marks[0].end, words, f"{own} is what it is said of")


def unseen_id(material: Material) -> Iterator[Planted]:
    """Replaces the id of a cited source by one that the run was never shown."""
    for sentence, _ in material.sentences():
        for mark in _marks(material, sentence):
            kind, _, name = (mark.evidence_id or "").partition(":")
            if kind in ("P", "W") and mark.marker.count(f"{kind}:{name}") == 1:
                words = mark.marker.replace(f"{kind}:{name}", f"{kind}:{_made_up(name, material.chance)}")
                yield material.replaced(mark.start, mark.end, words, "the run was never shown it")


def invented_feature(material: Material) -> Iterator[Planted]:
    for sentence, cited in material.sentences(citing=_products(material)):
        record = plain(all_words_of(material.shown[cited[0][2:]]))
        features = [text for word, text in FEATURES if word not in record and word not in plain(material.case.report)]
        if features:
            words = material.chance.choice(features).format(mark=f"[{cited[0]}]")
            yield material.added(sentence, words, f"the record of {cited[0]} says nothing of it")


def not_in_the_catalog(material: Material) -> Iterator[Planted]:
    for sentence, cited in material.sentences(citing=_products(material)):
        made_up = _made_up(cited[0][2:], material.chance)
        words = f"Take the Vellamore set as well [P:{made_up}]."
        yield material.added(sentence, words, "the shop has no such product", material.cart(Pick(product=made_up)))


def wrong_place(material: Material) -> Iterator[Planted]:
    """Replaces the user's city by another one; if the report doesn't state the city, adds a wrong one."""
    city = str(material.profile.get("city") or "")
    others = [other for other in CITIES if not city or city not in other]
    if not city:
        return
    mentions = [
        match
        for match in re.finditer(rf"(?<!\w){re.escape(city)}(?!\w)", material.case.layout.text)
        if material.index_at(match.start()) is not None
    ]
    for place in mentions:
        other = material.chance.choice(others).partition(",")[0]
        yield material.replaced(place.start(), place.end(), other, f"the address is in {city}")
    behind = [*material.sentences(citing=("U:profile",))] or [*material.sentences()]
    for sentence, _ in behind if not mentions else ():
        words = f"You live in {material.chance.choice(others)} [U:profile]."
        yield material.added(sentence, words, f"the address is in {city}")


def contradicted_advice(material: Material) -> Iterator[Planted]:
    """Denies a sentence that cites only pages, and keeps its citations."""
    pages = {source for source, entry in material.case.evidence.items() if entry.kind == "web"}
    for sentence, _ in material.sentences(citing=pages):
        text = material.case.report[sentence.start : sentence.end]
        begins = text[:1].lower() + text[1:] if _LOWER.match(text) else text
        words = f"It is not true that {begins}"
        yield material.replaced(sentence.start, sentence.end, words, "the page says what is denied")


def old_page_as_news(material: Material) -> Iterator[Planted]:
    now = material.case.now
    if now is None:
        return
    old = {
        source
        for source, entry in material.case.evidence.items()
        if entry.kind == "web" and entry.date and (now - date.fromisoformat(entry.date[:10])).days >= _OLD_DAYS
    }
    for sentence, cited in material.sentences(citing=old):
        words = f"That page is of {now:%B %Y} [{cited[0]}]."
        yield material.added(sentence, words, f"the page is of {material.case.evidence[cited[0]].date}")


def _products(material: Material) -> frozenset[str]:
    return frozenset(f"P:{product_id}" for product_id in material.shown)


def _marks(material: Material, sentence: Sentence) -> list[Citation]:
    return [mark for mark in material.case.citations if sentence.start <= mark.start and mark.end <= sentence.end]


def _made_up(name: str, chance: Random) -> str:
    """A random id of the same length and case, with the same first two characters."""
    letters = _ID_LETTERS.upper() if name.isupper() else _ID_LETTERS
    return name[:2] + "".join(chance.choice(letters) for _ in name[2:])
