"""Worlds from Python: raw files are fetched or made up, ingested, checked and copied, as by the commands.

ingest.py   download, synth: Amazon's files, or made-up ones in their form; ingest: raw files → world
world.py    info, check, copy, use: of a world
tools.py    tools: the nine tools, and a call of one; mcp: the nine tools for MCP clients
serve.py    serve: the doors of one session, for agents tried by hand
"""
