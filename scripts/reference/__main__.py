"""Writes the pages: python -m scripts.reference."""

from scripts.reference.pages import MADE

for path, page in MADE.items():
    text = page()
    path.write_text(text, encoding="utf-8")
    print(f"{path}: {len(text.split()):,} words")
