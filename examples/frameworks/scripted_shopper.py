"""A model by script for trying frameworks without a key: it searches, opens a product and a page, and cites both.

``--model scripted_shopper:shopper:by-script``. What it reports says nothing about a framework, or about a model.
"""

import base64
import json
import re
import struct
from typing import Any

from langchain_core.messages import AIMessage

from drretail.llm.scripted import Request, ScriptedAnswer, ScriptedChat, scripted_model

WORDS, PRODUCT = "bird feeder", "B0P0C5LLEP"
ARGUMENTS: dict[str, Any] = {
    "tavily_search": {"query": WORDS, "queries": [WORDS]},
    "product_catalog_search": {"query": WORDS},
    "web_search": {"query": WORDS},
    "ConductResearch": {"research_topic": WORDS},
    "LaunchResearcher": {"sub_problem": WORDS},
}
"""The searches by their name, and what they are asked."""
CODE = {
    1: f'print(web_search(query="{WORDS}"))',
    2: 'print(visit_webpage(url="http://ecommerce.com/{product}"))',
}
"""The turns of an agent that writes code."""


SCHEMAS: dict[str, dict[str, Any]] = {
    "ResearchQuestion": {"research_brief": WORDS},
    "Summary": {"summary": f"About a {WORDS}.", "key_excerpts": WORDS},
}
"""Answers in a schema, by its name."""


class Shopper(ScriptedChat):
    """The script as a chat model, with embeddings that count words by their beginnings."""

    @property
    def root_async_client(self) -> "Shopper":
        return self

    async def post(self, path: str, *, body: dict[str, Any], **_: object) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        vectors = [[0.0] * 64 for _ in texts]
        for vector, text in zip(vectors, texts, strict=True):
            for word in str(text).casefold().split():
                vector[sum(word[:5].encode()) % 64] += 1.0
        packed = [base64.b64encode(struct.pack("<64f", *vector)).decode() for vector in vectors]
        rows = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(packed)]
        return {
            "object": "list",
            "data": rows,
            "model": body["model"],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }


def shopper(*_: object) -> Any:
    """The model that ``--model`` names."""
    return scripted_model(name="shopper").with_chat(Shopper(play=play, model="shopper"))


def play(request: Request) -> AIMessage | ScriptedAnswer:
    """The next turn, by the tools that the request has and by what the conversation holds."""
    text = "\n".join(message.text for message in request.messages)
    products = list(dict.fromkeys(re.findall(r"\bB0[A-Z0-9]{8}\b", text.replace("B0EXAMPLE", ""))))
    if request.schema == "IntermediateReport":
        found = {"statement": f"This is a {WORDS}.", "citations": [f"P:{product}" for product in products[:1]]}
        return ScriptedAnswer(structured={"insights": [found], "sources": [], "open_questions": []})
    if request.schema is not None:
        return ScriptedAnswer(structured=SCHEMAS.get(request.schema) or browsing(request.messages[-1].text))
    report = written(text, products)
    if "<code>" in text and "final_answer" in text:
        code = CODE.get(request.turn, f"final_answer({report!r})").replace("{product}", (products or ["-"])[0])
        return AIMessage(f"Thought: the next step.\n<code>\n{code}\n</code>")
    search = next((name for name in ARGUMENTS if name in request.tool_names), None)
    if request.turn == 1 and search is not None:
        return calling(search, ARGUMENTS[search])
    if request.turn == 2 and products and "get_product_details" in request.tool_names:
        return calling("get_product_details", {"product_id": products[0]})
    if request.turn == 2 and products and "tavily_extract" in request.tool_names:
        return calling("tavily_extract", {"urls": [f"http://ecommerce.com/{products[0]}"]})
    end = next((name for name in ("ResearchComplete", "Finalize") if name in request.tool_names), None)
    if end is not None and request.turn > 1:
        return calling(end, {})
    if "list of strings" in text and "search quer" in text:  # gpt-researcher's questions to itself
        return AIMessage(json.dumps([WORDS, f"how to choose a {WORDS}"]))
    if "agent_role_prompt" in text:
        return AIMessage(json.dumps({"server": "Shopper", "agent_role_prompt": "You advise shoppers."}))
    return AIMessage(report)


def browsing(text: str) -> dict[str, Any]:
    """browser-use's next action, by the address at which its browser is."""
    button = re.search(r"\[(\d+)\]<button[^\n]*\n?\s*Add to cart", text)
    if button is not None:
        action: dict[str, Any] = {"click": {"index": int(button[1])}}
    elif "ecommerce.com/cart" in text:
        action = {"done": {"text": "A feeder is in the cart.", "success": True, "files_to_display": []}}
    else:
        action = {"navigate": {"url": f"http://ecommerce.com/{PRODUCT}", "new_tab": False}}
    return {"thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": "", "action": [action]}


def calling(name: str, arguments: dict[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "call"}])


def written(text: str, products: list[str]) -> str:
    """A report on the first product and the first page that were read."""
    lines = ["# A bird feeder", ""]
    if products:
        place = text.find(products[0])
        price = re.search(r"(?:USD |\$|price\W{1,4})(\d+\.\d\d)", text[place:])
        lines.append(f"This one costs ${price[1] if price else '?'} [shop](http://ecommerce.com/{products[0]}).")
    if (page := re.search(r"https://[\w-]+\.example/[\w/.-]+", text)) is not None:
        lines.append(f"A guide is worth reading [guide]({page[0].rstrip('.')}).")
    return "\n".join(lines)
