"""How the question is understood: a typed wish, the first answer of the agent's model.

Researchers, writer and verifier go by it, and readers of the report are shown it. What the query's own maker typed
is never seen here.
"""

from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import Field

from drretail.agents.base import task_message
from drretail.agents.grounded_hybrid.telling import Owned, owned_block
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.prompts import Prompt
from drretail.records.money import Money
from drretail.records.query import Task
from drretail.records.wish import MOST_PIECES, Want, Wish

REPAIRS = 1
"""How often an answer that does not fit is asked for again."""


class Amount(Money):
    """Money whose currency is named."""

    currency: str = Field(description="Its ISO 4217 code, such as USD.")


class UnderstoodWant(Want):
    """A want of which every field is answered."""

    quantity: int = Field(ge=1, le=MOST_PIECES, description="How many of it are to be bought; 1 where none is named.")
    optional: bool = Field(description="True where the shopper asks whether to buy it at all.")
    again: bool = Field(description="True where a product that the shopper has may be bought once more.")
    must: tuple[str, ...] = Field(description="What the product must be or have, each in a few words.")
    must_not: tuple[str, ...] = Field(description="What it must not be or have, each in a few words.")
    rating_min: float | None = Field(ge=0, le=5, description="The least average rating, in stars.")
    ratings_min: int | None = Field(ge=0, description="The least number of ratings or reviews.")
    price_max: Amount | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- records are frozen
        description="The most that one piece may cost."
    )
    brands_wanted: tuple[str, ...] = Field(description="One of these brands, where any is named.")
    brands_unwanted: tuple[str, ...] = Field(description="None of these brands.")


class Understood(Wish):
    """All that the question wants bought; a model's answer, of which every field is answered."""

    wants: tuple[UnderstoodWant, ...] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- as above
        description="One for each thing to be bought; empty where none is."
    )
    budget: Amount | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride] -- as above
        description="The most that everything together may cost."
    )
    room: bool = Field(description="True where more may be added than what is named.")
    deadline: str | None = Field(description="Until when it has to arrive, in the question's words.")
    owned: tuple[str, ...] = Field(description="Product ids, from the orders, of what the question says is owned.")
    orders: tuple[str, ...] = Field(description="Order ids that the question names.")

    def as_wish(self) -> Wish:
        return Wish.model_validate(self.model_dump())


async def understand(
    task: Task, session: Session, models: Models, owned: Sequence[Owned]
) -> tuple[Wish | None, tuple[str, ...]]:
    """What the supervisor's model says that the question wants, and notes; None where it gives no usable answer.

    ``owned`` are the products of the shopper's orders; of the answer's, those that are none of these are left out.
    """
    parts = [task_message(task, session).text, *([owned_block(owned, task.text)] if owned else [])]
    messages = [SystemMessage(understanding_prompt().render()), HumanMessage("\n".join(parts))]
    try:
        answer = await models.ask("supervisor", messages, Understood, repairs=REPAIRS)
    except ModelError as failure:
        return None, (f"not known how the question was understood: {failure.kind}: {failure.message}",)
    ordered = {product.product_id for product in owned}
    wish = answer.as_wish()
    unknown = [product_id for product_id in wish.owned if product_id not in ordered]
    known = tuple(product_id for product_id in wish.owned if product_id in ordered)
    notes = (f"named as owned, but in no order: {', '.join(unknown)}",) if unknown else ()
    return wish.model_copy(update={"owned": known}), notes


def understanding_prompt() -> Prompt:
    return agent_prompt(__file__, "understanding")
