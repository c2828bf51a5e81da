"""Checks what works here: the machine, and a model with the prompts as they are sent.

command.py        ``doctor``: its options, and what it prints
sent_prompts.py   the prompts of agents and judges as a model receives them
machine.py        Python, packages, keys, servers, Java and disks; a model asked for one word
prompt_kit.py     a tiny shop, six short conversations with a model over the agents' and the judge's own prompts, and
                  nine probes, each a verdict on one of these; all within a cap in dollars
"""
