"""Texts that try to make an agent that reads them do something (docs/scores.md).

texts.py     the texts of texts.toml, as planted and as read
"""
