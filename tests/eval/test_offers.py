"""A shop whose shirts come in sizes and colors: what would do is a variant. Tests env/offers.py."""

from collections.abc import Iterator
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest_files
from drretail.env.offers import Offers
from drretail.env.world import World, world_at
from drretail.querygen.lint import Linter
from drretail.records.query import Query, Reference
from drretail.records.reading import Pick
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.reports.picks import by_product, take_picks
from drretail.shopping.cart import Cart
from drretail.shopping.constraints import ruling_on_options
from drretail.shopping.verify.checks import Case, check_report, read_report
from tests.build import known, query

SHOP = """
format = "shopify"
currency = "EUR"
products = {file = "products.csv"}
"""
ROWS = """
Handle,Title,Vendor,Type,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,\
Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Status
fjell,Fjell Merino Shirt,Fjell,Shirts,true,Size,S,Color,Green,FJ-S-G,shopify,0,deny,20.00,active
fjell,,,,,,M,,Navy,FJ-M-N,shopify,4,deny,45.00,
fjell,,,,,,M,,Grey,FJ-M-Y,shopify,1,deny,39.00,
fjell,,,,,,L,,Green,FJ-L-G,shopify,3,deny,48.00,
aune,Aune Cotton Shirt,Aune,Shirts,true,Size,M,Color,White,,shopify,9,deny,28.00,active
aune,,,,,,L,,White,,shopify,0,continue,28.00,
rund,Rund Felt Cap,Rund,Caps,true,Color,Red,,,RU-R,shopify,2,deny,,active
rund,,,,,,Blue,,,RU-B,shopify,2,deny,22.00,
holt,Holt Wool Cap,Holt,Caps,true,Title,Default Title,,,HOLT,shopify,5,deny,19.00,active
""".lstrip()
MERINO = Wish(
    wants=(Want(name="shirt", kinds=("Shirts",), brands_wanted=("Fjell",), options={"size": ("M",)}),),
    budget=Money.of(40, "EUR"),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.toml").write_text(SHOP)
    (folder / "products.csv").write_text(ROWS)
    ingest_files([folder / "shop.toml"], folder / "world")
    with world_at(folder / "world") as opened:
        yield opened


def wanted(kind: str = "Shirts", quantity: int = 1, **options: tuple[str, ...]) -> Wish:
    return Wish(wants=(Want(name=kind.lower(), kinds=(kind,), quantity=quantity, options=options),))


def asked(wish: Wish) -> Query:
    return query(text="A merino shirt in size M for at most 40 euros, in grey.", wish=wish)


def reference(world: World, wish: Wish) -> Reference:
    return Offers(world).reference(asked(wish))


def test_an_option_that_no_variant_names_is_open_with_a_word(world: World) -> None:
    of_shirts = reference(world, wanted(cut=("slim",)))
    assert of_shirts.lack == "not_said"
    (fjell,) = Offers(world).listings(["fjell"])
    ruling = ruling_on_options(wanted(cut=("slim",)).wants[0], fjell)
    assert (ruling.state, ruling.quote) == ("open", "no option is called cut, only Color, Size")


@pytest.mark.parametrize(
    ("wish", "would_do"),
    [
        (MERINO, ["fjell/FJ-M-N", "fjell/FJ-M-Y"]),
        (wanted(size=("M",), color=("navy", "white")), ["aune/aune-M-White", "fjell/FJ-M-N"]),
        (wanted(Größe=("M",), farbe=("navy", "white")), ["aune/aune-M-White", "fjell/FJ-M-N"]),
        (wanted(), ["aune/aune-L-White", "aune/aune-M-White", "fjell/FJ-L-G", "fjell/FJ-M-N", "fjell/FJ-M-Y"]),
        (wanted(quantity=4, size=("M",)), ["aune/aune-M-White", "fjell/FJ-M-N"]),
        (wanted("Caps"), ["holt", "rund/RU-B", "rund/RU-R"]),
    ],
)
def test_what_would_do_is_a_variant_with_the_options_of_which_enough_are_left(
    world: World, wish: Wish, would_do: list[str]
) -> None:
    found = reference(world, wish)
    assert [fit.offer_id for fit in found.things[0].fits] == would_do
    if wish == MERINO:
        assert known(found.cheapest).picks == (Pick(product="fjell", variant="FJ-M-Y"),)


@pytest.mark.parametrize(
    ("wish", "lack", "state", "sentence"),
    [
        (wanted(size=("S",)), "sold_out", "proved", "what keeps to the wish is sold out (proved)"),
        (wanted(quantity=20, size=("M",)), "sold_out", "proved", "what keeps to the wish is sold out (proved)"),
        (
            wanted(size=("M",), color=("green",)),
            *("no_such_option", "proved", "the shop has no shirts in size M, color green (proved)"),
        ),
        (wanted("Caps", color=("red",)), "no_price", "open", "no cart of them can be measured"),
    ],
)
def test_sold_out_no_such_option_and_no_price_are_told_apart(
    world: World, wish: Wish, lack: str, state: str, sentence: str
) -> None:
    if lack == "no_price":
        wish = wish.model_copy(update={"budget": Money.of(30, "EUR")})
    found = reference(world, wish)
    assert (found.lack, known(found.proof).state) == (lack, state)
    assert sentence in [each.found for each in Linter(world).check(asked(wish)).findings]


@pytest.mark.parametrize(
    ("pick", "code", "found"),
    [
        ("P:fjell/FJ-M-Y", None, ""),
        ("P:FJ-M-Y", None, ""),
        ("P:fjell", "variant_unknown", "which color and size? There are fjell/FJ-S-G (Green / S), "),
        ("P:fjell/FJ-XL", "variant_unknown", "it has no variant FJ-XL, only fjell/FJ-S-G (Green / S), "),
        ("P:fjell/FJ-S-G", "unavailable", "Green / S is sold out"),
        ("P:fjell/FJ-M-Y x 3", "unavailable", "Grey / M has only 1 left"),
        ("P:fjell/FJ-L-G", "demand_broken", "its record speaks against 'size M' (size: L)"),
        ("P:fjell/FJ-M-N", "over_budget", "the budget is €40.00, and the picks cost €45.00"),
    ],
)
def test_a_pick_of_another_variant_is_wrong_by_name(world: World, pick: str, code: str | None, found: str) -> None:
    declared = known(take_picks(f"```picks\n{pick}\n```").picks)
    picks = tuple(by_product(each, world.store.products([each.product])) for each in declared)
    findings = {each.code: f"{each.found}" for each in check_report(*_case(world, picks)) if each.severity == "error"}
    assert code is None or findings[code].startswith(found)
    assert code is not None or not findings
    of_picks = reference(world, MERINO)
    cart = Cart(MERINO, of_picks, picks, world.store.products([each.product for each in picks]))
    assert cart.is_feasible == (code is None)


def _case(world: World, picks: tuple[Pick, ...]) -> Any:
    case = Case(
        report="The Fjell Merino Shirt in size M, grey, costs €39 [P:fjell].",
        evidence={},
        query=asked(MERINO),
        picks=picks,
        shop=world.store,
        read_ends=lambda: reference(world, MERINO),
    )
    return case, read_report(case)
