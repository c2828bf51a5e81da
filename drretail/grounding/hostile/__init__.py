"""Texts that try to make an agent that reads them do something (docs/what-runs-did.md).

texts.py     the texts of texts.toml, as planted and as read
"""
