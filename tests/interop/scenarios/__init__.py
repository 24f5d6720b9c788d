"""What the fixtures show, one function per conversation; importing this registers them all."""

from scenarios import (  # noqa: F401
    calls,
    condensing,
    constructed,
    damage,
    foreign_tools,
    hooked,
    lengths,
    models,
    running,
    settings,
    talk,
    toolbox,
    tree,
)
