"""Worlds with changed data, and the commands that make them."""

import json
from pathlib import Path

import pytest

from drretail.addons.perturb.perturbed_world import (
    FROM,
    NamesOfShop,
    Renaming,
    carried,
    moved,
    name_of,
    perturb_world,
    read_perturbation,
)
from drretail.env.folder import check_world, rows_of
from drretail.env.manifest import live_generation, read_manifest
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.files import write_lines
from drretail.records.criteria import Gold
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import demands, query
from tests.cli.commands import Command, ErrorOf
from tests.cli.test_killed_writes import shop_and_questions
from tests.shop import ORDERS, PRODUCTS, USER, a_product, build_shop


def products(folder: Path) -> list[Product]:
    with rows_of(folder) as rows:
        return [*rows.products]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return build_shop(tmp_path / "world")


def test_the_world_is_whole_and_its_brands_ids_prices_and_ratings_are_others(source: Path, tmp_path: Path) -> None:
    manifest, mapping = perturb_world(source, tmp_path / "other", "1")
    before = read_manifest(live_generation(source))
    assert check_world(tmp_path / "other") == []
    assert manifest.parameters[FROM] == mapping.perturbed_from == before.fingerprint != manifest.fingerprint
    assert (manifest.counts, manifest.now, manifest.seed) == (before.counts, before.now, before.seed)
    assert read_perturbation(tmp_path / "other") == mapping

    new = {product.product_id: product for product in products(tmp_path / "other")}
    assert not {*new} & {product.product_id for product in PRODUCTS}
    for old in PRODUCTS:
        made = new[mapping.ids[old.product_id]]
        assert "tanagrove" not in made.model_dump_json().casefold()
        assert (made.store, made.category) == (mapping.brands["Tanagrove"], old.category)
        assert made.title == old.title.replace("Tanagrove", mapping.brands["Tanagrove"])
        assert (made.price is None) == (old.price is None)
        if made.price is not None and old.price is not None:
            assert abs(made.price / old.price - 1) > 0.1
        assert made.average_rating is not None
        assert 0.3 <= round(abs(made.average_rating - 4.5), 1) <= 0.9
        assert made.rating_number != old.rating_number


def test_users_keep_their_orders_under_the_new_ids_and_spend_at_the_new_prices(source: Path, tmp_path: Path) -> None:
    _, mapping = perturb_world(source, tmp_path / "other", "1")
    with rows_of(tmp_path / "other") as rows:
        orders = [*rows.orders]
    assert orders == [order._replace(product_id=mapping.ids[order.product_id]) for order in ORDERS]
    with open_world(source) as before, open_world(tmp_path / "other") as after:
        assert after.store.user(USER) == before.store.user(USER)
        prices = {product.product_id: product.price or 0 for product in products(tmp_path / "other")}
        theirs = [order for order in orders if order.user_id == USER]
        assert after.store.statistics(USER).spend == pytest.approx(sum(prices[their.product_id] for their in theirs))


def test_the_same_seed_makes_the_same_world_and_no_world_is_written_over_itself(source: Path, tmp_path: Path) -> None:
    seeds = zip("abc", "112", strict=True)
    made = [perturb_world(source, tmp_path / name, seed)[0].fingerprint for name, seed in seeds]
    assert made[0] == made[1] != made[2]
    with pytest.raises(UserError, match="itself"):
        perturb_world(source, source, "1")


@pytest.mark.parametrize("rating", [1.0, 1.2, 3.0, 4.8, 5.0])
def test_ratings_stay_within_one_and_five_stars_and_prices_without_cents_stay_so(rating: float) -> None:
    for number in range(1, 9):
        product = a_product(number, "Feeder", 120.0).model_copy(update={"average_rating": rating})
        for seed in "12345":
            it = moved(product, seed)
            assert it.average_rating is not None
            assert 1 <= it.average_rating <= 5
            assert abs(it.average_rating - rating) >= 0.25
            assert it.price == int(it.price or 0.5)


def test_queries_name_brands_and_products_of_the_other_world_and_all_else_stays(source: Path, tmp_path: Path) -> None:
    _, mapping = perturb_world(source, tmp_path / "other", "1")
    feeder = Want(
        name="feeder", kinds=("feeder",), brands_wanted=("Tanagrove",), must=demands("fits the Tanagrove pole")
    )
    text = "My Tanagrove feeder (B0TEST0001) leaks; another by tanagrove under $30?"
    wish = Wish(wants=(feeder,), budget=Money.of(30), owned=("B0TEST0001",))
    old = query("q1", text, user_id=USER, wish=wish, world_fingerprint=mapping.perturbed_from, gold=Gold(query_id="q1"))
    (new, untyped) = carried([old, old.model_copy(update={"wish": None})], mapping)
    assert untyped.wish is None
    brand, product = mapping.brands["Tanagrove"], mapping.ids["B0TEST0001"]
    assert new.text == f"My {brand} feeder ({product}) leaks; another by {brand} under $30?"
    assert new.wish is not None
    (want,) = new.wish.wants
    assert (want.brands_wanted, want.must) == ((brand,), demands(f"fits the {brand} pole"))
    assert new.wish.owned == (product,)
    assert new.world_fingerprint == mapping.fingerprint
    assert (new.query_id, new.user_id, new.gold) == (old.query_id, old.user_id, None)
    assert (new.wish.budget, want.name) == (Money.of(30), "feeder")


def named(number: int, title: str, store: str, *features: str, **details: object) -> Product:
    return Product(
        product_id=f"B0TEST000{number}", title=title, store=store, features=features, details=details, category="c"
    )


NAMED = [
    named(1, "TANAGROVE Tube Feeder", "Tanagrove", "Tanagrove's best. Fits B0TEST0002.", Brand="Tanagrove"),
    named(2, "Home Bath Towel for Home", "Home", "A towel for your home", "Better than Tanagrove, at home"),
    named(3, "Dr. Elsey's Litter", "Dr. Elsey's", Manufacturer="Elsey & Sons", Note=["by Dr Elsey's", {"n": "Home"}]),
    named(4, "GMS Drops", "GMS", "Contains 4 gms of it, and tea tree oil, Home made"),
    named(5, "Tea Tree Soap", "Tea Tree", "With Tea Tree, and tea tree oil"),
]


@pytest.fixture
def names() -> NamesOfShop:
    names = NamesOfShop()
    for each in NAMED:
        names.take(each)
    return names


@pytest.fixture
def renaming(names: NamesOfShop) -> Renaming:
    ids = {each.product_id: f"B0NEW0000{at}" for at, each in enumerate(NAMED)}
    new = {name: f"New{at}" for at, name in enumerate(sorted(names.renamed("1")))}
    return Renaming(new, names.spellings, names.ordinary(), ids)


def test_a_name_of_its_own_is_found_in_any_text_and_case(renaming: Renaming) -> None:
    tana = renaming.name("Tanagrove")
    assert renaming.product(NAMED[0]).title == f"{tana} Tube Feeder"
    assert renaming.product(NAMED[0]).features[0].startswith(f"{tana}'s best.")
    assert "Fits B0NEW00001." in renaming.product(NAMED[0]).features[0], "ids of products, too"
    assert renaming.product(NAMED[1]).features[1] == f"Better than {tana}, at home"


def test_a_name_of_an_ordinary_word_is_found_as_it_is_spelled_where_the_product_bears_it(renaming: Renaming) -> None:
    home = renaming.name("Home")
    towel, drops = renaming.product(NAMED[1]), renaming.product(NAMED[3])
    assert towel.title == f"{home} Bath Towel for {home}"
    assert towel.features[0] == "A towel for your home"
    assert drops.features[0].endswith("Home made")
    assert (drops.title, "4 gms of it" in drops.features[0]) == (f"{renaming.name('GMS')} Drops", True), "a unit"
    shouted = NAMED[1].model_copy(update={"title": "HOME Bath Towel"})
    assert renaming.product(shouted).title == f"{home} Bath Towel", "where a title begins with it"


def test_words_of_a_name_may_be_joined_in_any_way_but_by_a_comma(renaming: Renaming) -> None:
    elsey = renaming.name("Dr. Elsey's")
    assert renaming.text("by DR ELSEY'S") == f"by {elsey}"
    assert renaming.text("ask Dr, Elsey's") == "ask Dr, Elsey's"


def test_fields_of_names_are_names_as_a_whole_and_other_details_are_texts(renaming: Renaming) -> None:
    details = renaming.product(NAMED[2]).details
    assert details["Manufacturer"] == renaming.name("Elsey & Sons") != "Elsey & Sons"
    assert details["Note"] == [f"by {renaming.name('Dr. Elsey’s')}", {"n": "Home"}]


def test_made_up_names_are_no_words_of_the_shop_and_all_differ(names: NamesOfShop) -> None:
    made = names.renamed("1")
    assert made == names.renamed("1") != names.renamed("2")
    assert len({each.casefold() for each in made.values()}) == len(made)
    assert not {name_of(each)[0] for each in made.values()} & {"towel", "litter", "home"}


AGENT = "react@offline-shopper"


def test_an_agent_meets_itself_on_the_same_queries_in_both_worlds(succeeds: Command, tmp_path: Path) -> None:
    shop_and_questions(tmp_path)
    made = json.loads(succeeds("world", "perturb", "w", "--to", "other", "--json", "-q").stdout)
    assert succeeds("world", "check", "other", "-q").stdout.split() == ["ok", made["fingerprint"]]
    succeeds("queries", "carry", "q.jsonl", "--world", "other", "--to", "there.jsonl")
    succeeds("queries", "check", "there.jsonl", "--world", "other", "-q")
    for name, world, queries in (("here", "w", "q.jsonl"), ("there", "other", "there.jsonl")):
        asking = ("--queries", queries, "--agent", "react", "--no-floors")
        succeeds("run", "--world", world, *asking, "--to", name, "-q")
        succeeds("score", name, "--metrics", "checks", "-q")
    (both,) = json.loads(succeeds("compare", "here", "--beside", "there", "--json", "-q").stdout)["comparisons"]
    assert (both["a"], both["b"]) == (AGENT, f"{AGENT}@there")
    rows = {(row["metric"], row["variant"]): row for table in both["tables"] for row in table["rows"]}
    assert rows["checks", "clean"]["n_pairs"] == 2
    report = next((tmp_path / "there" / "runs").glob("*react*/q0-r1/run.json"))
    ids = json.loads((tmp_path / "other" / "perturbed.json").read_text(encoding="utf-8"))["ids"]
    assert not any(old in report.read_text(encoding="utf-8") for old in ids)


def test_a_query_of_another_world_is_told_in_a_sentence(
    succeeds: Command, error_of: ErrorOf, tiny_shop: Path, tmp_path: Path
) -> None:
    write_lines(tmp_path / "q.jsonl", [build.query(world_fingerprint="a" * 64).as_line()])
    succeeds("world", "perturb", str(tiny_shop), "--to", "other", "-q")
    asked = ("queries", "carry", "q.jsonl", "--to", "q2.jsonl", "--world")
    assert "was made for the world" in error_of(*asked, "other")
    assert "no perturbed world" in error_of(*asked, "q.jsonl")
