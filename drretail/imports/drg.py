"""DeepResearchGym: a folder of ``<id>.q`` (the question) and ``<id>.a`` (the report), both plain text."""

from pathlib import Path

from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material
from drretail.imports.rows import files_under, read_text


def read(path: Path) -> Material:
    """A folder is a system; questions may lie in a folder of their own."""
    material = Material()
    for file in files_under(path, (".q", ".a")):
        if file.suffix == ".q":
            if question := read_text(file).strip():
                material.add_task(ForeignTask(file.stem, question), str(file))
        else:
            system = file.absolute().parent.name
            material.add_report(ForeignReport(system, file.stem, read_text(file), str(file)))
    return material


FORMAT = Format("DeepResearchGym: a folder of <id>.q and <id>.a", read)
