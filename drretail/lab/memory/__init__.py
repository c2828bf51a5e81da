"""What a model knows of a shop by heart: asked of products by their titles, without any tool.

recollection.py  products drawn from a world, what the model answers for each, and how much of it is right
prompts/         the question
"""
