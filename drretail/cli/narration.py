"""The lines that tell a person, live, what an agent looks up and what it finds."""

import json
from typing import Any

from drretail.grounding.wording import format_money, short_title
from drretail.records.run import Step

Value = dict[str, Any]
SUBJECTS = ("query", "expression", "product_id", "order_id", "sub_problem", "thought")
ROLES_THAT_ANSWER_IN_JSON = ("summariser", "synthesis")
UNTOLD = ("user_id", "limit", "offset")


def told(step: Step, text: str) -> str | None:
    """One line about a step, or None where there is nothing worth telling."""
    where = f"[{step.path}] " if "." in step.path else ""
    line = _told(step, text)
    return None if line is None else f"{where}{line}"


def _told(step: Step, text: str) -> str | None:
    if step.error is None and step.role in ROLES_THAT_ANSWER_IN_JSON and step.kind != "tool":
        return None if step.role == "summariser" else "· findings consolidated"
    if step.kind != "tool":
        thought = " ".join(text.split()) if step.error is None else f"the model failed: {step.error}"
        return f"· {_cut(thought, 160)}" if thought and not thought.startswith("#") else None
    if step.error is not None:
        return f"  {step.name}: {_cut(step.error, 140)}"
    value = json.loads(text) if text else {}
    finding = FINDINGS.get(step.name or "", _nothing)(value)
    return f"  {step.name}{_asked(step.args or {})}{f' → {finding}' if finding else ''}"


def _asked(args: Value) -> str:
    """The subject of a call, then its filters; who asks and how many are wanted is not worth a word."""
    subject = next((json.dumps(args[name], ensure_ascii=False) for name in SUBJECTS if name in args), "")
    filters = ", ".join(f"{name} {value}" for name, value in args.items() if name not in (*SUBJECTS, *UNTOLD))
    said = f" {subject}" if subject else ""
    return _cut(f"{said} ({filters})" if filters else said, 110)


def _products(value: Value) -> str:
    if not value["hits"]:
        return "nothing"
    best = value["hits"][0]
    price = "no price" if best["price"] is None else format_money(best["price"], best["currency"])
    return f"{value['total']:,} products, first: {short_title(best['title'], 60)} ({price})"


def _product(value: Value) -> str:
    return short_title(value["title"], 80)


def _orders(value: Value) -> str:
    return f"{value['total']:,} orders"


def _profile(value: Value) -> str:
    address = value["address"]
    return f"{value['first_name']} in {address['city']}, {address['state']}"


def _statistics(value: Value) -> str:
    top = ", ".join(entry["name"] for entry in value["top_categories"][:3])
    return f"{value['orders']:,} orders, mostly {top}" if top else f"{value['orders']:,} orders"


def _pages(value: Value) -> str:
    return f"{value['shown']} pages, first: {value['results'][0]['title']}" if value["results"] else "nothing"


def _result(value: Value) -> str:
    return f"{value['value']}"


def _branch(value: Value) -> str:
    """How much a researcher brought back."""
    report = value["report"]
    return f"{len(report['insights'])} insights, {len(report['sources'])} sources"


def _nothing(value: Value) -> str:
    del value
    return ""


FINDINGS = {
    "product_catalog_search": _products,
    "get_product_details": _product,
    "get_user_orders": _orders,
    "get_user_profile": _profile,
    "get_user_statistics": _statistics,
    "web_search": _pages,
    "calculator": _result,
    "LaunchResearcher": _branch,
}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
