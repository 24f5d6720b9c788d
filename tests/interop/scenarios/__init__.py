"""What the fixtures show, one function per conversation; importing this registers them all."""

from scenarios import calls, talk  # noqa: F401
