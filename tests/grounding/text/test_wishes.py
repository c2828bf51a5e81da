"""Wishes in words."""

from drretail.grounding.text.wishes import want_line, wish_lines
from drretail.records.money import Money
from drretail.records.wish import Want, Wish

BLANKET = Want(name="swaddle blanket", kinds=("swaddle blanket",))


def test_a_plain_want_is_its_name_and_its_kinds_are_named_where_they_are_others() -> None:
    assert want_line(BLANKET) == "swaddle blanket"
    assert want_line(Want(name="Bowl", kinds=("bowl",))) == "Bowl"
    gift = Want(name="gift", kinds=("raised bed", "garden hose"))
    assert want_line(gift) == "gift: of the kind raised bed or garden hose"


def test_every_limit_of_a_want_stands_in_its_line() -> None:
    demands = {"must": ("cotton", "washable"), "must_not": ("zips",), "rating_min": 4, "ratings_min": 1200}
    brands = {"brands_wanted": ("Nordlys", "Ostrava"), "brands_unwanted": ("Tallow",)}
    limits = {"kinds": ("swaddle blanket", "Swaddles"), "quantity": 2, "optional": True, "again": True}
    limits |= {"price_max": Money.of(20), **demands, **brands}
    assert want_line(BLANKET.model_copy(update=limits)) == (
        "2 × swaddle blanket: of the kind Swaddles; only if it is worth buying; may be a product that the shopper has; "
        "must be cotton, washable; must not be or have zips; at least 4 stars; at least 1,200 ratings; at most "
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
