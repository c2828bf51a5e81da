"""A copy of a world with other brands, product ids, prices and ratings, which no model can know by heart.

options.py          the options of ``world perturb`` and ``queries carry``
commands.py         the functions of these commands
renaming.py         the names on a shop's products, new names for them, and texts with the new names
perturbed_world.py  ``perturb_world``: writes the perturbed world, and the mapping that carries queries over
"""
