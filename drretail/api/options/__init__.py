"""The options of the commands and of their functions, one record a command; they import nothing heavy.

research.py  options of run and ask: models, tools, shop, web, limits
run.py       RunOptions
ask.py       AskOptions
"""
