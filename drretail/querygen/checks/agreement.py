"""Whether text and wish agree in form: amounts, numbers, words, quoted names and dates, in both directions.

No English is interpreted. Amounts, numbers and dates are compared as values, everything else as words by their stems.
"""

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

from drretail.grounding.listing import folded
from drretail.grounding.text.amounts import find_amounts, find_dates
from drretail.grounding.text.layout import find_sentences
from drretail.grounding.text.wording import format_amount, format_money
from drretail.grounding.text.words import NUMBERS, STOP_WORDS, content_stems, is_negation, stem
from drretail.querygen.checks import contract
from drretail.querygen.checks.case import Case, Code, finding, names_of
from drretail.records.evidence import Finding
from drretail.records.wish import Demand, Want, Wish

_TYPE_IT = "type it in the wish, or take it out of the text"
_SAY_IT = "say it in the text, or take it out of the wish"
CODES = {
    "amount_not_in_text": Code("a typed amount of money is no amount of the text", _SAY_IT),
    "amount_not_typed": Code("the text names an amount of money that the wish lacks", _TYPE_IT),
    "amount_per_piece": Code("an amount for each piece is typed as the most for all", "type it as `price_max`"),
    "answer_in_text": Code("the text names a product that is to be found", "take it out of the text"),
    "brand_not_typed": Code("the text names a maker of what is wanted that the wish lacks", _TYPE_IT),
    "number_not_in_text": Code("a typed quantity, least rating or number of ratings is not in the text", _SAY_IT),
    "number_not_typed": Code("the text names stars or a number of reviews that the wish lacks", _TYPE_IT),
    "words_not_in_text": Code("a typed name, demand, brand or deadline is not in the words of the text", _SAY_IT),
    "quote_not_in_wish": Code(
        "a quoted name is no owned product and no want", "correct the name, or put what is owned under `owned`"
    ),
    "owned_not_in_text": Code("no word of the text is of an owned product", "name it in the text, or drop its id"),
    "order_number_in_text": Code("nobody knows the numbers of orders", "say what was ordered, and when"),
    "date_of_no_order": Code("a product was not ordered when the text says", "take the date of the order"),
    "date_not_typed": Code("a day to come is not in the typed deadline", "type it as `deadline`, or take it out"),
    "deadline_passed": Code("the deadline lies before the shop's today", "name a later day"),
    "placeholder_in_text": Code("a blank of the text was not filled in", "fill it in"),
    "need_unlike_wish": Code("the kind of need does not go with the wish", "correct `kind`, or the wish"),
    "wish_contradicts_itself": Code("the wish wants and refuses the same", "keep one of the two"),
}

# "4.5-star", "1,000+ reviews", "four stars or better"; but not "1-star reviews", which are a kind of review.
_RATED = re.compile(
    r"(?<![\w.,])(?P<number>\d[\d,]*(?:\.\d+)?|[a-z]+)\s?\+?[\s-](?P<unit>stars?(?![\s-]*review)|reviews?|ratings)\b",
    re.IGNORECASE,
)
# The currencies that are written "$".
_DOLLARS = frozenset({"USD", "CAD", "AUD"})
# Fewer stars are a complaint, not a demand.
_LEAST_STARS = 3
# Words by which a text says how many it wants without a number.
_HOW_MANY = dict.fromkeys(("both", "couple", "double", "pair", "pairs", "twice", "twin", "twins"), 2) | {"dozen": 12}
_SPELT_AMOUNT = re.compile(r"\b(?:dollars?|euros?|pounds?|bucks)\b", re.IGNORECASE)
_PER_PIECE = re.compile(r"\s(?:each|apiece|a piece|per piece)\b")
_QUOTED = re.compile(r"\"([^\"\n]{3,200})\"|“([^”\n]{3,200})”")
_MONTHS = list(calendar.month_name)
MONTH = rf"(?P<month>{'|'.join(_MONTHS[1:])})"
_LAST_YEAR = re.compile(rf"\b{MONTH} last year\b")
# Only after these words is a month without a year a past date; "by May" and "for June" are plans.
_BARE_MONTH = re.compile(rf"\b(?:in|since)\s{MONTH}(?![a-z]|,? (?:\d|last|next|of))")
_DAY = re.compile(rf"\b{MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!,? ?(?:19|20)\d\d)")
# Only after these words is a number such as 2022 a year; in "the HP 2022 laptop" it is not.
_BEFORE_A_YEAR = re.compile(r"\b(?:in|since|from|during|of|until)\s$")
_PLACEHOLDER = re.compile(
    r"\{[^{}\n]{0,40}\}|<[a-z_ ]{1,40}>|\[[A-Za-z_ ]{3,40}\]|\(insert [^()\n]{1,40}\)|_{3,}|\$(?=[A-Za-z]{2})\w+"
    r"|\b(?:TODO|TBD|X{2,})\b"
)
# These needs concern something that the shopper owns.
_OF_OWNED = frozenset({"restock", "replacement", "companion"})
_YEAR = len("2022")


def check(case: Case) -> Iterator[Finding]:
    wish, text = case.query.wish, case.query.text
    for match in _PLACEHOLDER.finditer(text):
        yield finding("placeholder_in_text", match[0], span=match.span())
    if wish is not None:
        for compare in (_amounts, _numbers, _words, _offers, _quotes, _owned, _order_dates, _days_to_come, _inner):
            yield from compare(case, wish)


def _amounts(case: Case, wish: Wish) -> Iterator[Finding]:
    """Compares amounts in digits only.

    A text with a typed limit may name other amounts, such as a price paid before, but no other upper limit. A text by a
    model may name none.
    """
    money = [amount for amount in find_amounts(case.query.text) if amount.kind == "money"]
    if wish.limits and not money and (contract.binds(case.query) or not _SPELT_AMOUNT.search(case.query.text)):
        yield finding("amount_not_in_text", format_amount(wish.limits[0]), "write it in digits")
    named, typed = {amount.high for amount in money}, {limit.value for limit in wish.limits}
    for limit in wish.limits if money else ():
        if limit.value not in named:
            shown = ", ".join(format_money(value, limit.currency) for value in sorted(named))
            yield finding("amount_not_in_text", format_amount(limit), f"the text says {shown}")
    signs = {amount.currency for amount in money if amount.high in typed}
    currencies = {limit.currency for limit in wish.limits}
    if signs and not signs & currencies and not signs | currencies <= _DOLLARS:
        yield finding(
            "amount_not_in_text", ", ".join(sorted(currencies)), f"the text's are in {', '.join(map(str, signs))}"
        )
    for amount in money if wish.wants else ():
        if amount.high not in typed and (not typed or amount.relation == "at_most" or contract.binds(case.query)):
            span = amount.start, amount.end
            limits = ", ".join(map(format_amount, wish.limits)) or "no amount"
            yield finding("amount_not_typed", case.query.text[slice(*span)], f"the wish has {limits}", span=span)
    limits = {want.price_max.value for want in wish.wants if want.price_max is not None}
    is_total = wish.budget is not None and sum(want.quantity for want in wish.wants) > 1
    for amount in money if is_total else ():
        is_the_budget = wish.budget is not None and amount.high == wish.budget.value and amount.high not in limits
        if is_the_budget and _PER_PIECE.match(case.query.text, amount.end):
            span = amount.start, amount.end
            yield finding("amount_per_piece", case.query.text[slice(*span)], "it is typed as the budget", span=span)


def _numbers(case: Case, wish: Wish) -> Iterator[Finding]:
    text = case.query.text
    words = {word: Decimal(number) for word, number in (*NUMBERS.items(), *_HOW_MANY.items())}
    spoken = set(folded(text).split())
    numbers = {end for amount in find_amounts(text) for end in (amount.low, amount.high)}
    numbers |= {words[word] for word in spoken & words.keys()}
    for want in wish.wants:
        typed = [want.rating_min, want.ratings_min]
        typed += [want.quantity] if want.quantity > 1 else []
        for number in typed:
            if number is not None and Decimal(str(number)) not in numbers:
                yield finding("number_not_in_text", f"{number:g}", f"typed for {want.name}")
    stars = {Decimal(str(want.rating_min)) for want in wish.wants if want.rating_min is not None}
    counts = {Decimal(want.ratings_min) for want in wish.wants if want.ratings_min is not None}
    for match in _RATED.finditer(text) if wish.wants else ():
        is_stars = match["unit"].casefold().startswith("star")
        digits = match["number"].replace(",", "")
        number = words.get(digits.casefold()) if digits.isalpha() else Decimal(digits)
        if number is None or (is_stars and number < _LEAST_STARS):
            continue
        if number not in (stars if is_stars else counts):
            yield finding("number_not_typed", match[0], "the wish lacks it", span=match.span())


def _words(case: Case, wish: Wish) -> Iterator[Finding]:
    """All typed words but kinds, which are the shop's, must be in the text or the title of an order of the wish."""
    orders = () if case.shopper is None else case.shopper.kept
    named = [order.product_id for order in orders if order.order_id in wish.orders]
    titles = (f"{listing.product.title} {listing.product.brand or ''}" for listing in case.stock.offers.listings(named))
    words = folded(" ".join((case.query.text, *titles))).split()
    spoken = {*map(stem, words), *(first + second for first, second in pairwise(words))}
    phrases = [wish.deadline or ""]
    for want in wish.wants:
        phrases += (want.name, *map(str, want.demands), *want.brands_wanted, *want.brands_unwanted)
        phrases += (value for values in want.options.values() for value in values)
    for phrase in dict.fromkeys(phrases):
        typed = [word for word in folded(phrase).split() if word not in STOP_WORDS and not is_negation(word)]
        missing = [word for word in typed if stem(word) not in spoken]
        if missing and "".join(typed) not in spoken:
            yield finding("words_not_in_text", phrase, f"the text lacks {', '.join(missing)}")
    for order_id in wish.orders if case.query.task_id is None else ():  # twins differ in a number
        if order_id in case.query.text:
            yield finding("order_number_in_text", order_id, "a number")


def _offers(case: Case, wish: Wish) -> Iterator[Finding]:
    """Products and makers of wanted kinds that the text names, but neither the wish nor an order.

    A maker's name counts only if it is capitalised within a sentence: "Simple" and "Always" are makers, too.
    """
    ordered = () if case.shopper is None else case.shopper.products.values()
    names = [f"{listing.product.title} {' '.join(listing.makers)}" for listing in (*case.owned, *ordered)]
    for want in wish.wants:
        names += _typed(want, want.demands)
    known, text = f" {' '.join(map(folded, names))} ", case.query.text
    for front, listing in case.titles_in(text):
        # Without the maker, the words may describe any such thing: "stainless steel bird".
        if f" {front} " not in known and any(front.startswith(f"{maker} ") for maker in listing.makers):
            yield finding("answer_in_text", front, f"the title of {listing.product.product_id}")
            return
    makers = {name: product for _, candidates in case.offered for name, product in candidates.makers.items()}
    for name, product in makers.items():
        is_there = name[0].isupper() and name in text
        match = re.search(rf"(?<=[a-z,;:] ){re.escape(name)}\b", text) if is_there else None
        if match and f" {folded(name)} " not in known:
            yield finding("brand_not_typed", name, f"the maker of {product.product_id}", span=match.span())


def _typed(want: Want, demands: Iterable[Demand]) -> tuple[str, ...]:
    """What a want names: itself, its kinds, these demands, its options and brands."""
    brands = *want.brands_wanted, *want.brands_unwanted
    return want.name, *want.kinds, *map(str, demands), want.options_in_words, *brands


def _quotes(case: Case, wish: Wish) -> Iterator[Finding]:
    """A quoted name, of words most of which are capitalised, must have all of them in one title or want."""
    names = [listing.product.title for listing in case.owned]
    for want in wish.wants:
        names += _typed(want, want.must)
    known = [set(folded(name).split()) for name in names]
    for match in _QUOTED.finditer(case.query.text):
        quote = match[1] or match[2]
        words = quote.split()
        named = set(folded(quote).split()) - {"inch"}  # titles have 6" for it
        is_name = len(words) > 1 and 2 * sum(not word[0].islower() for word in words) > len(words)
        if is_name and not any(named <= name for name in known):
            yield finding("quote_not_in_wish", quote, "nothing that is typed has this name", span=match.span())


def _owned(case: Case, wish: Wish) -> Iterator[Finding]:
    del wish
    spoken = {*content_stems(case.query.text)}
    for listing in case.owned:
        if not spoken & names_of(listing):
            product = listing.product
            yield finding(
                "owned_not_in_text", product.title[:60], product.product_id, evidence_id=f"P:{product.product_id}"
            )


def _order_dates(case: Case, wish: Wish) -> Iterator[Finding]:
    """Past dates in a sentence that names an owned product must include the date of an order."""
    if case.shopper is None or not case.owned:
        return
    text, today = case.query.text, case.now.date()
    days = [order.order_date[:10] for order in case.shopper.kept if order.product_id in wish.owned]
    if not days:
        return
    names, this_month = set[str]().union(*map(names_of, case.owned)), f"-{today.month:02}-"
    due = {f"-{_MONTHS.index(match[0]):02}-" for match in re.finditer(MONTH, wish.deadline or "")}
    for span in find_sentences(text):
        sentence = text[span.start : span.end]
        if not names & {*content_stems(sentence)}:
            continue
        outside = _QUOTED.sub(lambda match: " " * len(match[0]), sentence)  # a year in a title is no date
        dates = [
            (date.iso, outside[date.start : date.end])
            for date in find_dates(outside)
            if date.iso <= today.isoformat() and (len(date.iso) > _YEAR or _BEFORE_A_YEAR.search(outside[: date.start]))
        ]
        for match in _LAST_YEAR.finditer(outside):
            dates.append((f"{today.year - 1}-{_MONTHS.index(match['month']):02}", match[0]))
        bare = [(f"-{_MONTHS.index(match['month']):02}-", match[0]) for match in _BARE_MONTH.finditer(outside)]
        # "in November" of a day in September may be a plan.
        bare = [
            (month, words) for month, words in bare if month not in due and (month <= this_month or "since" in words)
        ]
        matched = any(day.startswith(iso) for iso, _ in dates for day in days)
        matched = matched or any(month in day for month, _ in bare for day in days)
        if (dates or bare) and not matched:
            named = ", ".join(words for _, words in (*dates, *bare))
            yield finding("date_of_no_order", named, f"ordered {', '.join(dict.fromkeys(days))}")


def _days_to_come(case: Case, wish: Wish) -> Iterator[Finding]:
    """Future dates must be in the wish, and days without a year in the deadline, unless they are days of orders.

    The deadline must not have passed.
    """
    text, deadline, today = case.query.text, wish.deadline or "", case.now.date()
    typed = " ".join((deadline, *(phrase for want in wish.wants for phrase in (want.name, *map(str, want.must)))))
    known = {order.order_date[5:10] for order in case.shopper.orders} if case.shopper else set[str]()
    for named in find_dates(text):
        if named.iso > today.isoformat() and text[named.start : named.end] not in typed:
            span = named.start, named.end
            yield finding("date_not_typed", text[slice(*span)], f"today is {today}", span=span)
    for match in _DAY.finditer(text):
        month_day = f"{_MONTHS.index(match['month']):02}-{int(match['day']):02}"
        if match[0] not in deadline and month_day not in known:
            yield finding("date_not_typed", match[0], f"the deadline is {deadline or 'not typed'}", span=match.span())
    passed = [named.iso for named in find_dates(deadline) if named.is_day and named.iso < today.isoformat()]
    passed += [match[0] for match in _DAY.finditer(deadline) if _is_past(match, today)]
    if passed:
        yield finding("deadline_passed", deadline, f"today is {today}")


def _is_past(match: re.Match[str], today: date) -> bool:
    """True if a day without a year is over, in the year that puts it nearest to today."""
    try:
        day = date(today.year, _MONTHS.index(match["month"]), int(match["day"]))
    except ValueError:
        return False
    half_a_year = timedelta(days=183)
    return today - half_a_year < day < today or day - today > half_a_year


def _inner(case: Case, wish: Wish) -> Iterator[Finding]:
    """Contradictions within the wish, or between the wish and the kind of need, whatever the text says."""
    kind = case.query.kind
    if kind in _OF_OWNED and wish.wants and not wish.owned:
        yield finding("need_unlike_wish", str(kind), "the wish names nothing as owned")
    if kind == "project" and sum(want.quantity for want in wish.wants) == 1 and not wish.room:
        yield finding("need_unlike_wish", kind, "the wish is of a single thing")
    for want in wish.wants:
        demands = [map(str, each) for each in (want.must, want.must_not)]
        for wanted, refused in (demands, (want.brands_wanted, want.brands_unwanted)):
            both = set(map(folded, wanted)) & set(map(folded, refused))
            yield from (finding("wish_contradicts_itself", name, f"of {want.name}") for name in sorted(both))
