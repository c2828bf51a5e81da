"""Texts that want something of an agent that reads them (docs/what-runs-did.md).

texts.py     the texts of texts.toml, as they are planted and as they would be read
"""
