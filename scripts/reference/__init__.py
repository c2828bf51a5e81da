"""The made pages of the documentation: commands.md, python.md and graphs.md in docs/reference/.

    python -m scripts.reference     # writes them; tests/addons/test_reference.py says when they are out of date

commands.py  every command with its options, from what typer is given
python.py    every name of Python that stays the same, from signatures, options and docstrings
graphs.py    the agents' graphs, drawn from the graphs that run
source.py    modules as text: definitions, imports, and types as they are spelled for a reader
markdown.py  docstrings and help as Markdown
pages.py     which pages are made
"""
