"""What works here: the machine, and a model with the prompts as they are sent.

machine.py        Python, packages, keys, servers, Java and disks; a model asked for one word
tiny_shop.py      the shop, the page and the question that the probes are about
conversations.py  six short conversations with a model, over the agents' and the judge's own prompts
probes.py         nine probes, each a verdict on one of these conversations
prompt_kit.py     all probes of one model, within a cap in dollars
"""
