"""drretail: an open implementation of DeepResearch Retail.

Reading order = data flow = import order, top of this list last:

    cli          one file per command, no logic
    viewer       pages and the terminal report
    eval         judges and scores            doctor   what works on this machine
    querygen     profile-aware queries        agents   research in the shop and on the web
    tools        the nine                     data_ingest   raw files → world
    env          the world: store, catalog, web, session
    experiment   the folder of runs           llm      chat models, offline ones included
    effects      the journal                  grounding   citations, mentions, rendering
                 trajectory   the steps of a run
    prompts      progress     settings        files        plugins      event_loop      raters
    records      what crosses a folder
    errors       who must act
"""

__version__ = "0.1.0"
