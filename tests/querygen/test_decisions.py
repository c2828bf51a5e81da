"""Whether a record meets a demand. Also tests api/queries/decide.py, querygen/by_model/reader.py and api/models.py."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.experiments.query_files import gold_file, write_gold, write_with_gold
from drretail.files import write_lines
from drretail.querygen.decisions import questions_of
from drretail.querygen.reading import read_queries
from drretail.records.criteria import OF_KIND, Decision, Fact, Gold
from drretail.records.query import Query
from drretail.records.shop import Money, Product
from drretail.records.wish import Want, Wish
from drretail.shopping.constraints import record_sha
from tests.build import demands, known
from tests.build import query as query_of
from tests.querygen.by_model.scripted import ScriptedChat, scripted
from tests.querygen.conftest import MakeWorld, call, product_id, refused

LAMP = Want(name="lamp", kinds=("desk lamp",), must=demands("dimmable"))
QUERY = query_of("q-1", "Which desk lamp is dimmable?", wish=Wish(wants=(LAMP,)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    write_lines(path, [QUERY.as_line()])
    return path


def decided(file: Path) -> dict[str, tuple[str, str]]:
    """State and reader by the last character of the product's id."""
    (query,) = read_queries(file)
    decisions = () if query.gold is None else query.gold.decisions
    return {each.product_id[-1]: (each.state, each.by) for each in decisions}


def asked(world: World, *queries: Query) -> list[tuple[str, str]]:
    """Demand and product of each question."""
    return [(one.label, one.listing.product.product_id) for one in questions_of(queries, Offers(world))]


def of_shop(product_id: str, title: str, leaf: str, price: float | None = 20.0, **fields: Any) -> Product:
    return Product(
        product_id=product_id,
        title=title,
        price=price,
        categories=("All", "Home", leaf),
        category="Home",
        store="Ostrava",
        **fields,
    )


def wanting(query_id: str = "q-1", budget: str = "50", **want: Any) -> Query:
    wish = Wish(wants=(LAMP.model_copy(update=want),), budget=Money(amount=budget), owned=("F",))
    return query_of(query_id, "A desk lamp?", wish=wish)


KEPT = [("must: dimmable", key) for key in "AD"] + [(OF_KIND, key) for key in "BCH"]


def test_asked_is_what_keeps_the_limits_that_need_no_reading(make_world: MakeWorld) -> None:
    products = [
        of_shop("A", "Ostrava Desk Lamp", "Desk Lamps", details={"Color": "Red"}),
        of_shop("B", "Ostrava Lumen", "Desk Lamps"),
        of_shop("C", "Ostrava Hook for a Desk Lamp", "Hooks"),
        of_shop("D", "Ostrava Desk Lamp", "Desk Lamps", price=None),
        of_shop("E", "Ostrava Desk Lamp", "Desk Lamps", price=90.0),
        of_shop("F", "Ostrava Desk Lamp", "Desk Lamps"),
        of_shop("G", "Ostrava Bulb on a Stick", "Gadgets"),
        of_shop("H", "Ostrava Desk Lamp", "Lamps"),
    ]
    shop = make_world(products, [])
    for query, more in (
        (wanting(not_owned=True), []),
        (wanting(), [("must: dimmable", "F")]),
        (wanting(budget="90"), [("must: dimmable", "E"), ("must: dimmable", "F")]),
        (wanting(price_max=Money(amount="10")), None),
    ):
        expected = [("must: dimmable", "D")] if more is None else sorted([*KEPT, *more])
        assert sorted(asked(shop, query)) == expected, query


MakeChat = Callable[[Callable[[int, str], tuple[str, str]]], ScriptedChat]


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> MakeChat:
    """A model that answers each number by a function of how often it was asked, and the record above the number."""

    def make(answer: Callable[[int, str], tuple[str, str]]) -> ScriptedChat:
        def play(messages: Sequence[BaseMessage]) -> str:
            records = re.findall(r"<record>\n(.*?)\n</record>\n(\d+)\.", messages[0].text, re.DOTALL)
            answers = [(int(number), answer(len(messages), record)) for record, number in records]
            given = [{"number": number, "quote": quote, "state": state} for number, (state, quote) in answers]
            return json.dumps({"answers": given})

        made = ScriptedChat(answer=play)
        monkeypatch.setattr("drretail.llm.registry.build_model", lambda *_, **__: scripted(made))
        return made

    return make


def test_no_offline_model_decides_and_in_another_world_no_decision_dies(world: World, file: Path) -> None:
    assert "The offline model cannot read" in refused(world, "decide", file, "--model", "offline:shopper")
    write_lines(file, [QUERY.model_copy(update={"world_fingerprint": "f" * 64}).as_line()])
    assert "name that world with --world" in refused(world, "decide", file)


def test_a_decision_dies_with_its_record_and_the_set_says_how_it_is_decided(
    world: World, file: Path, answering: MakeChat
) -> None:
    alive, *rest = questions_of([QUERY], Offers(world))
    assert len(rest) == 4
    dead = Decision(want="lamp", demand="dimmable", product_id=product_id("desk lamp", 1), record_sha="0" * 64,
                    state="met", by="model:ann")  # fmt: skip
    holding = dead.model_copy(
        update={"product_id": alive.listing.product.product_id, "record_sha": record_sha(alive.listing.product)}
    )
    dropped = holding.model_copy(update={"demand": "of brass"})
    gold = Gold(query_id="q-1", decisions=(holding, dead, dropped))
    write_gold([QUERY.model_copy(update={"gold": gold})], gold_file(file))
    result = call(world, "decide", file)
    died = "no longer hold, since the record or the query's demands have changed: 2."
    assert all(died in " ".join(each.stderr.split()) for each in (result, call(world, "check", file)))
    counts = "5 decisions about products: met 1, open 4; decided by: field 4, model 1"
    line = f"Of 1 query that demand a property, every candidate's kind and demands are decided in 0. {counts}"
    assert all(line in " ".join(each.stdout.split()) for each in (result, call(world, "check", file)))
    (row,) = json.loads(call(world, "decide", file, "--json").stdout)["demands"]
    answering(lambda _, record: ("open", ""))
    assert call(world, "decide", file, "--model", "fake:x").exit_code == 0
    assert sorted(decided(file).values()) == [("met", "model:ann"), *[("open", "model:fake:x")] * 4]
    assert (row["by"], row["undecided"]) == ({"model": 1, "field": 4}, 4)


def test_check_tells_unread_records_from_read_ones_that_do_not_speak_of_a_demand(
    world: World, file: Path, answering: MakeChat
) -> None:
    wish = Wish(wants=(LAMP.model_copy(update={"must": demands("fireproof")}),))
    write_lines(file, [query_of("q-1", "Which desk lamp is fireproof?", wish=wish).as_line()])
    before = call(world, "check", file)
    command = f"drretail queries decide {file} --world {world.folder}"
    told = " ".join(before.stderr.split())
    assert f"{command} --model PROVIDER:MODEL." in told
    answering(lambda _, record: ("met", "not its words") if "Size 4" in record else ("open", ""))
    call(world, "decide", file, "--model", "fake:x")
    nearly = call(world, "check", file, "--details")
    assert re.search(r"must: fireproof +– +– +5 +field 1, model 4 +1\n", nearly.stdout)
    answering(lambda _, record: ("open", ""))
    call(world, "decide", file, "--model", "fake:x")
    after = call(world, "check", file)
    codes = ("demand_undecided", "demand_unheard_of")
    assert [[code in each.stdout for code in codes] for each in (before, nearly, after)] == [
        [True, False],
        [True, False],
        [False, True],
    ]


def test_a_query_made_from_another_keeps_what_is_decided_for_it(file: Path) -> None:
    gold = Gold(query_id="q-0", facts=(Fact(product_id="A", fact="failed", source="W:1"),))
    write_gold([QUERY.model_copy(update={"gold": gold})], gold_file(file))
    assert known(read_queries(file)[0].gold).facts == gold.facts


def test_a_model_quotes_the_record_and_is_sent_back_once(world: World, file: Path, answering: MakeChat) -> None:
    def answer(messages: int, record: str) -> tuple[str, str]:
        if "dimmable" not in record:
            return "open", "nothing"
        return "met", "dimmable" if messages > 1 and "Size 1" in record else "bright and dimmable"

    chat = answering(answer)
    result = call(world, "decide", file, "--model", "fake:x")
    by = "model:fake:x"
    assert (result.exit_code, len(chat.asked)) == (3, 2)
    assert "the words 'bright and dimmable'" in chat.asked[1][-1].text
    assert decided(file) == {"0": ("open", by), "1": ("met", by), "2": ("open", by), "4": ("open", by)}
    assert "Questions without a usable answer: 1." in result.stderr
    write_with_gold([query.model_copy(update={"gold": None}) for query in read_queries(file)], file)
    assert call(world, "decide", file, "--model", "fake:x").exit_code == 3
    assert (len(chat.asked), len(decided(file))) == (2, 4)
