"""Wishes in words."""

from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish
from drretail.viewer.wishes import wish_lines

BLANKET = Want(name="swaddle blanket", kinds=("swaddle blanket",))


def test_every_limit_of_a_want_stands_in_its_line() -> None:
    long = Demand(say="at least 4 feet", field="Length", least=4, unit="ft")
    loose = Demand(say="without tools", field="Assembly", any_of=("no tools", "tool-free"), none_of=("tool-free lid",))
    demands = {"must": (Demand(say="cotton"), long, loose), "must_not": (Demand(say="zips"),)}
    demands |= {"rating_min": 4, "ratings_min": 1200}
    brands = {"brands_wanted": ("Nordlys", "Ostrava"), "brands_unwanted": ("Tallow",)}
    limits = {
        "kinds": ("swaddle blanket", "Swaddles"),
        "quantity": 2,
        "optional": True,
        "several": True,
        "not_owned": True,
    }
    limits |= {"price_max": Money.of(20), **demands, **brands}
    (line,) = wish_lines(Wish(wants=(BLANKET.model_copy(update=limits),)))
    assert line == (
        "2 × swaddle blanket: of the kind Swaddles; only if it is worth buying; one or several different ones; "
        "none that the shopper has; "
        'must meet "cotton", "at least 4 feet" (Length: at least 4 ft), "without tools" (Assembly: no tools or '
        'tool-free, not tool-free lid); must not be or have "zips"; at least 4 stars; at least 1,200 ratings; at most '
        "$20.00 a piece; by Nordlys or Ostrava; not by Tallow"
    )


def test_what_holds_for_all_comes_behind_the_wants_and_a_wish_for_nothing_says_so() -> None:
    bag = Want(name="bag", kinds=("diaper bag",), rating_min=4.5)
    limits = {"budget": Money.of("69.5", "EUR"), "room": True, "deadline": "before Friday", "owned": ("B0A", "B0B")}
    assert wish_lines(Wish.model_validate({"wants": (BLANKET, bag), **limits})) == [
        *("swaddle blanket", "bag: of the kind diaper bag; at least 4.5 stars", "budget: €69.50 in total"),
        *("more may be added within the budget", "deadline: before Friday", "owned: B0A, B0B"),
    ]
    assert wish_lines(Wish()) == ["nothing is to be bought"]
    assert wish_lines(Wish(wants=(BLANKET,), room=True)) == ["swaddle blanket", "more may be added"]
