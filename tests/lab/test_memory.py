"""What a model knows of a shop by heart, measured on scripted models that know so much and no more."""

import asyncio
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail.cli.lab import lab_app
from drretail.data_ingest.perturb.perturbed_world import perturb_world
from drretail.env.rows import rows_of
from drretail.env.world import default_pool, write_world
from drretail.errors import ModelError, UserError
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import Allowance
from drretail.lab.kept_findings import finding_lines, keep
from drretail.lab.memory.recollection import (
    BRAND,
    FIELDS,
    PRICES,
    RATING,
    AskedProduct,
    ask_products,
    draw_products,
    measure_recall,
    memory_folder,
    recollections,
    with_others,
)
from drretail.lab.trial_findings import RecalledField, Remembered
from drretail.progress import Progress
from drretail.prompts import tag_content
from drretail.records.shop import Product
from tests.build import LABEL, Asked, experiment, known, scripted_judge

WORLD = "f" * 64
WITHIN_1, WITHIN_10 = PRICES
NOTHING = {"price": None, "average_rating": None, "brand": None}
Knows = Callable[[Product], dict[str, Any]]


def shop(count: int = 400) -> list[Product]:
    """Products of two categories with values of all sorts; a third has its store's name in its title."""
    lot = Random(7)
    made: list[Product] = []
    for at in range(count):
        store = f"Store{lot.randrange(20)}"
        made.append(
            Product(
                product_id=f"B0TEST{at:04}",
                title=f"{store} Lamp {at}" if at % 3 == 0 else f"Lamp {at}",
                price=round(lot.lognormvariate(3, 0.8), 2),
                average_rating=round(lot.uniform(3, 5), 1),
                rating_number=lot.randrange(5000),
                store=store,
                category="ab"[at % 2],
            )
        )
    return made


def truth(product: Product) -> dict[str, Any]:
    return {"price": product.price, "average_rating": product.average_rating, "brand": product.store}


def model(products: Sequence[Product], knows: Knows) -> tuple[Judge, Asked]:
    by_title = {product.title: product for product in products}
    return scripted_judge(lambda question: knows(by_title[title_in(question)]))


def title_in(question: str) -> str:
    """What stands in the tag, of which the question speaks before."""
    return str(tag_content("product", f"<product>{question.rpartition('<product>')[2]}"))


def asked(folder: Path, drawn: Sequence[AskedProduct], who: Judge, again: Any = "nothing") -> Remembered:
    with Progress().track("asking", len(drawn)) as bar:
        asyncio.run(ask_products(folder, WORLD, 2023, drawn, who, again=again, allowance=Allowance(), bar=bar))
    found = recollections(folder, WORLD, drawn, who)
    return measure_recall(drawn, found, model=who.ref, world=WORLD, perturbed_from=None, seed="1")


def fields(made: Remembered) -> dict[str, RecalledField]:
    return {field.name: field for field in made.fields}


def test_a_model_that_knows_three_in_ten_is_measured_so(tmp_path: Path) -> None:
    products = shop()
    lot = Random(3)
    known_ids = {product.product_id for product in products if lot.random() < 0.3}
    who, _ = model(products, lambda product: truth(product) if product.product_id in known_ids else NOTHING)
    drawn = draw_products(products, 200, "1")
    made = asked(tmp_path, drawn, who)
    share = sum(product.product_id in known_ids for product in drawn) / 200
    for name, field in fields(made).items():
        assert known(field.low) <= 0.3 <= known(field.high), name
    assert fields(made)[WITHIN_1].value == pytest.approx(share)
    assert made.knows_nothing == 200 - round(200 * share)


@pytest.mark.parametrize("seed", range(3))
def test_a_model_that_knows_nothing_is_at_chance(tmp_path: Path, seed: int) -> None:
    products, lot = shop(), Random(seed)
    shelves = {name: [product for product in products if product.category == name] for name in "ab"}

    def guess(product: Product) -> dict[str, Any]:
        return truth(lot.choice([other for other in shelves[product.category] if other != product]))

    made = asked(tmp_path, draw_products(products, 300, "1"), model(products, guess)[0])
    for name, field in fields(made).items():
        assert known(field.low) <= known(field.chance) <= known(field.high), name
        assert field.unknown == 0
    assert [*fields(made)] == [*FIELDS]


def test_chance_counts_only_where_an_answer_was_given(tmp_path: Path) -> None:
    products = shop()
    drawn = draw_products(products, 100, "1")
    mute = asked(tmp_path / "mute", drawn, model(products, lambda _: NOTHING)[0])
    assert [(field.value, field.chance, field.unknown) for field in mute.fields] == [
        (0, 0, field.n) for field in mute.fields
    ]
    all_right = fields(asked(tmp_path / "all", drawn, model(products, truth)[0]))
    mean = sum(product.chance[WITHIN_10] for product in drawn) / 100
    assert (all_right[WITHIN_10].value, all_right[WITHIN_10].chance) == (1, pytest.approx(mean))


def test_brands_that_stand_in_the_title_are_left_out_and_spelling_does_not_matter(tmp_path: Path) -> None:
    products = shop(60)
    who, _ = model(products, lambda product: {**NOTHING, "brand": f" {str(product.store).upper()} "})
    made = asked(tmp_path, draw_products(products, 60, "1"), who)
    assert made.named_in_title == 20
    assert (fields(made)[BRAND].n, fields(made)[BRAND].value) == (40, 1)


def test_of_a_perturbed_world_a_model_that_knows_the_real_one_by_heart_knows_nothing(tmp_path: Path) -> None:
    products = shop(90)
    write_world(tmp_path / "world", products=products, orders=[], seed="1", pool=default_pool())
    perturb_world(tmp_path / "world", tmp_path / "other", "1")
    by_number = {product.title.rpartition(" ")[2]: truth(product) for product in products}
    who, _ = scripted_judge(lambda question: by_number[title_in(question).rpartition(" ")[2]])
    for name, recall in (("world", 1.0), ("other", 0.0)):
        with rows_of(tmp_path / name) as rows:
            drawn = draw_products(rows.products, 60, "1")
        made = fields(asked(tmp_path / "exp" / name, drawn, who))
        assert {field: made[field].value for field in FIELDS} == dict.fromkeys(FIELDS, recall)


def test_a_price_is_near_within_its_share_and_a_rating_within_a_tenth(tmp_path: Path) -> None:
    products = [product.model_copy(update={"price": 100.0, "average_rating": 4.0}) for product in shop(30)]
    far = {"price": 109.0, "average_rating": 4.1, "brand": None}
    made = fields(asked(tmp_path, draw_products(products, 30, "1"), model(products, lambda _: far)[0]))
    assert (made[WITHIN_1].value, made[WITHIN_10].value, made[RATING].value) == (0, 1, 1)
    assert (made[WITHIN_1].chance, made[RATING].chance) == (1, 1)


def test_products_are_drawn_evenly_over_categories_and_numbers_of_ratings() -> None:
    products = shop()
    numbers = {product.product_id: product.rating_number or 0 for product in products}
    drawn = draw_products(products, 60, "1")
    assert drawn == draw_products([*reversed(products)], 60, "1") != draw_products(products, 60, "2")
    assert draw_products(products, 30, "1") == drawn[:30]
    for name in "ab":
        shelf = sorted(numbers[product.product_id] for product in products if product.category == name)
        ours = [
            numbers[product.product_id] for product in drawn if int(product.product_id[-4:]) % 2 == "ab".index(name)
        ]
        assert [sum(low <= our < high for our in ours) for low, high in _thirds(shelf)] == [10, 10, 10]


def _thirds(shelf: Sequence[int]) -> list[tuple[int, int]]:
    cuts = [shelf[0], shelf[len(shelf) // 3], shelf[2 * len(shelf) // 3], shelf[-1] + 1]
    return [*pairwise(cuts)]


def test_products_without_price_or_rating_are_not_asked_about() -> None:
    products = shop(20)
    unknown = [product.model_copy(update={"price": None}) for product in products[:10]]
    assert {product.product_id for product in draw_products([*unknown, *products[10:]], 20, "1")} == {
        product.product_id for product in products[10:]
    }
    with pytest.raises(UserError, match="nothing to ask"):
        draw_products(unknown, 5, "1")


def test_nobody_is_asked_twice_and_failures_are_counted_and_asked_again(tmp_path: Path) -> None:
    products = shop(30)
    drawn = draw_products(products, 12, "1")
    broken = {product.product_id for product in drawn[:3]}

    def answer(product: Product) -> Any:
        return ModelError("refusal", "no") if product.product_id in broken else truth(product)

    who, questions = model(products, answer)
    made = asked(tmp_path, drawn, who)
    assert (made.n, made.failed, made.unasked, len(questions)) == (9, 3, 0, 12)
    asked(tmp_path, drawn, who)
    assert len(questions) == 12
    broken.clear()
    assert (asked(tmp_path, drawn, who, "failed").n, len(questions)) == (12, 15)


def test_what_is_asked_says_the_title_and_nothing_else_of_the_product(tmp_path: Path) -> None:
    products = shop(9)
    who, questions = model(products, truth)
    asked(tmp_path, draw_products(products, 9, "1"), who)
    for product in products:
        (question,) = [one for one in questions if title_in(one) == product.title]
        assert str(product.price) not in question
        assert product.product_id not in question


def test_the_line_stands_beside_the_scores_and_other_models_keep_their_rows(tmp_path: Path) -> None:
    products = shop(30)
    drawn = draw_products(products, 12, "1")
    first = asked(tmp_path, drawn, model(products, truth)[0])
    other = first.model_copy(update={"world": "e" * 64, "perturbed_from": WORLD})
    both = with_others([other], with_others([first], None))
    assert both.rows == (first, other)
    assert with_others([first], both).rows == (other, first)
    keep(tmp_path, "memory", both, [])
    (line,) = finding_lines(tmp_path)
    assert line.startswith("Known by heart, without tools: scripted:test of 12 products of world ffffffffffff price")
    assert "perturbed world eeeeeeeeeeee" in line


SCRIPT = '[[answers]]\nstructured = { price = 1.0, average_rating = 4.5, brand = "Foo" }\n'


def test_the_command_keeps_what_it_found_and_estimates_without_asking(tmp_path: Path) -> None:
    write_world(tmp_path / "world", products=shop(30), orders=[], seed="1", pool=default_pool())
    experiment(tmp_path / "exp", {LABEL: {"q1-r1": "A report."}})
    given = ["memory", "--world", str(tmp_path / "world"), "--to", str(tmp_path / "exp"), "--n", "6", "-q"]
    ended = CliRunner().invoke(lab_app, [*given, "--model", "openai:gpt-4o", "--estimate", "--json"])
    assert ended.exception is None, ended.exception
    assert [load["count"] for load in json.loads(ended.stdout)["estimates"]] == [6]
    assert not memory_folder(tmp_path / "exp").exists()
    (tmp_path / "play.toml").write_text(SCRIPT, encoding="utf-8")
    ended = CliRunner().invoke(lab_app, [*given, "--model", f"scripted:{tmp_path / 'play.toml'}", "--json"])
    assert ended.exception is None, ended.exception
    document = json.loads(ended.stdout)
    assert document == json.loads((tmp_path / "exp" / "lab" / "memory.json").read_text(encoding="utf-8"))
    assert document["rows"][0]["n"] == 6


def test_rules_know_nothing_by_heart_and_are_not_asked(tmp_path: Path) -> None:
    write_world(tmp_path / "world", products=shop(9), orders=[], seed="1", pool=default_pool())
    experiment(tmp_path / "exp", {LABEL: {"q1-r1": "A report."}})
    given = ["memory", "--world", str(tmp_path / "world"), "--to", str(tmp_path / "exp"), "--model", "offline:shopper"]
    ended = CliRunner().invoke(lab_app, given)
    assert isinstance(ended.exception, UserError)
