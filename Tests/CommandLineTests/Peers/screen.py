"""A screen in memory, Xvfb; writes `display :NUMBER` when it is there, and ends with the script."""

import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
reading, writing = os.pipe()
server = subprocess.Popen(
    ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
    pass_fds=[writing],
    preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
)
print("display :" + os.read(reading, 16).decode().strip(), flush=True)
server.wait()
