"""``opening_hours``, a tool that an agent brings by name: Agent(…, tools=("opening_hours",))."""

from drretail import Tool
from drretail.tools.tool import ToolResult


def opening_hours(session, day: str) -> ToolResult:
    """Says when the shop is open.

    Args:
        day: A day of the week.

    Returns:
        The hours.
    """
    return ToolResult({"day": day, "hours": "9 to 17"}, sources=())


OPENING_HOURS = Tool("opening_hours", opening_hours, "read")
