"""Agents of somebody else's, through the same runner: their calls of tools are recorded like those of ours.

place.py           a command or an address as an agent, and what it is called
command.py         a command: asked on stdin, answering on stdout
endpoint.py        an HTTP address: asked by POST
exchange.py        the JSON that both are asked with, and what they may answer
session_server.py  a run's own session over MCP, for as long as the run goes
"""
