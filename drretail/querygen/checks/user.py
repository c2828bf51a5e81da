"""Whether there is a user behind a query, with orders to go by."""

from collections.abc import Iterator

from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding

CODES = {
    "user_missing": "a profile-aware query names no user",
    "user_unknown": "the world does not hold the user",
    "user_without_orders": "the user has no order that was kept",
}


def check(case: Case) -> Iterator[Finding]:
    query = case.query
    if query.user_id is None:
        if query.mode == "profile_aware":
            yield found("user_missing", query.query_id, "a profile-aware query is asked by a user")
    elif case.shopper is None:
        yield found("user_unknown", query.user_id, "this world holds no such user")
    elif query.mode == "profile_aware" and not case.shopper.kept:
        void = len(case.shopper.orders)
        yield found("user_without_orders", query.user_id, f"{void} orders, all cancelled or returned")
