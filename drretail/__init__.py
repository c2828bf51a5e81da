"""drretail: an open implementation of DeepResearch Retail.

Reading order = data flow = import order, top of this list last; a layer imports only what stands below it:

    cli/           the command, a thin file each
    viewer/        pages, the terminal report, tables
    doctor.py      what works on this machine
    eval/          judges and scores
    querygen/      profile-aware queries
    agents/        research in the shop and on the web, and the runs it leaves
    tools/         the nine
    data_ingest/   raw files → world
    env/           the world: store, catalog, web, session
    offline/       rule-based stand-ins for models, loaded by name only
    llm/           chat models by "provider:model"
    experiment.py  the folder of runs
    journal.py     outside effects: resume, replay, caching and accounting in one
    grounding/     how texts are read, cited, checked and rendered: pure functions
    stats/         intervals, tests, agreement, ranking, power
    prompts.py     prompts beside their callers
    progress.py    what a command tells while it works
    settings.py    flags, environment and drretail.toml, read at the edge only
    files.py       files that survive a crash
    trajectory.py  the steps of a run
    plugins.py     things by name: built-in, entry points, module:attribute
    event_loop.py  the loop of a command, and Ctrl-C in it
    records/       what crosses a folder
    errors.py      who must act
"""

__version__ = "0.1.0"
