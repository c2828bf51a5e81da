"""Runs of grounded_hybrid by scripted roles; the report's turns are told apart by how often it was asked."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage

from drretail.agents.grounded_hybrid.drafts import Draft
from drretail.env.world import World
from drretail.experiments.run_file import Recorded
from drretail.llm.scripted import Request, scripted_model
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.shopping.verify.checks import Case
from tests.agents.conftest import QUERY, Scripted, calls, record, sut
from tests.agents.hybrid_react.cast import DONE, Cast, Script, cast, launch
from tests.goods import EVIDENCE, GOODS, Known
from tests.goods import QUERY as GIFT

DRAFT = (
    "# Feeders\n\nGet the **Tanagrove Hopper Bird Feeder, Cedar** at $39.50 [P:B0TEST0002]. It holds seed.\n\n"
    "You bought the Tanagrove Tube Bird Feeder before [O:0000000002].\n"
)
CART = "\n\n```picks\nP:B0TEST0002 x 1\n```"
HOPPER = ("product_catalog_search", {"query": "bird feeder"})


WISH = Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",)),))
FOR_30 = WISH.model_copy(update={"budget": Money.of(30)})


def understanding(wish: Wish) -> AIMessage:
    """The answer of a model that understands the question so."""
    return AIMessage(json.dumps(wish.model_dump(mode="json")))


def plays(
    supervisor: Script | None = None,
    researcher: Mapping[str, Script] | None = None,
    report: Sequence[str | BaseException] = (DRAFT,),
    cart: str = CART,
    understood: Script | None = None,
) -> Cast:
    """A cast that has looked at all bird feeders; the report generator says these in turn, the last one for ever.

    Each report ends with the ``cart``. The question is understood as ``understood`` says, in turn: else as WISH.
    """
    return cast(
        supervisor=supervisor or (launch("A feeder."), calls(DONE)),
        researcher=researcher or {"": (calls(HOPPER), calls(DONE))},
        report=[AIMessage(each + cart if each.strip() else each) if isinstance(each, str) else each for each in report],
        understanding=(understanding(WISH),) if understood is None else understood,
    )


def play(world: World, actors: Cast, query: Query = QUERY, **given: Any) -> Recorded:
    """One run of grounded_hybrid by this cast."""
    reports = actors.scripts["report"][""]

    def reporter(request: Request) -> Scripted:
        actors.shown["report"].append(request)
        return reports[min(len(actors.shown["report"]), len(reports)) - 1]

    models = actors.models() | {"report": scripted_model(play=reporter, name="report")}
    return record(world, sut(world, models, "grounded_hybrid", **given), query)


def draft(report: str, *products: str, wish: Wish | None = None) -> Draft:
    """A draft of a run in the kitchen shop that picks these."""
    picks = tuple(Pick(product=product) for product in products)
    query = GIFT.model_copy(update={"wish": wish})
    return Draft(Case(report=report, evidence=EVIDENCE, query=query, picks=picks, shop=Known(GOODS)))
