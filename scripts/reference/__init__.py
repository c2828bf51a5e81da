"""What is made from the code: commands.md and python.md in docs/reference/, and the drawings in docs/agents.md.

    python -m scripts.reference     # writes them; tests/addons/test_reference.py says when they are out of date

commands.py  every command with its options, from what typer is given
python.py    every name of Python that stays the same, from signatures, options and docstrings
graphs.py    the drawings of the agents, from the graphs that run
source.py    modules as text: definitions, imports, and types as they are spelled for a reader
markdown.py  docstrings and help as Markdown
pages.py     which pages are made
"""
