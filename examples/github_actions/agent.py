"""The agent that pull requests change: one search, and the first hit that has a price."""

from drretail import Answer
from drretail.tools.toolkit import Toolkit


def answer(question: str, toolkit: Toolkit) -> Answer:
    hits = toolkit.call("product_catalog_search", {"query": question[:200], "limit": 5}).value["hits"]
    hit = next(hit for hit in hits if hit.get("price"))
    advice = f"{hit['title']} costs ${hit['price']:.2f} [{hit['evidence']}]."
    return Answer(report=f"{advice}\n\n```picks\n{hit['evidence']} x 1\n```")
