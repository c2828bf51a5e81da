"""Which products keep the demands of a file's queries, as people or a model decide by the products' records.

questions.py   what has to be read: the candidates of each want, and the demands that no field decides
answers.py     several readers' answers → what is decided, how far they agree, and what stays open between them
spreadsheet.py a spreadsheet of questions, and the answers filled in
"""
