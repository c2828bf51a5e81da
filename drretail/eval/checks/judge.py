"""The checks of one report: a verdict for each code, its value the list of findings."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from drretail.env.store.base import Store
from drretail.errors import NotFound
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.case import Case, Lookup
from drretail.grounding.checks import CHECKS, NO_WORLD, Check
from drretail.records.score import VerdictState
from drretail.records.shop import VOID_STATUSES, Product, UserProfile

STAGE = "check"


def judge_checks(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the verdicts that are missing.

    Made again are one that lacked the world when the world is at hand, and one that a setting decides when it comes
    out differently now.
    """
    case = case_of(subject)
    for check in CHECKS.values():
        standing = judge_session.standing(STAGE, check.code)
        lacked_the_world = standing is not None and standing.state == "na" and standing.reason == NO_WORLD
        if standing is not None and not (lacked_the_world and case.lookup is not None) and not check.of_settings:
            continue
        outcome = _outcome(check, case)
        if standing is None or outcome != _Outcome(standing.state, standing.value, standing.reason):
            judge_session.record(STAGE, check.code, outcome.state, outcome.value, reason=outcome.reason)


class _Outcome(NamedTuple):
    """What a check comes to."""

    state: VerdictState
    value: Any
    reason: str


def _outcome(check: Check, case: Case) -> _Outcome:
    missing = check.missing(case)
    if missing is not None:
        return _Outcome("na", None, missing)
    findings = [finding.model_dump(mode="json", exclude_none=True) for finding in check.find(case)]
    return _Outcome("scored", findings, f"{len(findings)} found" if findings else "nothing found")


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
        now=None if subject.now is None else subject.now.date(),
        page_age=subject.page_age,
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
