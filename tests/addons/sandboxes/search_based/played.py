"""A model that answers each question of the builder from what it is shown, and from the roles of the fake web."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from drretail.addons.sandboxes.search_based.queries import Review
from drretail.llm.registry import Model
from tests.addons.sandboxes.search_based.fake_web import FACTS, NEEDS, NOISES, SIGNALS, made_web
from tests.querygen.by_model.scripted import ScriptedChat, scripted, written

PAGES = made_web()
_SCHEMA = re.compile(r"<schema>\n(.*?)\n</schema>", re.DOTALL)
_PAGE = re.compile(r'<page id="(\d+)"[^>]*>\n(.*?)\n</page>', re.DOTALL)
_FILE = re.compile(r'<file name="([^"]+)">\n(.*?)\n</file>', re.DOTALL)
Play = Callable[[str], dict[str, Any]]


def _diverge(_: str) -> dict[str, Any]:
    wide = [*SIGNALS, *NOISES, "feeder colours", "feeder songs", "feeder history"]
    return {
        "matter": "Which feeder is safe for birds?",
        "needs": list(NEEDS),
        "keywords": [{"facet": "some", "keyword": keyword} for keyword in wide],
    }


def _converge(_: str) -> dict[str, Any]:
    kinds = [*((keyword, "signal") for keyword in SIGNALS), *((keyword, "noise") for keyword in NOISES)]
    return {"keywords": [{"keyword": text, "kind": kind, "why": f"It is {kind}."} for text, kind in kinds]}


def _rule(asked: str) -> dict[str, Any]:
    (url,) = re.findall(r'<page url="([^"]+)"', asked)
    page = PAGES[url]
    ruling = {"again": "supportive", "beside": "irrelevant", "mirror": "outdated"}.get(page.role, page.role)
    fact = FACTS[page.need] if ruling == "supportive" else page.text
    facts = [{"need": page.need + 1, "fact": fact, "quote": page.text}] if page.text else []
    return {"facts": facts, "why": f"It is {page.role}.", "ruling": ruling}


def _weigh(asked: str) -> dict[str, Any]:
    facts = re.findall(r"^(\d+)\. \(need \d+, [^)]*\) (.*)$", asked, re.MULTILINE)
    groups: dict[str, list[int]] = {}
    for number, fact in facts:
        groups.setdefault(fact, []).append(int(number))
    return {"groups": [{"fact_numbers": group, "needed": True} for group in groups.values()]}


def _settle(asked: str) -> dict[str, Any]:
    pages = _PAGE.findall(asked)
    needs = re.findall(r"^\d+\. (.*\?)$", asked, re.MULTILINE)
    on = {need: [int(n) for n, text in pages if _key(FACTS[NEEDS.index(need)]) in text] for need in needs}
    answers = [{"need": n, "answer": "So.", "pages": on[need]} for n, need in enumerate(needs, 1)]
    return {"needs": answers, "missing": []}


def _gold(asked: str) -> dict[str, Any]:
    texts = [(number, next(fact for fact in FACTS if _key(fact) in text)) for number, text in _PAGE.findall(asked)]
    found = [{"insight": f"It matters that: {fact}", "source": number, "quote": _key(fact)} for number, fact in texts]
    for name, text in _FILE.findall(asked):
        if name == "note.md":
            line = max(text.split("\n"), key=len).removeprefix("- ")
            found.append({"insight": "The note sets a limit.", "source": name, "quote": line})
    return {"insights": found}


def _key(fact: str) -> str:
    """What of a fact also stands in pages that say it again."""
    return fact[1:]


ANSWERS: dict[str, Play] = {
    "Divergence": _diverge,
    "Convergence": _converge,
    "PageRuling": _rule,
    "FactGroups": _weigh,
    "Settlement": _settle,
    "WrittenGold": _gold,
    "WrittenQuery": lambda _: written("backwards"),
    "QueryRequirements": lambda _: {"requirements": [{"requirement": "Names a height.", "category": "content"}]},
    "DepthRubric": lambda _: {"points": [{"point": f"Weighs {number}.", "explanation": "So."} for number in range(4)]},
    "Review": lambda _: {name: {"reason": "It does.", "passes": True} for name in Review.model_fields},
}


def chat(**instead: Play) -> ScriptedChat:
    """The model; ``instead`` answers questions of these schemas otherwise."""
    plays = ANSWERS | instead

    def answer(messages: Sequence[BaseMessage]) -> str:
        asked = "\n".join(message.text for message in messages)
        title = json.loads(_SCHEMA.findall(asked)[-1])["title"]
        return json.dumps(plays[title](asked))

    return ScriptedChat(answer=answer)


def model(**instead: Play) -> Model:
    return scripted(chat(**instead))


def opened() -> ScriptedChat:
    """The model as ``--model`` opens it."""
    return chat()
