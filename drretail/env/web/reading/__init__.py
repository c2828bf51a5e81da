"""Raw pages as text for models and judges: ``page.read_page`` is the way in.

parsing       characters and tree, without what is not shown      tags      tags of a bearable length
markdown      article or layout                                   layout    all blocks but the site's furniture
product_data  schema.org products                                 offers    how they are written
dates         published, modified                                 walls     bot checks, consent, logins
cleaning      no hidden characters, no absurd lengths, no marks in the form of our citations
"""
