"""Policies for a query of two things: one that does it well, and what they all need to do it."""

from collections.abc import Sequence
from typing import Any

from drretail.addons.gym import Shop, ShopEnv
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish
from drretail.reports.picks import picks_block

QUERY = "dev-01"
_COTTON = Demand(
    say="cotton", field="Material", any_of=("cotton jersey", "organic cotton muslin"), none_of=("bamboo viscose",)
)
BAG = Query(
    query_id=QUERY,
    user_id="AHDQQSLSKRWEQF5P6S5SYQDHDK4H",
    text="I need a diaper bag and a swaddle blanket of cotton for less than $70. What else should come along?",
    wish=Wish(
        wants=(
            Want(name="diaper bag", kinds=("Diaper Bags",)),
            Want(name="swaddle blanket", kinds=("Swaddling Blankets",), must=(_COTTON,)),
        ),
        budget=Money.of("70", "USD"),
        room=True,
    ),
    source="a test",
)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def search(query: str) -> dict[str, Any]:
    return call("product_catalog_search", query=query)


def submit(report: str, *picks: Pick | str) -> dict[str, Any]:
    """The call that hands in a report with these picks, products' ids for one piece of each."""
    cart = [Pick(product=pick) if isinstance(pick, str) else pick for pick in picks]
    return call("submit_report", report=f"{report}\n\n{picks_block(cart)}")


def best_picks(shop: Shop, query_id: str = QUERY) -> list[Pick]:
    """The best basket of a query."""
    best = shop.references[query_id].best
    assert best is not None
    return [Pick(product=item.product_id, quantity=item.quantity) for item in best.items]


def wanted(env: ShopEnv) -> list[str]:
    """The products of the best basket."""
    return [pick.product for pick in best_picks(env.shop, env.query.query_id)]


def looked_up(env: ShopEnv, products: Sequence[str]) -> None:
    for product_id in products:
        env.step(call("get_product_details", product_id=product_id))


def praised(shop: Shop, products: Sequence[str]) -> str:
    """A report that says of each what it costs, as far as that is known, with its citation."""
    prices = {each: record.price for each, record in shop.world.store.products(list(products)).items()}
    fields = {each: "" if price is None else f" for ${price:.2f}" for each, price in prices.items()}
    return "\n".join(f"- Get this one{fields[product]} [P:{product}]." for product in products)


def best_handed_in(shop: Shop, query_id: str = QUERY) -> dict[str, Any]:
    """The call that hands in the best basket of a query, with what it costs and citations."""
    cart = best_picks(shop, query_id)
    return submit(praised(shop, [pick.product for pick in cart]), *cart)


def shopped_well(env: ShopEnv) -> tuple[str, float, bool, dict[str, Any]]:
    """The last step of a rollout that finds the best basket and says so with prices and citations."""
    looked_up(env, wanted(env))
    return env.step(best_handed_in(env.shop, env.query.query_id))
