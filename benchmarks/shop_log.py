"""How long an assistant's log takes to be imported and checked against its shop.

    python benchmarks/shop_log.py                   # 12,000 turns in 4,000 conversations, 3,000 products, 10,000 orders
    python benchmarks/shop_log.py --turns 600 --json shop_log.json

Each command is its own process, as a user runs it. Seconds are those of the processor and of the clock; megabytes are
those of the experiment.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import hold, keep, parser_of

SHOP = """currency = "EUR"
product_url = "https://shop.example/products/{id}"
orders = {file = "orders.csv", id = "number", user = "who", product = "sku", date = "day", status = "state"}

[products]
file = "products.csv"
id = "sku"
title = "name"
price = "price"
stock = "stock"
details = {Waterproof = "dry"}
"""
WORDS = "Oak Brass Linen Wool Copper Slate Birch Amber Coral Ivory Cedar Velvet".split()  # noqa: SIM905
THINGS = "Lamp Chair Desk Shelf Rug Blanket Mug Kettle Tent Backpack Jacket Bottle".split()  # noqa: SIM905


def write_shop(folder: Path, draw: random.Random) -> list[tuple[str, str, float, int, str]]:
    """Writes the tables, and returns the products."""
    products = [
        (f"SH-{at:05d}", f"{draw.choice(WORDS)} {draw.choice(THINGS)} {draw.choice(WORDS)} {at}",
         round(5 + draw.random() * 200, 2), draw.randrange(20), draw.choice(("yes", "no")))
        for at in range(3000)
    ]  # fmt: skip
    rows = [",".join(map(str, product)) for product in products]
    (folder / "products.csv").write_text("\n".join(["sku,name,price,stock,dry", *rows, ""]))
    states = ("Delivered", "Shipped", "Cancelled")
    rows = [
        f"{100_000 + at},u{at % 3000},SH-{draw.randrange(3000):05d},2024-05-17,{draw.choice(states)}"
        for at in range(10_000)
    ]
    (folder / "orders.csv").write_text("\n".join(["number,who,sku,day,state", *rows, ""]))
    (folder / "shop.toml").write_text(SHOP)
    return products


def conversation(draw: random.Random, products: list[tuple[str, str, float, int, str]]) -> list[str]:
    """Three turns; one price in ten is false."""
    (first, name, price, _, _), (key, other, cost, stock, dry) = draw.choice(products), draw.choice(products)
    asked, linked = (f"[{title}](https://shop.example/products/{sku})" for sku, title in ((first, name), (key, other)))
    order, said = 100_000 + draw.randrange(10_000), price + 10 * (draw.random() < 0.1)
    return [
        f"How much is the {name}?",
        f"The {asked} costs €{said:.2f}. It is a popular choice with our customers, who like its sturdy build.",
        "And is there an alternative, is it waterproof?",
        f"We also have the {linked} for €{cost:.2f}:\n- Waterproof: {dry}\n- In stock: {stock}",
        f"Where is my order {order}?",
        f"Your order {order} was delivered. Is there anything else that I can do for you today?",
    ]


def write_log(folder: Path, draw: random.Random, turns: int) -> None:
    """Writes a shop and the log of its assistant."""
    products = write_shop(folder, draw)
    with (folder / "log.jsonl").open("w") as log:
        for number in range(turns // 3):
            words = conversation(draw, products)
            messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(words)]
            log.write(json.dumps({"id": f"c{number}", "messages": messages}) + "\n")


def timed(folder: Path, *arguments: str) -> tuple[float, float]:
    """Seconds of the processor and of the clock that a command takes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [str(Path(sys.executable).with_name("drretail")), *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(spent, 1), round(time.monotonic() - began, 1)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--turns", type=int, default=12_000)
    given = parser.parse_args()
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_log(folder, draw, given.turns)
        timed(folder, "ingest", "shop.toml", "--world", "w")
        found = {
            "import": timed(folder, "import", "chat", "log.jsonl", "--world", "w", "--to", "exp"),
            "check": timed(folder, "score", "exp", "--metrics", "false_statements"),
        }
        answers = len(list((folder / "exp").glob("runs/*/*.gz")))
        size = sum(path.stat().st_size for path in (folder / "exp").rglob("*") if path.is_file()) / 1e6
    hold(answers, "the log was imported and checked")
    for name, (spent, passed) in found.items():
        print(f"{name:8} {spent:7.1f} s of the processor, {passed:7.1f} s")
    print(f"{given.turns:,} turns, {size:.1f} MB")
    keep(given.json, {"turns": given.turns, "seconds": found, "megabytes": round(size, 1)})


if __name__ == "__main__":
    main()
