"""The messages that ask a model for a query: the paper's four inputs (section 3.2), in our own words."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.llm.prompts.prompt import Prompt, load_prompt, tagged
from drretail.querygen.by_model.shelf import Shelf, in_full, owned_by
from drretail.querygen.by_model.targets import Target, category_names
from drretail.querygen.lint import Linter
from drretail.querygen.rules.assortment import Assortment
from drretail.records.query import Query
from drretail.tools.registry import json_schemas

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

# A shop of thousands of categories would fill the prompt.
_MOST_CATEGORIES = 60
# The owned products that a model sees when it types a wish: the question may mention any of them.
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
OPTIONAL = ("language", "deep_research", "domain", "categories", "wish", "today", "owned", "needs", "shelf", "earlier")
"""Placeholders that a user's own version may leave out, as the paper's prompt (Table 6) has none for them."""


def filled(prompt: Prompt, **values: str) -> str:
    """The prompt with its placeholders filled, of which a user's own version may lack the ``OPTIONAL`` ones."""
    return prompt.render(
        **{name: text for name, text in values.items() if name not in OPTIONAL or f"{{{{{name}}}}}" in prompt.text}
    )


def prompts() -> dict[str, Prompt]:
    """All prompts for queries and wishes, by name."""
    return {name: load_prompt(__file__, name) for name in NAMES}


class PromptBuilder:
    """Builds the messages for any target of one world. Parts that all targets share are rendered once."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._linter = linter
        self._summaries = Summaries(world)
        self._prompts = prompts()
        self._today = world.manifest.now.date().isoformat()
        tools: list[str] = []
        for schema in json_schemas():
            arguments = ", ".join(schema["parameters"]["properties"])
            purpose = " ".join(schema["description"].partition("\n\nReturns:")[0].split())
            tools.append(f"- {schema['name']}({arguments}): {purpose}")
        self._assortment = Assortment(linter.stock, world.catalog)
        self.shelf = Shelf(world)
        """The kinds of products of the shop; other askers for queries may use it too."""
        self.instructions = filled(
            self._prompts["instructions"],
            language=world.manifest.language.title(),
            deep_research=self._prompts["deep_research"].text.strip(),
            domain=filled(self._prompts["domain"], today=self._today).strip(),
            tools=tagged("tools", "\n".join(tools)),
            categories=tagged("categories", "\n".join(category_names(world)[:_MOST_CATEGORIES])),
            wish=self._prompts["wish"].text.strip(),
        )
        """The system message, which is the same for every query."""

    def messages(self, target: Target, earlier: Sequence[str], attempt: int = 1) -> "list[BaseMessage]":
        """The messages for a target's next query, given its earlier ones. ``attempt`` 2 is the first retry."""
        from langchain_core.messages import HumanMessage, SystemMessage

        questions = tagged("questions", "\n\n".join(earlier) or "None yet.")
        shopper = self._linter.shopper(target.user_id)
        draft = target.draft(len(earlier))
        kinds = {kind: in_full(kind, self._assortment.of(kind)) for kind in _kinds_of(draft)}
        shelf = tagged("shelf", self.shelf.around(target, shopper, first=kinds) or NOTHING)
        if target.user_id is None or shopper is None:
            category = tagged("category", target.category)
            request = filled(self._prompts["generic"], category=category, shelf=shelf, earlier=questions)
        else:
            request = filled(
                self._prompts["profile_aware"],
                profile=tagged("profile", self._summaries.of(target.user_id).text),
                owned=tagged("owned", owned_by(shopper)),
                needs=tagged("needs", NOTHING if draft is None else _told(draft)),
                shelf=shelf,
                earlier=questions,
            )
        again = f"\n{self._prompts['again'].text}" if attempt > 1 else ""
        return [SystemMessage(self.instructions), HumanMessage(f"{request}{again}")]

    def messages_to_type(self, query: Query) -> "list[BaseMessage]":
        """The messages that ask for the wish of a question that somebody else wrote."""
        from langchain_core.messages import HumanMessage

        shopper = self._linter.shopper(query.user_id)
        asked = filled(
            self._prompts["typing"],
            today=self._today,
            wish=self._prompts["wish"].text.strip(),
            shelf=tagged("shelf", self.shelf.near(query.text) or NOTHING),
            owned=tagged("owned", owned_by(shopper, query.text, _MOST_OWNED) if shopper else NOTHING),
            question=tagged("question", query.text),
        )
        return [HumanMessage(asked)]


def _kinds_of(draft: Query | None) -> list[str]:
    wants = () if draft is None or draft.wish is None else draft.wish.wants
    return list(dict.fromkeys(kind for want in wants for kind in want.kinds))


def _told(draft: Query) -> str:
    """What a draft asks for and what makes it hard, without its sentences."""
    wish = {} if draft.wish is None else draft.wish.model_dump(mode="json", exclude_defaults=True)
    typed = json.dumps(wish, ensure_ascii=False)
    return f"kind: {draft.kind}\naxes: {', '.join(draft.axes)}\nwish: {typed}"
