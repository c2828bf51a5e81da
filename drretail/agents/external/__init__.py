"""External agents, run by the same runner: their tool calls are recorded like those of the built-in agents.

command.py   a command: asked on stdin, answering on stdout
endpoint.py  an HTTP address: asked by POST
exchange.py  the JSON that both are asked with, what they may answer, and the run's own session over MCP
"""
