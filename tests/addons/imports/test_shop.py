"""Imported answers and the shop's records. Tests recording.py, env/looked_up.py and env/named_products.py."""

import csv
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from drretail import check
from drretail.addons.imports.formats import load_format
from drretail.addons.imports.recording import Imported, record
from drretail.data_ingest.ingest import ingest_files
from drretail.env.named_products import NamedProducts
from drretail.env.world import world_at
from drretail.eval.judging.session import Judge
from drretail.experiments.experiment import path_of, read_definition, read_runs
from drretail.experiments.run_file import read_evidence
from drretail.llm.prompt import tag_content
from drretail.llm.registry import build_model
from drretail.progress import Progress
from drretail.records.run import LOOKED_UP
from drretail.shopping.verify.records import GONE, UNKNOWN
from tests.addons.imports.foreign import jsonl, text
from tests.build import scored, scripted_judge
from tests.cli.commands import Command
from tests.eval.metrics.faithfulness.reports import bound_value
from tests.shop import build_shop
from tests.viewer.experiment import render_page

FOREIGN_IDS = json.loads(Path(__file__).with_name("foreign_ids.json").read_text("utf-8"))
PRODUCTS = """Handle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Variant SKU,\
Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Status
kettle,Gooseneck Kettle 1 L,Not for induction.,Acme,Kettles,true,Color,Black,K-1,shopify,3,deny,64.00,79.00,active
kettle,,,,,,,White,K-2,shopify,0,deny,59.00,,
box,Knock Box,15 cm high.,Acme,Espresso,true,Title,Default Title,B-1,shopify,2,deny,32.00,32.00,active
card,Gift Card,By e-mail.,Acme,Cards,true,Title,Default Title,G-1,,0,deny,25.00,,active
cup,Tasting Cup,Porcelain.,Acme,Cups,true,Title,Default Title,C-1,shopify,0,continue,9.00,,active
"""
SHOP = 'format = "shopify"\ncurrency = "USD"\nproducts = {file = "products.csv"}\n'
KETTLE, BOX = (f"https://www.acme.example/products/{handle}" for handle in ("kettle", "box"))
ANSWERS = {
    "Which kettle?": f"The [Gooseneck Kettle]({KETTLE}) costs $64.00 in Black.",
    "A box?": "The [box](https://www.acme.example/collections/all/products/box?variant=2) is only $28.00.",
    "How much?": f"The [Gooseneck Kettle 1 L]({KETTLE}) costs $49.00 in White.",
    "Shipping?": "We ship for $5.00.",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    text(folder / "products.csv", PRODUCTS)
    ingest_files([text(folder / "shop.toml", SHOP)], folder / "w")
    return folder / "w"


def conversation(question: str, answer: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]}


def log(folder: Path) -> Path:
    return jsonl(folder / "assistant.jsonl", [conversation(*pair) for pair in ANSWERS.items()])


def taken(path: Path, shop: Path) -> Imported:
    """What came of a log beside which the experiment is made."""
    with world_at(shop) as opened:
        return record(load_format("chat").read(path), "chat", path.parent / "exp", Progress(), world=opened)


def answered(folder: Path, answers: Iterable[str]) -> Imported:
    """What came of these answers to "0?", "1?" …, in the shop ``w``."""
    rows = [conversation(f"{at}?", answer) for at, answer in enumerate(answers)]
    return taken(jsonl(folder / "a.jsonl", rows), folder / "w")


def plain_shop(folder: Path, rows: str, before: str = 'currency = "EUR"\n', after: str = "", to: str = "w") -> Path:
    """A shop of products with an id, a name and a price; ``before`` and ``after`` stand around in its mapping."""
    text(folder / "p.csv", f"sku,name,price\n{rows}")
    columns = '[products]\nfile = "p.csv"\nid = "sku"\ntitle = "name"\nprice = "price"\n'
    ingest_files([text(folder / "shop.toml", f"{before}{columns}{after}")], folder / to, replace=True)
    return folder / to


def statements(folder: Path, succeeds: Command, experiment: str = "exp") -> list[dict[str, str]]:
    succeeds("export", experiment, "--format", "statements", "--to", "said.csv")
    return [*csv.DictReader((folder / "said.csv").read_text("utf-8-sig").splitlines())]


def test_records_are_kept_and_marked_as_looked_up(world: Path, tmp_path: Path) -> None:
    came = taken(log(tmp_path), world)
    assert [len(count.looked_up) for count in came.reports] == [1, 1, 1, 0]
    (system,) = read_definition(tmp_path / "exp").systems.values()
    assert LOOKED_UP in system.options
    runs = [*read_runs(tmp_path / "exp")]
    held = [entry for run in runs for entry in read_evidence(path_of(tmp_path / "exp", run))]
    assert {entry.id for entry in held} == {"P:kettle", "P:box"}
    assert all(entry.looked_up and not any(text.shown for text in entry.texts) for entry in held)
    linked = {(citation.type, citation.evidence_id) for run in runs for citation in run.citations}
    assert linked == {("product", "P:kettle"), ("product", "P:box")}  # that by an address with collection and variant


def test_false_statements_are_found_and_begin_the_page(world: Path, tmp_path: Path, succeeds: Command) -> None:
    taken(log(tmp_path), world)
    scores = json.loads(succeeds("score", "exp", "--metrics", "faithfulness,false_statements", "--json").stdout)[
        "scores"
    ]
    found = {row["variant"]: row.get("value") for row in scores}
    # One in each of two of the three reports that name a product
    assert {round(found[name], 6) for name in ("false_statements", "false_answers")} == {round(2 / 3, 6)}
    assert "FR" not in found  # nobody asked the assistant for citations
    page = render_page(tmp_path / "exp")
    lead = (
        "4 answers, 3 of 4 statements about your products checked: 2 contradict your shop&#39;s records; 1 not checked."
    )
    assert lead in page
    places = [page.index(part) for part in ("<strong>$59.00</strong>", ">false_<wbr>answers<", 'id="questions"')]
    assert places == sorted(places)
    for of_research in ("In the cart", "What belongs into the cart", "FR 0.00"):
        assert of_research not in page
    assert "looked up for judging" in page
    shown = succeeds("score", "exp").stdout
    assert "≠ The box" in shown
    assert "→ Your shop says $32.00 (Knock Box)." in shown


def test_a_log_that_nothing_can_contradict_has_no_false_answers_and_says_so(
    tmp_path: Path, succeeds: Command, drretail: Command
) -> None:
    log(tmp_path)
    assert "import again with --world W" in succeeds("import", "chat", "assistant.jsonl", "--to", "exp").stdout
    nothing = drretail("score", "exp", "--metrics", "false_statements", "--json")
    assert nothing.returncode == 3
    scores = json.loads(nothing.stdout)["scores"]
    rows = [row for row in scores if row["variant"] == "false_answers"]
    assert {row.get("value") for row in rows} == {None}
    assert "import with --world" in json.dumps(rows)


def test_a_price_is_held_against_the_record_however_the_product_is_named(tmp_path: Path, succeeds: Command) -> None:
    """In a shop without variants; what cites a product that the shop lacks is false, not another's."""
    feeder = "The Tanagrove Tube Bird Feeder, 18 inch costs $19.99"
    answers = (
        f"{feeder}: B0TEST0001.",
        f"{feeder} [P:B0TEST0001]. It is rated 3.9 stars from 100 ratings [P:B0TEST0001].",
        "The [Tanagrove Tube feeder](http://ecommerce.com/B0TEST0001) costs $19.99.",
        "The Tanagrove Bird Bath costs $55.00 [P:B0TEST0004]. A better one is the Wrenlow Bath at $49 [P:B0TEST9999].",
    )
    for number, answer in enumerate(answers):
        text(tmp_path / "in" / f"{number}.md", f"# Which {number}?\n\n{answer}\n")
    build_shop(tmp_path / "w")
    succeeds("import", "markdown", "in", "--world", "w", "--to", "exp")
    result = succeeds("score", "exp")
    found = " ".join((result.stdout + result.stderr).split())
    assert "7 of 8 statements about your products checked: 5 contradict" in found, "the bath's price is right"


def test_a_product_that_the_shop_had_is_gone_and_one_it_never_had_unknown(tmp_path: Path, succeeds: Command) -> None:
    for count in (6, 5):
        plain_shop(tmp_path, "".join(f"LMP-{1000 + number},Lamp {number},20\n" for number in range(count)))
    values = {
        "LMP-1005 costs €20.": bound_value("product", "LMP-1005", "P:LMP-1005"),
        "LMP-1005 is no longer available.": bound_value("stock", "no longer available", "P:LMP-1005", "sold out"),
        "LMP-1077 costs €20.": bound_value("product", "LMP-1077", "P:LMP-1077"),
        "LMP-1002 costs €25.": bound_value("price", "€25", "P:LMP-1002"),
    }
    answered(tmp_path, values)

    def script(opening: str) -> dict[str, Any]:
        """Types the value of each answer, and confirms what records deny."""
        if "about to be called false" in opening:
            words = re.findall(r"^its words: (.+)$", opening, re.MULTILINE)
            said = [{"quote": each, "justification": "So it says.", "confirmed": True} for each in words]
            return {"confirmations": [{"claim_id": number} | each for number, each in enumerate(said, 1)]}
        return {"values": [values[(tag_content("answer", opening) or "").strip()]]}

    scored(tmp_path / "exp", ("reading", "false_statements"), scripted_judge(script)[0])
    false = (row for row in statements(tmp_path, succeeds) if row["state"] == "contradicted")
    assert sorted((row["question"], row["kind"], row["record_says"]) for row in false) == [
        ("0?", "product", GONE),
        ("2?", "product", UNKNOWN),
        ("3?", "price", "€20.00"),
    ]


def test_what_the_shop_never_had_is_false_in_a_log_as_in_check(tmp_path: Path, succeeds: Command) -> None:
    address = 'product_url = "https://shop.example/de/{id}.html"\ncurrency = "EUR"\n'
    for count in (6, 5):
        plain_shop(tmp_path, "".join(f"LMP-{1000 + number},Lamp {number},20\n" for number in range(count)), address)
    lamps = [f"[Lamp](https://www.shop.example/de/LMP-{key}.html#top)" for key in (1077, 1005, 1001)]
    answers = [f"{lamps[0]} costs €20.", f"{lamps[1]} is sold no more.", f"{lamps[2]} costs €20.", "See [P:LMP-1078]."]
    answered(tmp_path, answers)
    assert read_definition(tmp_path / "exp").shop_url == "https://shop.example"
    are_true = [check("?", answer, tmp_path / "w").is_true for answer in answers]
    assert are_true == [False, True, True, False], "an honest answer may link to what was sold once"
    shown = succeeds("score", "exp", "--metrics", "false_statements").stdout
    assert shown.count("≠") == 2
    assert "≠ Lamp costs €20.\n→ Your shop says it has no product LMP-1077.\n" in shown
    assert "≠ See [P:LMP-1078].\n→ Your shop says it has no product LMP-1078.\n" in shown


@pytest.mark.parametrize(
    ("called", "result", "cause"),
    [
        ({"event": "asked"}, {"ok": True}, "not_looked"),
        ({"city": "Ulm"}, "Rain, 12 degrees.", "not_looked"),
        ({"handle": "card"}, {"handle": "card", "title": "Gift Card", "price": 25.0}, "not_looked"),
        ({"handle": "box"}, {"price": 28.0}, "stale"),
        ({"id": "box"}, {"sku": "B-1", "price": 32.0}, "ignored"),
    ],
)
def test_what_is_read_does_not_depend_on_the_calls(
    called: Any, result: Any, cause: str, world: Path, tmp_path: Path, succeeds: Command
) -> None:
    row = conversation("How much?", "The Knock Box costs $28.00.")
    call = {"id": "c1", "type": "function", "function": {"name": "call", "arguments": json.dumps(called)}}
    said = result if isinstance(result, str) else json.dumps(result)
    calls = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": said}]
    row["messages"][1:1] = calls
    taken(jsonl(tmp_path / "a.jsonl", [row]), world)
    scored(tmp_path / "exp", "false_statements", Judge.of(build_model("offline:judge")))
    (false,) = statements(tmp_path, succeeds)
    assert (false["state"], false["record_says"], false["cause"]) == ("contradicted", "$32.00", cause)


@pytest.mark.parametrize("ids", FOREIGN_IDS["ids"])
def test_words_that_look_like_ids_are_no_products(ids: str, tmp_path: Path) -> None:
    """Answers that were written before the rule was read."""
    products = zip(FOREIGN_IDS["ids"][ids], FOREIGN_IDS["products"].items(), strict=True)
    rows = "".join(f"{key},{title},{price}\n" for key, (title, price) in products)
    world = plain_shop(tmp_path, rows, 'product_url = "https://shop.example/products/{id}"\n')
    linked = f"Take it: https://shop.example/products/{FOREIGN_IDS['invented'][ids]}"
    with world_at(world) as shop:
        find = NamedProducts(shop)
        accused = [
            one.key
            for answer in FOREIGN_IDS["honest"]
            for one in find.named_by(answer)
            if one.problem in (GONE, UNKNOWN)
        ]
        unknown = [one.key for one in find.named_by(linked) if one.problem]
    assert (accused, unknown) == ([], [FOREIGN_IDS["invented"][ids]])


def test_a_bot_that_run_asks_is_checked_as_its_log_is(
    world: Path, tmp_path: Path, succeeds: Command, drretail: Command
) -> None:
    """Its board has nothing of citations, its statements are a table, and a gate compares it with the day before."""
    questions = ["How much is the Knock Box?", "Is the Knock Box in stock?"]
    jsonl(tmp_path / "q.jsonl", [{"query_id": f"q{at}", "text": asked} for at, asked in enumerate(questions, 1)])
    for day, price in (("right", 32), ("wrong", 28)):
        report = f"The [Knock Box]({BOX}) costs ${price}.00."
        looks = "urllib.request.urlopen(os.environ['DRRETAIL_HERE'])"  # a command that looks nowhere has not answered
        script = f"import json, os, urllib.request; {looks}; print(json.dumps({{'report': {report!r}}}))"
        text(tmp_path / f"{day}.py", script)
        bot = f"bot=cmd:{sys.executable} {tmp_path / day}.py"
        succeeds("run", "--world", str(world), "--queries", "q.jsonl", "--agent", bot, "--to", day)
        board = succeeds("score", day, "--metrics", "faithfulness,false_statements,checks").stdout
        board = board.partition("Notes")[0]
        assert "false_answers  checked" in board
        assert not [name for name in (" FP ", " FR ", "null_search", "oracle") if name in board]
    assert "null_search" not in succeeds("score", "right", "--details").stdout
    assert succeeds("compare", "right", "--last", "wrong", "--fail-if", "false_answers > last").stdout == ""
    gate = drretail("compare", "wrong", "--last", "right", "--fail-if", "false_answers > last")
    assert (gate.returncode, "is 1, and was 0." in gate.stdout + gate.stderr) == (4, True)
    rows = statements(tmp_path, succeeds, "wrong")
    shown = [(row["conversation"], row["turn"], row["question"], row["state"], row["record_says"]) for row in rows]
    assert shown == [(f"q{at}", "1", asked, "contradicted", "$32.00") for at, asked in enumerate(questions, 1)]
