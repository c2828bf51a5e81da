"""Texts that want something of an agent that reads them, and whether a run did it (docs/robustness.md).

texts.py     the texts of texts.toml, as they are planted and as they would be read
outcomes.py  what a run made of each of them, by its effects alone
"""
