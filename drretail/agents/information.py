"""What a system is told of the shopper in the place of tools: nothing, notes of dealings with the shop, or a persona.

These are the settings of PDR-Bench (section 5.3: Task Only, w/Context, w/Persona), with what a memory tells between
the last two (its Table 3). The shop's own is tools, beside which a memory may be told as well. Where the shopper can be
asked, systems are told that they can, and what was answered.
"""

from drretail.env.session import Session
from drretail.errors import UserError
from drretail.grounding.report.evidence_ids import shopper_evidence_id
from drretail.grounding.text.serialisation import compact_json
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.run import ASK_SHOPPER, Information
from drretail.tools.registry import json_schemas
from drretail.tools.users import ASKING


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
        raise UserError(f"The query {query.query_id!r} has no user, so no memory can tell of them: leave it out.")
    shopper_context(information, query)


def _given(information: Information, query: Query) -> str:
    given = query.persona if information == "persona" else query.context
    if not given:
        raise UserError(
            f"The query {query.query_id!r} holds no {information} of its user: make queries that do with drretail "
            "queries pair (docs/benchmark.md)."
        )
    return given


def asking_notes(session: Session) -> list[str]:
    """What whoever can ask the shopper is told of that; nothing where nobody can be asked."""
    return [] if session.shopper is None else [_instruction().render().rstrip()]


def answer_notes(session: Session) -> list[str]:
    """What the shopper has answered so far, in a tag, each with the id to cite it by."""
    answers = [] if session.shopper is None else session.shopper.answers
    lines = [
        {"evidence": shopper_evidence_id(release.topic, release.number), "topic": release.topic, "answer": answer}
        for release, answer in answers
        if release.is_answered
    ]
    if not lines:
        return []
    block = tagged("shopper_answers", "\n".join(map(compact_json, lines)))
    return [f"What the shopper has answered counts like the question:\n{block}"]


def ask_shopper_prompt() -> Prompt:
    """The wording whose hash a run records, with the schema of the tool, which is none of the nine."""
    schema = canonical_json(json_schemas({ASK_SHOPPER: ASKING}))
    return Prompt("asking", f"{_instruction().text}\n{schema}")


def shopper_prompt() -> Prompt:
    """What a model is told that speaks as the shopper."""
    return load_prompt(__file__, "shopper")


def _instruction() -> Prompt:
    return load_prompt(__file__, "asking")
