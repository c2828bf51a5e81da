"""The report: what to get and what it costs, a section for each thing, what the web says, what stayed open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from drretail.grounding.report.picks import picks_block
from drretail.grounding.text.wording import format_money, short_title
from drretail.offline.shopper.candidates import Candidate, name_stems
from drretail.offline.shopper.choosing import Choice, Option, Shelf
from drretail.offline.shopper.conversation import CALCULATOR, ORDERS, SEARCH, WEB
from drretail.offline.shopper.web import Quote, quotes, search_for, sentences_of, web_searches
from drretail.records.reading import Pick

FEW_RATINGS = 10
MOST_ROWS = 3
MOST_REFUSED = 2
_LONGEST_LINE = 220
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
_LACKED = {
    SEARCH: "The shop's catalog could not be searched, so nothing of it is recommended.",
    WEB: "The web could not be searched.",
    ORDERS: "Your orders could not be read, so I don't know what you have already.",
}


def write_report(choice: Choice) -> str:
    """The whole report in Markdown, with the block of picks where the prompt speaks of one."""
    report = Report(choice)
    blocks = [report.heading(), *report.answer(), *report.sections(), *report.advice(), *report.open_points()]
    text = "\n\n".join(block for block in blocks if block)
    return f"{text}\n\n{picks_block(picks_of(choice))}" if choice.situation.declares else text


def picks_of(choice: Choice) -> list[Pick]:
    """What goes into the cart, as it is declared."""
    return [Pick(product=option.candidate.product_id, quantity=shelf.need.quantity) for shelf, option in choice.bought]


@dataclass(frozen=True)
class Report:
    choice: Choice
    quoted: list[Quote] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "quoted", quotes(self.choice.study))

    def heading(self) -> str:
        names = [shelf.need.plain for shelf in self.choice.shelves if not shelf.need.unsure]
        return f"# What to get: {_joined(names)}" if names else "# Your question"

    def answer(self) -> Iterator[str]:
        """What to get, what it costs in all, and how that stands to the budget."""
        choice = self.choice
        if any(shelf.need.unsure for shelf in choice.shelves):
            yield (
                "I am not sure what you want to buy: no product goes by a name in your question. I searched the shop "
                "for its words, and this comes closest."
            )
        if not choice.bought:
            yield from self._nothing()
            return
        got = [f"{_many(shelf.need.quantity)}{named(option.candidate, bold=True)}" for shelf, option in choice.bought]
        if choice.one_of and len(choice.chosen) > 1:
            other = named(choice.chosen[1][1].candidate)
            yield f"Of the two I would get {got[0]}. The other possibility is {other}."
        else:
            yield f"Get {_joined(got)}."
        yield " ".join(self._money())
        yield " ".join(self._missed())

    def _nothing(self) -> Iterator[str]:
        named_things = [shelf.need.plain for shelf in self.choice.shelves] or [
            phrase.words for phrase in self.choice.study.not_found
        ]
        if named_things and self.choice.situation.found(SEARCH):
            yield f"I found no {_joined(named_things, last='or')} in this shop that I can recommend."
            yield " ".join(self._missed())
        else:
            yield "I found nothing in this shop that answers your question, so I recommend nothing."
        for order in self.choice.study.orders[:1]:
            status = f"; it is {order.status.casefold()}" if order.status else ""
            title = short_title(order.title, 60)
            yield f"Your latest order is “{title}” of {order.date}{status} [{order.evidence}]."

    def _money(self) -> Iterator[str]:
        choice = self.choice
        total = choice.total_expression()
        unpriced = [option.candidate for _, option in choice.bought if option.candidate.price is None]
        if total is not None:
            value, mark = self._calculated(total)
            if any(sign in total for sign in "+*"):
                yield f"Together that is {self._told(value)}{mark}, made of {total.replace('*', '×')}."
            else:
                yield f"It costs {self._told(value)} {_mark(choice.bought, priced=True)}."
            left = choice.left_expression()
            if choice.study.budget is not None and left is not None:
                over, mark = self._calculated(left)
                yield f"Of your {self._told(choice.study.budget[0])}, {self._told(over)} is left{mark}."
            elif choice.study.budget is not None:
                yield f"Each costs no more than your {self._told(choice.study.budget[0])}."
        if unpriced:
            what = _joined([named(it) for it in unpriced])
            check = (
                " Look at that before you buy, for I could not hold it against your budget."
                if choice.study.budget
                else ""
            )
            yield f"No price is listed for {what}.{check}"

    def _told(self, value: Decimal | float) -> str:
        return format_money(value, self.choice.currency)

    def _missed(self) -> Iterator[str]:
        """What is asked for and not recommended, with the nearest possibility."""
        choice = self.choice
        for shelf, pick in zip(choice.shelves, choice.picks, strict=True):
            if pick is None and not shelf.need.unsure:
                yield self._miss(shelf)
        if choice.bought:
            for phrase in choice.study.not_found:
                nearest = choice.study.nearly(phrase)
                if nearest is None:
                    yield f"I found no {phrase.words} in this shop."
                else:
                    yield f"For {phrase.words} I am not sure; {_offer(nearest)} has all of its words in the title."

    def _miss(self, shelf: Shelf) -> str:
        budget = self.choice.study.budget
        cheapest = sorted(
            (it.candidate for it in shelf.options if it.candidate.price is not None), key=lambda it: it.price or 0
        )
        if cheapest and budget is not None:
            nearest, many = cheapest[0], shelf.need.quantity
            lead = "Beside what I recommend, your" if self.choice.bought else "Your"
            what = f"{many} × {shelf.need.plain}" if many > 1 else f"a {shelf.need.plain}"
            cost = f", which is {self._told(many * (nearest.price or 0))} for {many}" if many > 1 else ""
            most = f"{lead} {self._told(budget[0])} does not hold {what}"
            return f"{most}: the cheapest that would do is {_offer(nearest)}{cost}."
        if shelf.refused:
            first = sorted(shelf.refused, key=lambda it: it.candidate.price or Decimal("Infinity"))[0]
            return (
                f"For {shelf.need.plain} nothing would do. The nearest is {_offer(first.candidate)}, but {first.why}."
            )
        return f"I found no {shelf.need.plain} in this shop."

    def _calculated(self, expression: str) -> tuple[Decimal, str]:
        """The value of an expression of this report, with the mark of the calculation where it was made."""
        for lookup in self.choice.situation.found(CALCULATOR):
            if lookup.args.get("expression") == expression and lookup.value.get("evidence"):
                return Decimal(str(lookup.value.get("value", 0))), f" [{lookup.value['evidence']}]"
        return _sum(expression), ""

    def sections(self) -> Iterator[str]:
        """For each thing why this one, what the runner-up offers instead, and a table."""
        for shelf, option in self.choice.chosen:
            name = "What comes closest" if shelf.need.unsure else _first_upper(shelf.need.plain)
            yield f"## {name}"
            yield " ".join(self.reasons(shelf, option))
            yield " ".join(self.second(shelf, option))
            yield _table([option, *(it for it in shelf.options if it is not option)][:MOST_ROWS])
            yield " ".join(self.own(shelf))

    def reasons(self, shelf: Shelf, option: Option) -> Iterator[str]:
        it = option.candidate
        yield f"{named(it, bold=True)} {_price(it)}. {_rating(it)}"
        missing = [word for word, found in zip(shelf.need.name.split(), _held(shelf, it), strict=False) if not found]
        if missing and not shelf.need.unsure:
            yield f"Its listing does not mention “{' '.join(missing)}”, so look at that first [{it.evidence}]."
        for line in _telling_lines(shelf, it, option.kept):
            yield f"Its listing says: “{line}” [{it.evidence}]."
        if option.kept:
            yield f"As its record has it, it is {_joined(list(option.kept))} [{it.evidence}]."
        if option.unsaid:
            unsaid = _joined(list(option.unsaid), last="or")
            yield f"Nothing that I read says that it is {unsaid}; check that before you buy."

    def second(self, shelf: Shelf, option: Option) -> Iterator[str]:
        other = self.choice.runner_up(shelf, option)
        if other is None:
            refused = [f"{named(it.candidate)}, because {it.why}" for it in shelf.refused[:MOST_REFUSED]]
            yield "I found no other that would do." + (f" Left out: {'; '.join(refused)}." if refused else "")
            return
        yield f"The runner-up is {named(other.candidate)}. {_compared(other.candidate)}"

    def own(self, shelf: Shelf) -> Iterator[str]:
        """What the shopper's own orders say of this thing."""
        for order in self.choice.related_orders(shelf.need)[:1]:
            would_do = {option.candidate.product_id for option in shelf.options}
            told = "" if order.product_id in would_do else ", so that one is left out"
            yield f"You ordered “{short_title(order.title, 60)}” on {order.date} [{order.evidence}]{told}."

    def advice(self) -> Iterator[str]:
        if self.quoted:
            yield "## What the web says"
            for quote in self.quoted[:6]:
                dated = f" ({quote.date})" if quote.date else ""
                yield f"- “{quote.text}”{dated} [{quote.evidence}]"

    def open_points(self) -> Iterator[str]:
        points = [*self._lacked(), *self._unanswered()]
        if points:
            yield "## What I could not find out"
            yield "\n".join(f"- {point}" for point in points)

    def _lacked(self) -> Iterator[str]:
        situation = self.choice.situation
        for tool, sentence in _LACKED.items():
            if situation.never_answered(tool) and self._is_known_to_lack(tool):
                yield sentence

    def _is_known_to_lack(self, tool: str) -> bool:
        """Others' reports do not tell what was looked up in vain, and a web that nobody searched did not fail."""
        situation = self.choice.situation
        if tool == WEB:
            return any(it.name == WEB and "error" in it.value for it in situation.lookups)
        return not situation.relayed and (tool != ORDERS or situation.user_id is not None)

    def _unanswered(self) -> Iterator[str]:
        answered = {quote.search for quote in self.quoted}
        for question in self.choice.study.asked.questions:
            search = search_for(self.choice.study, question)
            was_asked = search in web_searches(self.choice.study)
            if was_asked and search not in answered and self.choice.situation.found(WEB):
                yield f"No page that I read answers this: “{question}”"


def named(candidate: Candidate, *, bold: bool = False) -> str:
    """The product's short title with its citation."""
    title = short_title(candidate.product.title, 70).replace("*", "").replace("[", "(").replace("]", ")")
    return f"**{title}** [{candidate.evidence}]" if bold else f"{title} [{candidate.evidence}]"


def _offer(candidate: Candidate) -> str:
    price = "without a listed price" if candidate.price is None else f"at {_amount(candidate)}"
    return f"{named(candidate)} {price}"


def _amount(candidate: Candidate) -> str:
    start = "from " if candidate.product.price_from else ""
    return f"{start}{format_money(candidate.price or 0, candidate.product.currency)}"


def _price(candidate: Candidate) -> str:
    return "has no listed price" if candidate.price is None else f"costs {_amount(candidate)}"


def _rating(candidate: Candidate) -> str:
    rating, count = candidate.product.average_rating, candidate.product.rating_number
    mark = f"[{candidate.evidence}]"
    if rating is None:
        return f"It has no rating {mark}."
    if count is None:
        return f"It is rated {rating:g}; by how many is not known {mark}."
    few = ", which are few to go by" if count < FEW_RATINGS else ""
    return f"It is rated {rating:g} out of 5 from {count:,} rating{'' if count == 1 else 's'}{few} {mark}."


def _compared(other: Candidate) -> str:
    """What the runner-up offers instead; how much less it costs, the reader sees beside the pick's price."""
    parts = [_price(other)]
    rating, count = other.product.average_rating, other.product.rating_number
    if rating is not None:
        of = "" if count is None else f" from {count:,} rating{'' if count == 1 else 's'}"
        parts.append(f"is rated {rating:g} out of 5{of}")
    return f"It {_joined(parts)} [{other.evidence}]."


def _table(options: Sequence[Option]) -> str:
    if len(options) < 2:
        return ""
    rows = ["| Product | Price | Rating (number) |", "| --- | --- | --- |"]
    for option in options:
        it = option.candidate
        price = "not listed" if it.price is None else _amount(it)
        rating = "none" if it.product.average_rating is None else f"{it.product.average_rating:g}"
        count = "unknown" if it.product.rating_number is None else f"{it.product.rating_number:,}"
        rows.append(f"| {named(it).replace('|', '/')} | {price} | {rating} ({count}) |")
    return "\n".join(rows)


def _held(shelf: Shelf, candidate: Candidate) -> list[bool]:
    return [candidate.share((it,)) == 1 for word in shelf.need.name.split() for it in name_stems(word)[:1]]


def _telling_lines(shelf: Shelf, candidate: Candidate, kept: Sequence[str]) -> list[str]:
    """The lines of the listing that share most with what is wished for, at most two."""
    wanted = {*shelf.need.wishes, *(it for demand in kept for it in name_stems(demand))}
    described = [it for text in candidate.product.description for it in sentences_of(text)]
    lines = [" ".join(it.split()) for it in (*candidate.product.features, *described)]
    scored = [(len(wanted & set(name_stems(line))), -at, line) for at, line in enumerate(dict.fromkeys(lines))]
    best = sorted((it for it in scored if it[0] and len(it[2]) <= _LONGEST_LINE), reverse=True)[:2]
    return [line.rstrip(".").replace("[", "(").replace("]", ")").replace("*", "") for _, _, line in best]


def _mark(bought: Sequence[tuple[Shelf, Option]], *, priced: bool) -> str:
    marks = [f"[{it.candidate.evidence}]" for _, it in bought if (it.candidate.price is not None) == priced]
    return "".join(marks)


def _sum(expression: str) -> Decimal:
    """The value of a sum that this package wrote: prices, products with whole numbers, and one difference."""
    first, minus, rest = expression.partition(" - ")
    if minus:
        return _sum(first) - _sum(rest.strip("()"))
    total = Decimal(0)
    for term in expression.split(" + "):
        many, times, price = term.partition(" * ")
        total += Decimal(many) * Decimal(price) if times else Decimal(many)
    return total


def _many(quantity: int) -> str:
    return "" if quantity == 1 else f"{_NUMBERS.get(quantity, quantity)} of "


def _joined(parts: Sequence[str], last: str = "and") -> str:
    parts = list(parts)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}" if parts else ""


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
