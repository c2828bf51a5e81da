"""What a text is made of: one reader for each thing.

words.py     its words, which of them carry content, and their stems
"""
