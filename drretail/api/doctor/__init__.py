"""Checks what works here: the machine, and a model with the prompts as they are sent.

command.py        ``doctor``: its options, and what it prints
sent_prompts.py   the prompts of agents and judges as a model receives them
machine.py        Python, packages, keys, servers, Java and disks; a model asked for one word
conversations.py  the probes' tiny shop, and six short conversations with a model, over the agents' and the judge's own
                  prompts
prompt_kit.py     nine probes, each a verdict on one of these conversations, and all of them within a cap in dollars
"""
