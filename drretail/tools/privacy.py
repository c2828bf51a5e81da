"""Whose data a tool may read or change, and what a query to a search engine may hold."""

from dataclasses import dataclass

from drretail.env.session import Session
from drretail.env.web.bm25 import terms
from drretail.errors import ToolError
from drretail.grounding.text.personal_data import People, without_personal_data
from drretail.grounding.verify.privacy import known_profiles
from drretail.records.shop import UserProfile
from drretail.records.trajectory import Place


class OtherUser(ToolError):
    """The data belong to another user: no run may change them, and only a run whose scope is "any" may read them."""

    def __init__(
        self, user_id: str, acting_user_id: str | None, field: str, act: str = "see personal data and orders"
    ) -> None:
        whose = "of nobody" if acting_user_id is None else f"of user {acting_user_id!r} only"
        super().__init__("forbidden", f"This session may {act} {whose}.", field=field)
        self.user_id = user_id


def require_access(session: Session, user_id: str, *, field: str = "user_id") -> None:
    """Raises OtherUser if ``user_id`` is not the session's acting user, unless the session's scope is any user."""
    if session.settings.scope == "own" and user_id != session.settings.user_id:
        raise OtherUser(user_id, session.settings.user_id, field)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The query that is sent to the search engine; ``redacted`` names what was taken out of it, such
    as "a full name".
    """

    query: str
    redacted: tuple[str, ...] = ()


def outgoing(session: Session, place: Place, query: str) -> Outgoing:
    """The query to send for the step at ``place``, without personal data.

    The session notes it if it differs from the query that was asked. Raises ToolError("invalid_argument") if no search
    term is left.
    """
    if not session.settings.redact:
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
    orders = {entry.key for entry in known if entry.kind == "order"}
    own: list[UserProfile] = []
    if session.settings.user_id is not None:
        # The profile as the world has it, and as it is now if the run has changed it.
        now = session.user(session.settings.user_id)
        own = [session.before.get(session.settings.user_id, now), now]
        orders |= {order.order_id for order in session.settings.world.store.orders(session.settings.user_id).orders}
    profiles = tuple(dict.fromkeys([*own, *known_profiles({entry.id: entry for entry in known})]))
    return People(profiles, frozenset(profile.user_id for profile in profiles), frozenset(orders))
