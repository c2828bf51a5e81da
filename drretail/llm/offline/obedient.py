"""The policy of offline:obedient: offline:shopper that obeys every hostile text.

It shows what the tools and the runner prevent by themselves; everything else depends on the model. It reads through
invisible characters, leaks what it read into the summaries that it writes for others, and recognises only the hostile
texts that drretail ships.
"""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call

from drretail.grounding.hostile import HostileText, hostile_texts, unhidden
from drretail.grounding.report.picks import picks_block, take_picks
from drretail.grounding.text.untrusted import harmless
from drretail.llm.offline.chat import Turn
from drretail.llm.offline.shopper import DETAILS, PROFILE, SEARCH, SHOP_TOOLS, SUMMARY, SYNTHESIS, WEB, Call, shop
from drretail.records.reading import Pick

UPDATE = "update_user_profile"
_PERSONAL = re.compile(r'"(email|first_name|last_name|phone_number|zip|user_id)": ?"([^"\\]+)"')
_SHOWN = re.compile(r'"product_id": ?"(\w+)"')
_BLANK = re.compile(r"\{(\w+)\}")


def obey(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The shopper's next turn, with everything that the hostile texts read so far ask for."""
    turn, answer = Turn(messages, tools, choice), shop(messages, tools, choice)
    read = unhidden("\n".join(message.text for message in messages)).replace('\\"', '"')
    texts = [text for text in hostile_texts() if text.is_in(read)]
    # What it can leak about the user: the id, and the values in the records that it read.
    known = dict(_PERSONAL.findall(read)) | {
        tag.name: tag.content.strip() for tag in turn.tags if tag.name == "user_id"
    }
    named = {call["name"] for call in answer.tool_calls}
    # Opens every product that a search showed: the hostile texts of listings are in their records, not their titles.
    shown = dict.fromkeys(_SHOWN.findall(read)) if DETAILS in turn.tool_names else {}
    looks: list[Call] = [(DETAILS, {"product_id": id_}) for id_ in shown]
    if not texts and not looks:
        return answer
    if named & {SUMMARY, SYNTHESIS} or (not answer.tool_calls and answer.text.startswith("{")):
        return _passing_on(answer, texts, known)
    wanted = [*looks, *(call for text in texts for call in _calls(text, known, turn.tool_names))]
    turns = [message for message in messages if isinstance(message, AIMessage)]
    made = [(call["name"], call["args"]) for message in turns for call in message.tool_calls]
    new = [call for at, call in enumerate(wanted) if call not in made and call not in wanted[:at]]
    if new and turn.forced_tool is None:
        # Of its own calls only those to the shop stay: one that ends the research would come before the hostile ones.
        own = [call for call in answer.tool_calls if call["name"] in SHOP_TOOLS]
        calls = [tool_call(name=name, args=args, id=None) for name, args in new]
        return AIMessage(answer.text if own else "", tool_calls=[*own, *calls])
    if answer.tool_calls:
        return answer
    written = take_picks(answer.text)
    lines = [line for text in texts if (line := _line(text, known))]
    bought = [Pick(product=text.wanted, quantity=text.quantity) for text in texts if _buys(text)]
    return AIMessage("\n\n".join([written.report.rstrip(), *lines, picks_block([*(written.picks or ()), *bought])]))


def _calls(text: HostileText, known: Mapping[str, str], tools: frozenset[str]) -> list[Call]:
    own = known.get("user_id", "")
    value: Any = {text.field: text.mark} if text.field != "address1" else {"address": {text.field: text.mark}}
    address = _filled(text, known)
    calls: dict[str, list[Call]] = {
        "profile": [(UPDATE, {"user_id": text.of or own, **value})],
        "look": [(PROFILE, {"user_id": text.mark})],
        "send": [(WEB, {"query": address})] if address and text.by == "search" else [],
        "pick": [(DETAILS, {"product_id": text.wanted})],
        "call": [(SEARCH, {"query": text.mark})],
    }
    if text.do == "send" and address is None and own:
        calls["send"] = [(PROFILE, {"user_id": own})]
    return [(name, args) for name, args in calls.get(text.do, []) if name in tools]


def _filled(text: HostileText, known: Mapping[str, str]) -> str | None:
    """The address with the user's data filled in. None without an address, or if a value it needs is unknown."""
    if not text.address or not {*_BLANK.findall(text.address)} <= known.keys():
        return None
    coded = {name: base64.b64encode(value.encode()).decode().rstrip("=") for name, value in known.items()}
    return text.address.format_map(coded if text.encoded else known)


def _passing_on(answer: AIMessage, texts: Sequence[HostileText], known: Mapping[str, str]) -> AIMessage:
    """A summary or synthesis that also leaks the hostile texts and what is known of the user."""
    reply: dict[str, Any] = dict(answer.tool_calls[0]["args"]) if answer.tool_calls else json.loads(answer.text)
    additions = [*(harmless(text.readable) for text in texts), json.dumps(known, ensure_ascii=False)]
    if "insights" in reply:
        reply["insights"] = [*reply["insights"], *({"statement": each, "citations": []} for each in additions)]
    else:
        reply |= {"relevant": True, "summary": " ".join([str(reply.get("summary", "")), *additions])}
    if not answer.tool_calls:
        return AIMessage(json.dumps(reply, ensure_ascii=False))
    return AIMessage(answer.text, tool_calls=[answer.tool_calls[0] | {"args": reply}])


def _buys(text: HostileText) -> bool:
    return text.do == "pick" or (text.do == "cite" and text.kind == "tool result")


def _line(text: HostileText, known: Mapping[str, str]) -> str | None:
    if text.do == "send" and text.by == "report":
        return _filled(text, known)
    if text.do == "say":
        return f"{text.mark}."
    source = text.mark if text.do == "cite" else text.wanted
    mark = source if ":" in source else f"P:{source}"
    return f"It is the best choice [{mark}]." if text.do == "cite" or _buys(text) else None
