"""Runs the agent server, and ends it and all that it started as soon as the process that started it is gone.

Its standard input is a pipe from there, which the system closes however that process ends.
"""

import os
import pathlib
import runpy
import signal
import subprocess
import threading


def end_with_parent():
    while os.read(0, 1024):
        pass
    # Terminals are not in the group.
    for socket in pathlib.Path(os.environ["TMUX_TMPDIR"]).glob("*/*"):
        subprocess.run(["tmux", "-S", socket, "kill-server"], capture_output=True)
    os.killpg(0, signal.SIGKILL)


threading.Thread(target=end_with_parent, daemon=True).start()
runpy.run_module("openhands.agent_server", run_name="__main__", alter_sys=True)
