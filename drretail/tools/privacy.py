"""Whose data a tool may touch."""

from drretail.env.session import Session
from drretail.errors import ToolError


class OtherUser(ToolError):
    """The session is scoped to its acting user, and this is another's data."""

    def __init__(self, user_id: str, acting_user_id: str | None, field: str) -> None:
        whose = "of nobody" if acting_user_id is None else f"of user {acting_user_id!r} only"
        super().__init__("forbidden", f"This session may see personal data and orders {whose}.", field=field)
        self.user_id = user_id


def require_access(session: Session, user_id: str, *, field: str = "user_id") -> None:
    """Raises OtherUser when the session is scoped and ``user_id`` is not its acting user."""
    if session.scope_to_user and user_id != session.user_id:
        raise OtherUser(user_id, session.user_id, field)
