"""A world that no model can know, made of one that some may: other brands, product ids, prices and ratings.

brand_names.py      the names that a shop's products bear, and which of their words are ordinary ones
renaming.py         texts with other names in them
moved_values.py     another price, rating and number of ratings for a product
perturbed_world.py  perturb_world: all of it into a folder, with the mapping that carries queries over
carried_queries.py  queries of the world, carried over into the perturbed one
"""
