"""An experiment with one honest report that has a place for every kind of error."""

from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.env.world import OrderRow, world_at
from drretail.experiment import PROFILES, Experiment
from drretail.grounding.report.citations import find_citations
from drretail.grounding.text.serialisation import record_text
from drretail.records.base import canonical_json
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.shop import Money, Product, ProfileFact, ProfileSummary
from drretail.records.wish import Want, Wish
from drretail.run_file import Recorded
from tests import build
from tests.build import LABEL, SYSTEM, build_world
from tests.shop import JANUARY, USER

OWNED, GOOD, DEAR, SEED, LEASH = (f"B0SABOT00{number}" for number in range(1, 6))


def _product(product_id: str, title: str, price: float, leaf: str = "Bird Feeders") -> Product:
    store = title.partition(" ")[0]
    return Product(
        product_id=product_id,
        title=title,
        features=("Weatherproof", "Easy to clean"),
        price=price,
        average_rating=4.5,
        rating_number=120,
        store=store,
        categories=("Garden and Pets", leaf),
        category="Garden_and_Pets",
        details={"Brand": store},
    )


PRODUCTS = [
    _product(OWNED, "Tanagrove Tube Bird Feeder, 18 inch", 24.99),
    _product(GOOD, "Larkhall Window Bird Feeder, Clear", 18.75),
    _product(DEAR, "Larkhall Metal Bird Feeder, Squirrel Proof", 62.0),
    _product(SEED, "Larkhall Small Bird Feeder for Seed", 8.5),
    _product(LEASH, "Napperly Dog Leash, Nylon", 12.0, "Leashes"),
]
WISH = Wish(
    wants=(
        Want(name="feeder", kinds=("bird feeder",)),
        Want(name="small feeder", kinds=("small bird feeder",)),
        Want(name="leash", kinds=("dog leash",)),
    ),
    budget=Money.of(60),
    owned=(OWNED,),
)
ORDER = {
    "evidence": "O:0000000001",
    "order_id": "0000000001",
    "user_id": USER,
    "product_id": OWNED,
    "order_date": "2023-01-01T00:00:00",
    "order_status": "Delivered",
}
REPORT = f"""# A feeder for your window

Take the Larkhall Window Bird Feeder, Clear [P:{GOOD}], for $18.75.
It is rated 4.5 stars from 120 ratings [P:{GOOD}].

With the small feeder for $8.50 [P:{SEED}] the two come to $27.25 in total [C:sum].
For the dog there is the Napperly leash [P:{LEASH}].
Of your budget, $60.00 − $27.25 = $32.75 is left.

You ordered the Tanagrove tube feeder on January 1, 2023 [O:0000000001].

Hang a window bird feeder within three feet of the glass [W:place].
"""


def an_entry(key: str, text: str, **fields: Any) -> Evidence:
    return build.evidence(key, build.text(text, "page" if key.startswith("W") else "record"), key=key, **fields)


def ledger(store: Store) -> list[Evidence]:
    profile = store.user(USER).model_dump(mode="json")
    page = "Hang a window bird feeder within three feet of the glass."
    return [
        *(an_entry(f"P:{product.product_id}", record_text(product)) for product in PRODUCTS),
        an_entry("O:0000000001", canonical_json(ORDER)),
        an_entry("U:profile", canonical_json({"evidence": "U:profile", **profile})),
        an_entry("C:sum", "18.75+8.5 = 27.25"),
        an_entry("W:place", page, date="2015-03-01", url="https://birds.example/place"),
    ]


def honest_experiment(folder: Path, report: str = REPORT) -> tuple[Path, Store]:
    """The experiment, and the store of its world, which the caller closes."""
    build_world(folder / "world", PRODUCTS, [OrderRow("0000000001", USER, OWNED, JANUARY)])
    world = world_at(folder / "world")
    text = "I need a new bird feeder under $60. Do not suggest what I already own."
    query = Query(query_id="q1", user_id=USER, text=text, wish=WISH, source="test")
    fields = {"world_fingerprint": world.manifest.fingerprint, "now": "2024-01-01T00:00:00Z"}
    evidence = ledger(world.store)
    with Experiment(folder / "exp", build.definition([query], {LABEL: SYSTEM}, **fields)) as opened:
        likes = (ProfileFact(code="likes", text="Likes birds."),)
        PROFILES.freeze(opened.folder, USER, ProfileSummary(user_id=USER, statements=likes))
        citations = tuple(find_citations(report, {entry.id: entry for entry in evidence}))
        run = build.run("q1-r1", report, (GOOD, SEED, LEASH), label=LABEL, user_id=USER, citations=citations)
        opened.save(Recorded(run, tuple(evidence), {}, {"world": str(folder / "world")}))
    return folder / "exp", world.store
