"""Checks what works here: the machine, and a model with the prompts as they are sent.

command.py        ``doctor``: its options, and what it prints
machine.py        Python, packages, keys, servers, Java and disks; a model asked for one word
tiny_shop.py      the shop, the page and the question of the probes
conversations.py  six short conversations with a model, over the agents' and the judge's own prompts
prompt_kit.py     nine probes, each a verdict on one of these conversations, and all of them within a cap in dollars
"""
