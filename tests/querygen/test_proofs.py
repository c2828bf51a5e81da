"""What a question needs is proved by what is right without it.

Also tests checks/sources.py and need_floors of eval/numbers/facts.py.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import OrderRow
from drretail.eval.numbers.facts import need_floors
from drretail.querygen.lint import Linter
from drretail.querygen.proofs import BASKETS, without
from drretail.records.criteria import Fact, Gold, NeedProof, Needs
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Wish
from drretail.shopping.cart import OPEN, RIGHT, WRONG
from drretail.viewer.wishes import wish_lines
from tests.querygen.conftest import DAY, START, MakeWorld

URL = "https://vets.example/collars"
PAGE = {"kind": "page", "url": URL, "quote": "Only steel holds a dog that bites its collar."}
MINE = {"kind": "profile", "evidence": ["O:0000000001"], "field": "Size", "value": "Medium", "date": "2022-01"}
SIZE = {"say": "the size of mine", "field": "Size", "any_of": ["Medium"], "sources": [MINE]}
LONG = {"say": "long enough", "field": "Length", "least": 15, "unit": "inch", "sources": [PAGE]}
STEEL = {"say": "that holds", "field": "Material", "any_of": ["Steel"], "sources": [PAGE]}
TEXT = "The collar from January 2022 is torn: he bites it. I need one that holds, in the size of mine."


def shop(make_world: MakeWorld, *, gaps: bool = False) -> Linter:
    """Forty collars; with gaps, of some the material or the price is not known."""
    sizes, path = ("Small", "Medium", "Large", "Giant"), ("Pets", "Dogs", "Collars")
    fields = [{"Size": sizes[n % 4], "Material": "Steel" if n % 5 == 4 else "Nylon"} for n in range(40)]
    fields = [{"Size": of["Size"]} if gaps and n % 3 == 0 else of for n, of in enumerate(fields)]
    collars = [
        Product(
            product_id=f"C{n:02}",
            title=f"{'Tallow ' if n < 3 else ''}Collar {n}, {', '.join(of.values())}",
            price=None if gaps and n % 7 == 0 else 10 + n,
            details=of | {"Length": "15 inches"},
            categories=path,
            category="Pets",
        )
        for n, of in enumerate(fields)
    ]
    ordered = [(1, 1), (400, 2)]
    rows = [OrderRow(f"{n:010}", "ANNA", f"C{n:02}", START + day * DAY, 1, "Delivered") for day, n in ordered]
    pages = [SandboxPage(url=URL, title="Collars", text=f"We tried many. {PAGE['quote']}")]
    return Linter(replace(make_world(collars, rows), web=SandboxWeb(pages)))


@pytest.fixture(scope="module")
def linter(make_world: MakeWorld) -> Linter:
    return shop(make_world)


def asked(*must: dict[str, Any], text: str = TEXT, facts: tuple[Fact, ...] = (), **wish: Any) -> Query:
    want = {"name": "collar", "kinds": ["Collars"], "must": must}
    fields = {"query_id": "q", "user_id": "ANNA", "text": text, "source": "t", "wish": {"wants": [want], **wish}}
    return Query.model_validate(fields).model_copy(update={"gold": Gold(query_id="q", facts=facts)})


def proved(linter: Linter, query: Query) -> Needs:
    return linter.with_needs(query).gold.needs  # pyright: ignore[reportOptionalMemberAccess, reportReturnType]


def test_luck_is_the_share_of_what_keeps_the_rest(linter: Linter) -> None:
    needs = proved(linter, query := asked(SIZE, STEEL))
    assert linter.findings(query) == ()
    assert linter.with_needs(query).model_copy(update={"text": "Any collar."}).needs is None
    assert needs.profile == NeedProof(luck=2 / 8, left=8)
    assert needs.web == NeedProof(luck=2 / 10, left=10)
    assert (needs.proved, needs.one_search) == (("profile", "web"), False)
    assert wish_lines(query.wish)[-1] == (  # pyright: ignore[reportArgumentType]
        f"Medium: your order of January 2022 · Steel: vets.example, «{PAGE['quote']}»"
    )


@pytest.mark.parametrize("budget", [None, {"amount": "45"}])
def test_luck_is_what_right_says_of_every_basket(make_world: MakeWorld, budget: dict[str, str] | None) -> None:
    """Of one that rests on what no record says it says nothing, and an unknown price is right where none counts."""
    linter = shop(make_world, gaps=True)
    query, offers = asked(SIZE, STEEL, budget=budget), linter.stock.offers
    (rest,) = offers.reference(without(query, "page")).things
    reference, wish = offers.reference(query), query.wish or Wish()
    carts = [offers.cart(wish, reference, [Pick(product=fit.offer_id)]) for fit in rest.fits]
    worths = Counter(cart.verdict for cart in carts if budget is None or cart.keeps_to_money)
    proof = proved(linter, query).web or NeedProof(luck=0, left=0)
    assert (proof.left, proof.open) == (worths[RIGHT] + worths[WRONG], worths[OPEN])
    assert proof.luck == worths[RIGHT] / proof.left
    assert worths[OPEN] > 0 < worths[RIGHT]


def test_what_is_not_proved_is_named_by_its_letter(linter: Linter) -> None:
    unsafe = tuple(Fact(product_id=f"C{n:02}", fact="recalled", source="W:aaaaaaaa") for n in (4, 9, 14))
    for letters, of, query in (
        ("a", "web", asked(SIZE, LONG)),
        ("ab", "web", asked(facts=unsafe, budget={"amount": "90"})),
        ("c", "web", asked(SIZE, STEEL, budget={"amount": "35"})),
        ("d", "profile", asked(SIZE, STEEL, budget={"amount": "25"})),
        ("e", "profile", asked(SIZE, STEEL, text=TEXT.replace("mine", "mine, medium"))),
        ("e", "profile", asked(SIZE, STEEL, text=TEXT.replace(" from January 2022", ""))),
        ("e", "profile", asked(SIZE, STEEL, text=TEXT.replace("collar", "collar 1"))),
        ("e", "profile", asked(SIZE, STEEL, text=f"{TEXT} It was your C01.")),
        ("", "profile", asked(SIZE, STEEL, text=TEXT.replace("collar", "Tallow collar"))),
        ("e", "web", asked(SIZE, LONG, text=f"{TEXT} It is to have 38 cm.")),
        ("e", "web", asked(SIZE, LONG | {"least": 12}, text=f"{TEXT} It is to have twelve inches.")),
        ("", "web", asked(SIZE, STEEL, text=f"{TEXT} It is to have 15 inches.")),
        ("f", "profile", asked(SIZE | {"sources": [MINE | {"evidence": ["O:0000000009"]}]}, STEEL)),
        ("", "profile", asked(SIZE, {"say": "a small one", "field": "Size", "any_of": ["Small"]})),
        ("", "web", asked(declined=[PAGE])),
    ):
        proof = getattr(proved(linter, query), of)
        assert {*letters} <= {*proof.fails} if letters else not proof.fails, (letters, of, proof, query.text)
    assert linter.check(asked(declined=[PAGE])).reference.lack == "unsafe"


def test_of_many_baskets_some_are_drawn_and_floors_are_means(linter: Linter) -> None:
    wants = [{"name": name, "kinds": ["Collars"], "must": [SIZE]} for name in ("one", "two", "three")]
    many = asked(SIZE).model_copy(update={"wish": asked(SIZE).wish.model_validate({"wants": wants})})  # pyright: ignore
    proof = proved(linter, many).profile or NeedProof(luck=0, left=0)
    assert proof.left > BASKETS
    assert proof.luck == pytest.approx(10 * 9 * 8 / (40 * 39 * 38), abs=0.004)
    queries = [linter.with_needs(query) for query in (asked(SIZE, STEEL), asked(STEEL))]
    profile, web, one_search = need_floors([*queries, asked(SIZE)])
    assert (profile.value, profile.n, profile.needing, profile.n_needing) == (0.625, 2, 0.25, 1)
    assert (web.name, one_search.name) == ("without the web", "one search")
    assert profile.in_words == "without the profile 0.62, 2 of 3 checked, 0.25 on the 1 that need it"
    assert profile.at_most == pytest.approx((0.25 + 1 + 1) / 3)
    assert [*need_floors([asked(SIZE)])] == []
