"""The searches for a task: a model proposes many, then ten are chosen and sorted (DR³-Eval, stage 2)."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from drretail.addons.sandboxes.material import Keyword, Keywords
from drretail.addons.sandboxes.search_based.asker import Asker
from drretail.grounding.text.personal_data import People, personal_data
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record

TEN = 10
FEWEST = 3
"""The fewest keywords of each kind, signal and noise."""
LONGEST = 120
"""The most characters of a search."""
WIDE = 12
"""The fewest searches that the model proposes, of which ten are chosen."""


class SaidFacet(Record):
    facet: str
    keyword: str = Field(min_length=3, max_length=LONGEST)


class Divergence(Record):
    """What is to be found out, and searches that might bring it."""

    matter: str = Field(min_length=1)
    needs: list[str] = Field(min_length=2, max_length=8)
    keywords: list[SaidFacet] = Field(min_length=WIDE)


class SaidKeyword(Record):
    keyword: str
    kind: Literal["signal", "noise"]
    why: str


class Convergence(Record):
    """Ten of these searches, each sorted."""

    keywords: list[SaidKeyword]


async def keywords_of(
    asker: Asker, task: str, about: Sequence[str], people: People, today: str
) -> tuple[str, Keywords]:
    """One sentence on what is to be found out, and the ten searches for it.

    ``about`` is what is known of the question, the shopper and the files, in tags. Raises TaskFailed.
    """

    def names_nobody(answer: Divergence) -> str | None:
        naming = [facet.keyword for facet in answer.keywords if personal_data(facet.keyword, people)]
        return f"these searches tell who the shopper is: {'; '.join(naming)}" if naming else None

    wide = await asker.ask(
        f"{task}/diverge", load_prompt(__file__, "diverge"), about, Divergence, names_nobody, today=today
    )
    offered = list(dict.fromkeys(facet.keyword.strip() for facet in wide.keywords))
    needs = tuple(need.strip() for need in wide.needs)
    shown = [
        tagged("query", wide.matter),
        numbered_needs(needs),
        tagged("keywords", "\n".join(f"{facet.keyword.strip()} – {facet.facet}" for facet in wide.keywords)),
    ]
    prompt = load_prompt(__file__, "converge")
    narrow = await asker.ask(f"{task}/converge", prompt, shown, Convergence, lambda answer: _unsorted(answer, offered))
    ten = tuple(
        Keyword(text=keyword.keyword.strip(), kind=keyword.kind, why=keyword.why.strip()) for keyword in narrow.keywords
    )
    made_by = asker.session.model.spec
    return wide.matter, Keywords(divergent=tuple(offered), convergent=ten, needs=needs, made_by=made_by)


def numbered_needs(needs: Sequence[str]) -> str:
    """The needs with their numbers, in a tag."""
    return tagged("needs", "\n".join(f"{number}. {need}" for number, need in enumerate(needs, 1)))


def _unsorted(answer: Convergence, offered: Sequence[str]) -> str | None:
    chosen = [keyword.keyword.strip() for keyword in answer.keywords]
    if strange := [search for search in chosen if search not in offered]:
        return f"these stand not among the searches, letter for letter: {'; '.join(strange)}"
    if len(set(chosen)) != TEN or len(chosen) != TEN:
        return f"there have to be ten different ones, and these are {len(set(chosen))}"
    signals = sum(keyword.kind == "signal" for keyword in answer.keywords)
    if not FEWEST <= signals <= TEN - FEWEST:
        return f"{signals} are signals and {TEN - signals} noise: at least {FEWEST} have to be of each"
    return None
