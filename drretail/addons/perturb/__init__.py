"""A copy of a world with other brands, product ids, prices and ratings, which no model can know by heart.

commands.py         the options and functions of ``world perturb`` and ``queries carry``
perturbed_world.py  ``perturb_world``: new names, and the perturbed world with the mapping that carries queries over
"""
