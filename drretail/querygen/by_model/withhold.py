"""A question written again without some of its limits, by a language model; what it writes is checked by form."""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from drretail.errors import ModelError
from drretail.event_loop import run_loop
from drretail.grounding.constraints.stated import states
from drretail.grounding.text.wishes import want_line, wish_lines
from drretail.llm.models import Models
from drretail.prompts import load_prompt, tagged
from drretail.querygen.by_model.session import ROLE, ModelSession
from drretail.querygen.hiding import Rewrite, Withheld
from drretail.querygen.revisions import version_of
from drretail.records.base import Record
from drretail.records.query import Query
from drretail.records.wish import Wish, WishPart


class WithoutLimits(Record):
    """The question without the limits, and what the shopper says instead."""

    text: str = Field(min_length=1)
    says: tuple[str, ...] = Field(description="One sentence for each limit, in the order of the lines.")


def model_rewrite(session: ModelSession) -> Rewrite:
    """Asks the session's model to take limits out of a text."""

    def rewrite(query: Query, parts: Sequence[WishPart]) -> Withheld | None:
        wish = query.wish or Wish()
        is_stated = states(query.text, wish)
        stated = [part for part in parts if is_stated(part)]
        others = [part for part in wish.parts() if part not in stated and is_stated(part)]

        def check(written: WithoutLimits) -> str | None:
            if len(written.says) != len(stated):
                return f"says has {len(written.says)} sentences, and there are {len(stated)} limits"
            still = states(written.text, wish)
            for part, say in zip(stated, written.says, strict=True):
                holds = states(say, wish)
                if still(part):
                    return f"the text still states a limit: {_line(part, wish)}"
                if not holds(part):
                    return f"its sentence does not state the limit: {_line(part, wish)}"
                if any(holds(other) for other in (*stated, *others) if other != part):
                    return f"a sentence states another limit as well: {say}"
            lost = [other for other in others if not still(other)]
            return f"the text has lost a limit: {_line(lost[0], wish)}" if lost else None

        async def question(models: Models, scope: str, _: int) -> WithoutLimits:
            limits = "\n".join(_line(part, wish) for part in stated)
            given = f"{tagged('query', query.text)}\n{tagged('limits', limits)}"
            messages = [SystemMessage(load_prompt(__file__, "withhold").render()), HumanMessage(given)]
            return await models.ask(ROLE, messages, WithoutLimits, path=scope, check=check)

        if not stated:
            return None
        try:
            name = f"{query.query_id}~{version_of(query)[:12]}#withhold"
            written = run_loop(session.put(name, question))
        except ModelError:
            return None
        return Withheld(written.text, dict(zip(stated, written.says, strict=True)))

    return rewrite


def _line(part: WishPart, wish: Wish) -> str:
    """A limit alone, in words."""
    alone = wish.without([other for other in wish.parts() if other != part])
    if part.index is None:
        return wish_lines(Wish(budget=alone.budget, deadline=alone.deadline))[1]
    want = alone.wants[part.index]
    return want_line(want.model_copy(update={"kinds": (want.name,), "again": False, "optional": False}))
