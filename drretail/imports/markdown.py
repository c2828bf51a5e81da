"""Any product's reports: a folder of Markdown files, the question beside each or in its first heading."""

import re
from pathlib import Path

from drretail.errors import UserError
from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material
from drretail.imports.rows import files_under, read_text

ENDINGS = (".md", ".markdown")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t](?P<words>.*\w.*)$", re.MULTILINE)


def read(path: Path) -> Material:
    """A folder is a system, and a file a report; ``NAME.q`` beside ``NAME.md`` holds the question."""
    material = Material()
    for file in files_under(path, ENDINGS):
        if not file.name.casefold().endswith(ENDINGS):
            raise UserError(f"{file} is no Markdown: name a folder of .md files, or one of them.")
        text = read_text(file)
        asked = file.with_suffix(".q")
        if asked.is_file():
            material.add_task(ForeignTask(file.stem, read_text(asked).strip() or file.stem), str(asked))
        elif heading := _HEADING.search(text):
            words = heading["words"].strip().rstrip("#").rstrip()
            material.add_task(ForeignTask(file.stem, words, guessed=True), str(file))
        material.add_report(ForeignReport(file.absolute().parent.name, file.stem, text, str(file)))
    return material


FORMAT = Format("any product: a folder of .md files, the question in NAME.q or in the first heading", read)
