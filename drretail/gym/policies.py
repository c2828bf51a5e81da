"""Policies without a model that a trained one is compared with: the floors of ``gym split``, and the best."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from drretail.env.offers import Offers
from drretail.eval.metrics.reward import NO_REPORT, Reward
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.grounding.report.picks import picks_block
from drretail.grounding.text.sentences import find_sentences
from drretail.gym.env import ShopEnv
from drretail.records.query import Reference
from drretail.records.reading import Pick

LONGEST_SEARCH = 500
"""The most characters of a search."""
Policy = Callable[[ShopEnv], str]
"""Makes its calls, and returns the report to hand in."""


def earned(env: ShopEnv, policy: Policy, query_id: str) -> Reward:
    """What a policy earns on a query."""
    env.reset(query_id)
    report = policy(env)
    env.step({"name": "submit_report", "arguments": {"report": report}})
    return env.reward or Reward(why=NO_REPORT)


def one_search(env: ShopEnv) -> str:
    """Searches once with the question's words, and buys the first hit."""
    return buying(env, dict.fromkeys(hits_of(env, query=env.query.text[:LONGEST_SEARCH])[:1], 1))


def asks_nothing(env: ShopEnv) -> str:
    """Knows the shop and all that the question says: buys the best cart for it, without asking shopper or web."""
    query = env.query.model_copy(update={"wish": env.query.visible_wish, "hidden": ()})
    return buying(env, _best(Offers(env.shop.world).reference(query)))


def knows_all(env: ShopEnv) -> str:
    """Buys the best cart, and answers what the query asks the web with words of a page that it found."""
    return "\n".join([*_of_the_web(env), buying(env, _best(env.shop.references[env.query.query_id]))])


def buying(env: ShopEnv, picks: Mapping[str, int]) -> str:
    """Opens the products, and returns a report that names their prices."""
    for product in picks:
        env.step({"name": "get_product_details", "arguments": {"product_id": product}})
    records = env.shop.world.store.products(list(picks))
    prices = {key: "" if record.price is None else f" for ${record.price:.2f}" for key, record in records.items()}
    lines = [f"- Get this one{prices[product]} [P:{product}]." for product in picks if product in prices]
    cart = [Pick(product=product, quantity=pieces) for product, pieces in picks.items()]
    return "\n".join([*lines, "", picks_block(cart)]) if cart else "Nothing was found."


def hits_of(env: ShopEnv, **search: Any) -> list[str]:
    """The products of a search."""
    _, _, _, info = env.step({"name": "product_catalog_search", "arguments": search})
    return [evidence.removeprefix("P:") for evidence in info["evidence"] if evidence.startswith("P:")]


def _best(reference: Reference) -> dict[str, int]:
    return {} if reference.best is None else {item.product_id: item.quantity for item in reference.best.items}


def _of_the_web(env: ShopEnv) -> list[str]:
    """What a page says that answers the query's question to the web, each sentence with its citation."""
    question = env.query.web_question
    if question is None or not question.answers:
        return []
    text, *_ = env.step({"name": "web_search", "arguments": {"query": question.text}})
    parts = {each["evidence"]: each["snippet"] for each in json.loads(text).get("results", ())}
    for answer in question.answers:
        page = web_evidence_id(answer.url)
        if len(answer.keys_in(parts.get(page, ""))) == len(answer.keys):
            sentences = find_sentences(answer.quote)
            return [f"- {answer.quote[one.start : one.end].rstrip('.')} [{page}]." for one in sentences]
    return []
