"""The tools that read and change what the shop knows about a user."""

from typing import Any, TypedDict

from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.records.evidence import Source
from drretail.records.shop import UserProfile
from drretail.reports.text.evidence_ids import UserEvidence, user_evidence_id
from drretail.reports.text.serialisation import compact, compact_json, user_record
from drretail.reports.text.untrusted import harmless_values
from drretail.tools.arguments import OtherUser, UserId, require_access
from drretail.tools.tool import ToolResult

_LONGEST = 120


class AddressChange(TypedDict, total=False):
    """Parts of a postal address, to be replaced.

    The parts have no descriptions: every call of every model pays for a schema, and hardly any call changes an address.
    """

    address1: str
    city: str
    state: str
    zip: str
    country: str


def get_user_profile(session: Session, user_id: UserId) -> ToolResult:
    """Gives the profile of one user.

    Args:
        user_id: Id of the user, e.g. "AEXAMPLEUSER00000000000000A1"; not a name and not an e-mail address.

    Returns:
        evidence (the evidence id to cite the profile by), user_id, email, first and last name, phone_number, address
        (address1, city, state, zip, country) and account_status.
    """
    require_access(session, user_id)
    return _profile_result(session, session.user(user_id))


def update_user_profile(
    session: Session,
    user_id: UserId,
    email: str | None = None,
    first_name: str | None = None,
    last_name: str | None = None,
    phone_number: str | None = None,
    address: AddressChange | None = None,
) -> ToolResult:
    """Changes the profile of the user you work for, when that user asks for it. What is not given stays as it is.

    Args:
        user_id: Id of that user, e.g. "AEXAMPLEUSER00000000000000A1".

    Returns:
        The profile after the change, with its evidence id.
    """
    # Whatever the session's scope, a run changes nobody else's data.
    if user_id != session.settings.user_id:
        raise OtherUser(user_id, session.settings.user_id, "user_id", "change the profile")
    fields = {"email": email, "first_name": first_name, "last_name": last_name, "phone_number": phone_number}
    change: dict[str, Any] = {field: _text(field, text) for field, text in fields.items() if text is not None}
    before = session.user(user_id)
    if address:
        parts = {part: _text(f"address.{part}", str(text)) for part, text in address.items()}
        change["address"] = before.address.model_copy(update=parts)
    if not change:
        allowed = ["email", "first_name", "last_name", "phone_number", "address"]
        raise ToolError("invalid_argument", "No field to change was given.", allowed=allowed)
    after = before.model_copy(update=change)
    session.update_user(after)
    return _profile_result(session, after)


def get_user_statistics(session: Session, user_id: UserId) -> ToolResult:
    """Gives figures about a user's shopping, counted over all orders of the user.

    Args:
        user_id: Id of the user, e.g. "AEXAMPLEUSER00000000000000A1"; not a name and not an e-mail address.

    Returns:
        evidence (the evidence id to cite the figures by), orders in all and by status, items, spend at present prices
        with its currency, orders whose price is unknown (not part of spend), mean_order, first and last order date,
        orders per month, top categories, brands and products by number of orders, and the share of reorders. Cancelled
        and returned orders count only in the orders by status. A figure that cannot be known is left out.
    """
    require_access(session, user_id)
    statistics = session.settings.world.store.statistics(user_id)
    evidence = user_evidence_id("statistics", user_id, session.settings.user_id)
    value: dict[str, Any] = {"evidence": evidence} | harmless_values(statistics.model_dump(mode="json"))
    if statistics.orders_with_unknown_price and statistics.mean_order is None:
        value["spend"] = None  # no price is known: a sum of 0 would look like a figure
    source = user_source("statistics", f"Shopping statistics of user {user_id}", user_id, value)
    return ToolResult(compact(value), (source,), about=user_id)


def _profile_result(session: Session, profile: UserProfile) -> ToolResult:
    user_id = profile.user_id
    value = user_record(profile, user_evidence_id("profile", user_id, session.settings.user_id))
    source = user_source("profile", f"Profile of user {user_id}", user_id, value)
    return ToolResult(value, (source,), about=user_id)


def user_source(part: UserEvidence, title: str, user_id: str, value: dict[str, Any]) -> Source:
    """What a tool showed of a user's data, as a source under ``value``'s evidence id."""
    return Source(
        id=value["evidence"],
        kind="user",
        key=f"{part} of {user_id}",
        title=title,
        form="record",
        text=compact_json(value),
    )


def _text(field: str, text: str) -> str:
    if not text.strip():
        raise ToolError("invalid_argument", f"{field} is blank.", field=field)
    if len(text) > _LONGEST:
        message = f"{field} has {len(text):,} characters; at most {_LONGEST} are allowed."
        raise ToolError("invalid_argument", message, field=field)
    return text.strip()
