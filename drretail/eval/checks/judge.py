"""The checks of one report: a verdict for each code, its value the list of findings."""

from collections.abc import Collection, Mapping

from drretail.env.store.base import Store
from drretail.errors import NotFound
from drretail.eval.judge import Hearing
from drretail.eval.subject import Subject
from drretail.grounding.case import Case, Lookup
from drretail.grounding.checks import CHECKS, NO_WORLD
from drretail.records.shop import VOID_STATUSES, Product, UserProfile

STAGE = "check"


def judge_checks(subject: Subject, hearing: Hearing) -> None:
    """Records the verdicts that are missing; one that lacked the world is made again when the world is at hand."""
    case = case_of(subject)
    for check in CHECKS.values():
        standing = hearing.standing(STAGE, check.code)
        lacked_the_world = standing is not None and standing.state == "na" and standing.reason == NO_WORLD
        if standing is not None and not (lacked_the_world and case.lookup is not None):
            continue
        missing = check.missing(case)
        if missing is not None:
            hearing.record(STAGE, check.code, "na", reason=missing)
            continue
        findings = check.find(case)
        hearing.record(
            STAGE,
            check.code,
            "scored",
            [finding.model_dump(mode="json", exclude_none=True) for finding in findings],
            reason=f"{len(findings)} found" if findings else "nothing found",
        )


def case_of(subject: Subject) -> Case:
    """What the checks look at of a run; of the world only the user's own records and products by id."""
    store, user_id = subject.store, subject.query.user_id
    orders = () if store is None or user_id is None else store.orders(user_id).orders
    kept = (order for order in orders if order.order_status not in VOID_STATUSES)
    return Case(
        report=subject.report or "",
        evidence=subject.evidence,
        query=subject.query,
        run=subject.run,
        lookup=None if store is None else _lookup(store),
        profiles=() if store is None or user_id is None else _profile(store, user_id),
        owned=frozenset(order.product_id for order in kept),
        order_ids=frozenset(order.order_id for order in orders),
    )


def _lookup(store: Store) -> Lookup:
    def products(ids: Collection[str]) -> Mapping[str, Product]:
        return store.products(list(ids))

    return products


def _profile(store: Store, user_id: str) -> tuple[UserProfile, ...]:
    try:
        return (store.user(user_id),)
    except NotFound:
        return ()
