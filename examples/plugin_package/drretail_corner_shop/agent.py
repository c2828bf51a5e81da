"""``--agent first_hit``: recommends what the catalog finds first."""

from drretail import Answer
from drretail.records.reading import Pick
from drretail.tools.toolkit import Toolkit


def answer(question: str, toolkit: Toolkit) -> Answer:
    hits = toolkit.call("product_catalog_search", {"query": question}).value.get("hits", [])
    board = toolkit.call("web_search", {"query": question}).value
    if not hits:
        return Answer(report=f"Nothing fits, and the board has {len(board)} answers.", picks=())
    first = hits[0]
    return Answer(report=f"Buy {first['title']} [{first['evidence']}].", picks=(Pick(product=first["product_id"]),))
