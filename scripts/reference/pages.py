"""Which pages are made."""

from scripts.reference.commands import commands_page
from scripts.reference.graphs import AGENTS_PAGE, agents_page
from scripts.reference.python import python_page
from scripts.reference.source import ROOT

FOLDER = ROOT / "docs" / "reference"
MADE = {FOLDER / "commands.md": commands_page, FOLDER / "python.md": python_page, AGENTS_PAGE: agents_page}
