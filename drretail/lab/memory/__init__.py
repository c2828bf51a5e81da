"""What a model knows of a shop by heart: asked of products by their titles, without any tool.

asked_products.py  products drawn from a world, and how often another product's values would do
recollections.py   what the model says of each, asked once and kept
prompts/           the question
recalled.py        how much of it is right, beside chance
"""
