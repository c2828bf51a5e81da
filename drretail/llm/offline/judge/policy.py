"""The policy of offline:judge: the name of the answer schema chooses the rules, and the tags hold the data."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from drretail.errors import ModelError
from drretail.grounding.text.words import is_english
from drretail.grounding.verify.answers.product_statements import AGREES
from drretail.llm.offline.chat import Turn, tags_in
from drretail.llm.offline.judge.claims import extract_claims
from drretail.llm.offline.judge.support import judge_claim
from drretail.llm.offline.plain import filled, plain_answer

QUESTION = "Q"
"""The id of the shopper's question among the sources."""


def judge(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The answer in the requested schema: a call of the bound tool, or JSON if a ``<schema>`` tag asks for it."""
    turn = Turn(messages, tools, choice)
    schema = turn.schema
    if schema is None:
        return plain_answer(turn)
    # Later human messages only ask for repairs of the answer.
    prompt = next((message.text for message in messages if isinstance(message, HumanMessage)), "")
    rule = _RULES.get(str(schema.get("title", "")))
    if rule is not None and not is_english("\n".join(tag_contents("report", prompt))):
        raise ModelError("refusal", "offline:judge reads English, and this is in another language: judge by a model")
    return turn.in_schema(filled(schema, "") if rule is None else rule(prompt))


def tag_contents(name: str, text: str) -> list[str]:
    """The contents of the outermost tags of this name, in order."""
    return [tag.content for tag in tags_in(text) if tag.name == name]


def _extracted(prompt: str, *, only_cited: bool = False, **fields: Any) -> dict[str, Any]:
    report = "\n".join(tag_contents("report", prompt))
    found = extract_claims(report, only_cited=only_cited)
    return {
        "claims": [
            {"claim_id": number, "claim": each.claim, "quote": each.quote, "sources": list(each.sources), **fields}
            for number, each in enumerate(found, 1)
        ]
    }


def _supported(prompt: str) -> dict[str, Any]:
    opinion = judge_claim("\n".join(tag_contents("claim", prompt)), tag_contents("source", prompt))
    return {"support": opinion.label, "justification": opinion.reason, "quote": opinion.quote}


def _all_supported(prompt: str) -> dict[str, Any]:
    """Judges each claim by the records among its sources."""
    tags = tags_in(prompt)
    question = "\n".join(tag.content for tag in tags if tag.attributes.get("id") == QUESTION)
    judged: list[dict[str, Any]] = []
    for number, claim in enumerate((tag for tag in tags if tag.name == "claim"), 1):
        cited = claim.attributes.get("sources", "").split()
        sources = [tag.content for tag in tags if tag.name == "source" and tag.attributes.get("id", "") in cited]
        opinion = judge_claim(claim.content, sources, question)
        # Code's comparison with the shop's records, which the prompt holds if it differs from the judge's first answer.
        named = claim.attributes.get("id")
        lines = [tag.content for tag in tags if tag.name == "record" and tag.attributes.get("claim") == named]
        if denied := [line for line in lines if AGREES not in line]:
            opinion = replace(opinion, label="contradicted", reason="; ".join(denied))
        quotes = [opinion.quote] if opinion.quote else []
        judged.append({"claim_id": number, "quotes": quotes, "justification": opinion.reason, "label": opinion.label})
    return {"claims": judged}


def _confirmed(prompt: str) -> dict[str, Any]:
    """Confirms all that a record contradicts, by the words that it questions."""
    items = [tag.content for tag in tags_in(prompt) if tag.name == "claim"]
    words = [item.partition("\nits words: ")[2].partition("\n")[0] for item in items]
    return {
        "confirmations": [
            {"claim_id": number, "quote": quote, "justification": "the record says otherwise", "confirmed": True}
            for number, quote in enumerate(words, 1)
        ]
    }


_RULES: dict[str, Callable[[str], dict[str, Any]]] = {
    "ReportClaims": lambda prompt: _extracted(prompt, values=[]),
    "ClaimsAndPicks": lambda prompt: {**_extracted(prompt, values=[]), "picks": []},
    "CitedClaims": lambda prompt: _extracted(prompt, only_cited=True),
    "AllClaims": _extracted,
    "ClaimsSupport": _all_supported,
    "Support": _supported,
    "Confirmations": _confirmed,
}
