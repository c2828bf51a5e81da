"""Who refuses what the shop can't meet: a solver that sees the first hits of a plain search alone, on spoiled queries.

    python benchmarks/twins.py WORLD PAIRS.jsonl [--json OUT.json]

PAIRS.jsonl is what ``drretail queries spoil`` made of WORLD's queries. For each want the solver searches its kinds once
and buys the best basket of the first k hits that would do; where there is none it refuses. It opens no orders.
"""

import time
from pathlib import Path

from figures import hold, keep, parser_of

from drretail import open_world
from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.querygen.reading import read_queries
from drretail.records.query import Query
from drretail.records.wish import Want
from drretail.shopping.basket import reference_of
from drretail.shopping.listing import Listing, state_of_kind

DEPTHS = (1, 3, 5, 10, 50)


def refuses(query: Query, offers: Offers, depth: int) -> bool:
    """Whether a solver that sees so many hits for each want finds no basket."""
    wants = () if query.wish is None else query.wish.wants
    bought = {order.product_id for order in offers.orders(query.user_id)}
    return reference_of(query, [seen(want, offers, depth) for want in wants], bought).best is None


def seen(want: Want, offers: Offers, depth: int) -> list[Listing]:
    """What of the first hits for each of its kinds is of the kind."""
    found: dict[str, Listing] = {}
    for kind in want.kinds:
        hits = offers.world.catalog.search(CatalogQuery(kind, limit=depth)).hits
        for listing in offers.listings([hit.product_id for hit in hits]):
            if state_of_kind(listing, kind) == "met":
                found[listing.product.product_id] = listing
    return [found[key] for key in sorted(found)]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("world")
    parser.add_argument("pairs", type=Path)
    asked = parser.parse_args()
    with open_world(asked.world) as world:
        offers = Offers(world)
        queries = read_queries(asked.pairs)
        began = time.process_time()
        proofs = {query.query_id: offers.reference(query).proof for query in queries}
        seconds = (time.process_time() - began) / len(queries)
        rows: list[dict[str, float]] = []
        for depth in DEPTHS:
            refused: dict[str, list[bool]] = {"proved": [], "refuted": [], "open": []}
            for query in queries:
                if (proof := proofs[query.query_id]) is not None:
                    refused[proof.state].append(refuses(query, offers, depth))
            recall, false = (sum(refused[state]) / max(1, len(refused[state])) for state in ("proved", "refuted"))
            rows.append({"hits": depth, "recall": recall, "false_refusals": false, "J": recall - false})
    hold(any(proof and proof.state == "proved" for proof in proofs.values()), "some queries provably can't be met")
    print(f"{len(queries)} queries; a proof takes {1000 * seconds:.1f} ms of a processor in the mean")
    print("hits  recall  false refusals     J")
    for row in rows:
        print(f"{row['hits']:4}  {row['recall']:6.2f}  {row['false_refusals']:14.2f}  {row['J']:4.2f}")
    keep(asked.json, {"proof_seconds": seconds, "rows": rows})


if __name__ == "__main__":
    main()
