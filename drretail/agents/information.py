"""What a system is told of the shopper in the place of tools: nothing, notes of dealings with the shop, or a persona.

These are the settings of PDR-Bench (section 5.3: Task Only, w/Context, w/Persona), with what a memory tells between
the last two (its Table 3). The shop's own is tools, beside which a memory may be told as well.
"""

from drretail.errors import UserError
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.query import Query
from drretail.records.run import Information


def context_prompt(information: Information, *, remembers: bool = False) -> Prompt | None:
    """The wording that goes before what is given; None with tools alone, where nothing is."""
    if information == "tools":
        return load_prompt(__file__, "told_beside") if remembers else None
    return load_prompt(__file__, f"told_{information}")


def shopper_context(information: Information, query: Query, remembered: str | None = None) -> str:
    """What goes behind the question, with what a memory tells; empty with tools alone.

    Raises UserError where the query holds nothing to give.
    """
    prompt = context_prompt(information, remembers=remembered is not None)
    if prompt is None:
        return ""
    instruction = prompt.render().rstrip()
    if remembered is not None or information == "memory":
        return f"{instruction}\n{tagged('memory', remembered or '')}"
    return instruction if information == "task" else f"{instruction}\n{tagged(information, _given(information, query))}"


def check_information(information: Information, query: Query) -> None:
    """Raises UserError where a query doesn't hold what a system is to be told of its user."""
    if information == "memory" and query.user_id is None:
        raise UserError(f"The query {query.query_id!r} is asked by nobody in particular: no memory tells of them.")
    shopper_context(information, query)


def _given(information: Information, query: Query) -> str:
    given = query.persona if information == "persona" else query.context
    if not given:
        raise UserError(
            f"The query {query.query_id!r} holds no {information} of its user: make queries that do with drretail "
            "queries pair (docs/pdr.md)."
        )
    return given
