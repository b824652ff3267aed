"""Programs that end when the lab does, however it ends."""
import ctypes
import os
import signal
import subprocess
import sys

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _end_with_parent(parent):
    def prepare():
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    return prepare


def start(command, **options):
    """Starts a program in its own process group; the kernel ends it if the lab is killed."""
    return subprocess.Popen(command, process_group=0, preexec_fn=_end_with_parent(os.getpid()), **options)


def end(process, timeout=5.0):
    """Ends a program and its whole group: asked first, killed after some seconds."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(timeout=timeout)
    except subprocess.TimeoutExpired:
        pass
    kill(process)


def kill(process):
    """Ends a program and its whole group at once."""
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process, number):
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


class Terminal:
    """Gives the terminal to a program's group, so that Ctrl-C and typing reach it, and takes it back."""

    def __init__(self):
        self.owned = sys.stdin.isatty()

    def give(self, process):
        if self.owned:
            self._give(process.pid)

    def take_back(self):
        if self.owned:
            self._give(os.getpgrp())

    @staticmethod
    def _give(group):
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            os.tcsetpgrp(sys.stdin.fileno(), group)
        except OSError:
            pass
        finally:
            signal.signal(signal.SIGTTOU, before)
