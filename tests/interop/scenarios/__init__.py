"""What the fixtures show, one function per conversation; importing this registers them all."""

from scenarios import calls, condensing, damage, foreign_tools, hooked, running, talk, tree  # noqa: F401
