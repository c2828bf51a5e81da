"""How a command ends."""

import typer


def exit_code(failed: int) -> None:
    """Ends with 3 when runs failed."""
    if failed:
        raise typer.Exit(3)
