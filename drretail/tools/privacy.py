"""Whose data a tool may touch, and what of a query leaves for a search engine."""

from dataclasses import dataclass

from drretail.env.session import Session
from drretail.env.web.bm25 import terms
from drretail.errors import ToolError
from drretail.grounding.text.personal_data import People, without_personal_data
from drretail.grounding.verify.privacy import known_profiles
from drretail.records.shop import UserProfile
from drretail.trajectory import Place


class OtherUser(ToolError):
    """This is not the acting user's data: no run may change it, nor see it unless its scope is any."""

    def __init__(
        self, user_id: str, acting_user_id: str | None, field: str, act: str = "see personal data and orders"
    ) -> None:
        whose = "of nobody" if acting_user_id is None else f"of user {acting_user_id!r} only"
        super().__init__("forbidden", f"This session may {act} {whose}.", field=field)
        self.user_id = user_id


def require_access(session: Session, user_id: str, *, field: str = "user_id") -> None:
    """Raises OtherUser when ``user_id`` is not the session's acting user, unless its scope is any user."""
    if session.scope == "own" and user_id != session.user_id:
        raise OtherUser(user_id, session.user_id, field)


def require_own(session: Session, user_id: str) -> None:
    """Raises OtherUser unless ``user_id`` is the acting user, whatever the scope: a run changes nobody else's data."""
    if user_id != session.user_id:
        raise OtherUser(user_id, session.user_id, "user_id", "change the profile")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The query that may leave; ``redacted`` names what was taken out of it, such as "a full name"."""

    query: str
    redacted: tuple[str, ...] = ()


def outgoing(session: Session, place: Place, query: str) -> Outgoing:
    """The query as it may leave from a step at ``place``; the session notes it where it differs from what was asked.

    Raises ToolError("invalid_argument") when nothing is left that could be searched for.
    """
    if not session.redact:
        return Outgoing(query)
    left, redacted = without_personal_data(query, _people(session, place.path))
    if not redacted:
        return Outgoing(query)
    telling = bool(terms(left))
    session.sent[place] = left if telling else ""
    if not telling:
        raise ToolError(
            "invalid_argument",
            f"query holds nothing but personal data ({', '.join(redacted)}), which is not sent to a search engine:"
            " say what to look for without it.",
            field="query",
        )
    return Outgoing(left, redacted)


def _people(session: Session, path: str) -> People:
    """The acting user, and everybody whose data a step at ``path`` can have read."""
    known = session.ledger.known_at(path)
    handed = known_profiles({entry.id: entry for entry in known})
    profiles = tuple(dict.fromkeys([*_of_acting_user(session), *handed]))
    orders = {entry.key for entry in known if entry.kind == "order"}
    users = {profile.user_id for profile in profiles}
    if session.user_id is not None:
        users.add(session.user_id)
        orders |= {order.order_id for order in session.world.store.orders(session.user_id).orders}
    return People(profiles, frozenset(users), frozenset(orders))


def _of_acting_user(session: Session) -> list[UserProfile]:
    """The profile as the world has it and, where the run has changed it, as it is now."""
    if session.user_id is None:
        return []
    now = session.user(session.user_id)
    return [session.before.get(session.user_id, now), now]
