"""What a model knows of a shop by heart: asked of products by their titles, without any tool.

products.py      products drawn from a world, and how often another product's values would do
recollection.py  what the model answers for each, asked once and kept, and how much of it is right
prompts/         the question
"""
