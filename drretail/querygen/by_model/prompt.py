"""What a model is sent when it is asked for a query: the paper's four inputs (section 3.2), in our words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.querygen.by_model.shelf import Shelf, owned_by
from drretail.querygen.by_model.targets import Target, category_names
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from drretail.tools.registry import json_schemas

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

# A shop of thousands of categories would fill the prompt.
_MOST_CATEGORIES = 60
# Of what a shopper owns, whoever types a question is shown so many products: it may speak of any of them.
_MOST_OWNED = 100
NOTHING = "Nothing is known."
NAMES = (
    "instructions",
    "deep_research",
    "domain",
    "wish",
    "profile_aware",
    "generic",
    "again",
    "typing",
)


def prompts() -> dict[str, Prompt]:
    """Every wording that a model is asked in, by name."""
    return {name: load_prompt(__file__, name) for name in NAMES}


class PromptBuilder:
    """Writes the messages for any target of one world; what is equal for all of them is written once."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._linter = linter
        self._summaries = Summaries(world)
        self._prompts = prompts()
        self._today = world.manifest.now.date().isoformat()
        self.shelf = Shelf(world)
        """What the shop sells; others who ask for queries may look there, too."""
        self.instructions = self._prompts["instructions"].render(
            language=world.manifest.language.title(),
            deep_research=self._prompts["deep_research"].text.strip(),
            domain=self._prompts["domain"].render(today=self._today).strip(),
            tools=tagged("tools", "\n".join(_tool_lines())),
            categories=tagged("categories", "\n".join(category_names(world)[:_MOST_CATEGORIES])),
            wish=self._prompts["wish"].text.strip(),
        )
        """What every writer of queries is sent first."""

    def messages(self, target: Target, earlier: Sequence[str], attempt: int = 1) -> "list[BaseMessage]":
        """What is sent for the next query of a target that has these already; ``attempt`` 2 is the first retry."""
        again = f"\n{self._prompts['again'].text}" if attempt > 1 else ""
        return self._with_instructions(f"{self._request(target, earlier)}{again}")

    def messages_to_type(self, query: Query) -> "list[BaseMessage]":
        """What is sent for the wish of a question that somebody else put."""
        from langchain_core.messages import HumanMessage

        shopper = self._linter.shopper(query.user_id)
        asked = self._prompts["typing"].render(
            today=self._today,
            wish=self._prompts["wish"].text.strip(),
            shelf=tagged("shelf", self.shelf.near(query.text) or NOTHING),
            owned=tagged("owned", owned_by(shopper, query.text, _MOST_OWNED) if shopper else NOTHING),
            question=tagged("question", query.text),
        )
        return [HumanMessage(asked)]

    def _with_instructions(self, request: str) -> "list[BaseMessage]":
        from langchain_core.messages import HumanMessage, SystemMessage

        return [SystemMessage(self.instructions), HumanMessage(request)]

    def _request(self, target: Target, earlier: Sequence[str]) -> str:
        questions = tagged("questions", "\n\n".join(earlier) or "None yet.")
        shopper = self._linter.shopper(target.user_id)
        shelf = tagged("shelf", self.shelf.around(target, shopper) or NOTHING)
        if target.user_id is None or shopper is None:
            category = tagged("category", target.category)
            return self._prompts["generic"].render(category=category, shelf=shelf, earlier=questions)
        return self._prompts["profile_aware"].render(
            profile=tagged("profile", self._summaries.of(target.user_id).text),
            owned=tagged("owned", owned_by(shopper)),
            shelf=shelf,
            earlier=questions,
        )


def _tool_lines() -> list[str]:
    """A line for each tool: its name, its arguments, and what it is for."""
    lines: list[str] = []
    for schema in json_schemas():
        arguments = ", ".join(schema["parameters"]["properties"])
        purpose = " ".join(schema["description"].partition("\n\nReturns:")[0].split())
        lines.append(f"- {schema['name']}({arguments}): {purpose}")
    return lines
