"""The documentation as a site: the pages of docs/ and each add-on's README.md, with one search.

    python -m scripts.site && zensical build --strict      # then open site/index.html

Site builders read one folder, and an add-on's page lies with its code. So the pages are copied into build/docs, and
links between them are written anew; in the repository they lead from file to file.
"""

import os
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILT = ROOT / "build" / "docs"
_LINK = re.compile(r"(?<=\]\()(?P<path>[^)\s#:]+)(?=[)#])")


def pages() -> dict[str, Path]:
    """Every page's file, by its path in the site."""
    addons = sorted((ROOT / "drretail" / "addons").glob("*/README.md"))
    return {
        **{path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))},
        **{f"addons/{path.parent.name}.md": path for path in addons},
    }


def text_in_site(name: str) -> str:
    """A page with its links as the site needs them; one that leads out of the site stays, and the strict build
    refuses it.
    """
    files = pages()
    names = {path: other for other, path in files.items()}

    def in_site(match: re.Match[str]) -> str:
        target = (files[name].parent / match["path"]).resolve()
        if target not in names and not target.is_relative_to(DOCS):
            return match["path"]
        return os.path.relpath(names.get(target) or target.relative_to(DOCS), Path(name).parent)

    return _LINK.sub(in_site, files[name].read_text(encoding="utf-8"))


def main() -> None:
    shutil.rmtree(BUILT, ignore_errors=True)
    shutil.copytree(DOCS, BUILT, ignore=shutil.ignore_patterns("*.md"))
    for name in pages():
        path = BUILT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_in_site(name), encoding="utf-8")


if __name__ == "__main__":
    main()
