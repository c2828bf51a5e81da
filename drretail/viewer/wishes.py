"""A wish in words: a line for each want, and those for all of them."""

from calendar import month_name
from collections.abc import Iterator
from urllib.parse import urlsplit

from drretail.records.wish import Demand, Limit, Source, Want, Wish
from drretail.reports.text.wording import format_amount


def wish_lines(wish: Wish) -> list[str]:
    """What is wanted, one want per line, and then what limits all of them."""
    lines = [_want_line(want) for want in wish.wants] or ["nothing is to be bought"]
    if wish.budget is not None:
        lines.append(f"budget: {format_amount(wish.budget)} in total")
    if wish.room:
        lines.append("more may be added within the budget" if wish.budget else "more may be added")
    if wish.deadline:
        lines.append(f"deadline: {wish.deadline}")
    if wish.owned:
        lines.append(f"owned: {', '.join(wish.owned)}")
    if wish.declined:
        lines.append("to be declined, as a page says")
    rests = [f"{_limit(limit)}: {', '.join(map(_place, limit.sources))}" for limit in wish.every_limit if limit.sources]
    return [*lines, " · ".join(rests)] if rests else lines


def _limit(limit: Limit) -> str:
    """What it admits, "Small" or "at least 30 inch"; of a bound its name, too."""
    if limit.demand is not None:
        return _values(limit.demand) or limit.name
    return " ".join((limit.name.replace("_", " "), " or ".join(limit.values))).strip()


def _place(source: Source) -> str:
    """ "your order of December 2019", "looseleash-academy.example, «…»"."""
    if source.kind == "profile":
        year, _, month = source.date.partition("-")
        of = f" of {month_name[int(month)]} {year}" if month else f" {', '.join(source.evidence)}"
        return (
            f"{'' if source.rule == 'same' else f'{source.rule} in '}your order{'s' * (len(source.evidence) > 1)}{of}"
        )
    return f"{urlsplit(source.url).netloc}{', ' * bool(source.url)}«{source.quote}»"


def _want_line(want: Want) -> str:
    """ "2 × swaddle blanket: must meet "cotton"; at least 4 stars; at most $20 a piece"."""
    count = f"{want.quantity} × " if want.quantity > 1 else ""
    limits = "; ".join(_limits(want))
    return f"{count}{want.name}{f': {limits}' if limits else ''}"


def _limits(want: Want) -> Iterator[str]:
    kinds = [kind for kind in want.kinds if kind.casefold() != want.name.casefold()]
    if kinds:
        yield f"of the kind {' or '.join(kinds)}"
    if want.optional:
        yield "only if it is worth buying"
    if want.several:
        yield "one or several different ones"
    if want.not_owned:
        yield "none that the shopper has"
    if want.must:
        yield f"must meet {', '.join(map(_demand, want.must))}"
    if want.must_not:
        yield f"must not be or have {', '.join(map(_demand, want.must_not))}"
    if want.options:
        yield f"in {want.options_in_words}"
    if want.rating_min is not None:
        yield f"at least {want.rating_min:g} stars"
    if want.ratings_min is not None:
        yield f"at least {want.ratings_min:,} ratings"
    if want.price_min is not None:
        yield f"at least {format_amount(want.price_min)} a piece"
    if want.price_max is not None:
        yield f"at most {format_amount(want.price_max)} a piece"
    if want.brands_wanted:
        yield f"by {' or '.join(want.brands_wanted)}"
    if want.brands_unwanted:
        yield f"not by {' or '.join(want.brands_unwanted)}"


def _values(demand: Demand) -> str:
    ends = [(name, end) for name, end in (("at least", demand.least), ("at most", demand.most)) if end is not None]
    values = [" ".join(filter(None, (name, f"{end:g}", demand.unit))) for name, end in ends] or [*demand.any_of]
    return (" and " if ends else " or ").join(values)


def _demand(demand: Demand) -> str:
    """Its words, and what decides it: "at least 35 feet" (Length: at least 35 ft)."""
    decided = [": ".join(filter(None, (demand.field, _values(demand))))]
    decided += [f"not {' or '.join(demand.none_of)}"] if demand.none_of else []
    how = ", ".join(filter(None, decided))
    return f'"{demand}" ({how})' if how else f'"{demand}"'
