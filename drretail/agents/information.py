"""What a system is told of the shopper in the place of tools: nothing, notes of dealings with the shop, or a persona.

These are the settings of PDR-Bench (section 5.3: Task Only, w/Context, w/Persona). The fourth is the shop's own: tools.
"""

from drretail.errors import UserError
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.query import Query
from drretail.records.run import Information


def context_prompt(information: Information) -> Prompt | None:
    """The wording that goes before what is given; None with tools, where nothing is."""
    return None if information == "tools" else load_prompt(__file__, f"told_{information}")


def shopper_context(information: Information, query: Query) -> str:
    """What goes behind the question; empty with tools. Raises UserError where the query holds nothing to give."""
    prompt = context_prompt(information)
    if prompt is None:
        return ""
    instruction = prompt.render().rstrip()
    return instruction if information == "task" else f"{instruction}\n{tagged(information, _given(information, query))}"


def _given(information: Information, query: Query) -> str:
    given = query.persona if information == "persona" else query.context
    if not given:
        raise UserError(
            f"The query {query.query_id!r} holds no {information} of its user: make queries that do with drretail "
            "queries pair (docs/pdr.md)."
        )
    return given
