"""Does something in a window of a screen: at_window.py TITLE WORD… [, WORD…]…

Waits for a visible window with that title, for the rows of its list if it has one, and until it can have been read; gives the words to xdotool, a comma between
two commands, and waits until it has gone.
"""
import pathlib
import subprocess
import sys
import time


def find(title):
    words = ["xdotool", "search", "--onlyvisible", "--name", f"^{title}$"]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.split()


def wait_for_rows(window):
    """Waits until zenity has read the rows of its list: it closes its standard input at their end."""
    pid = subprocess.run(["xdotool", "getwindowpid", window], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    process = pathlib.Path("/proc", pid)
    if b"\0--list\0" in process.joinpath("cmdline").read_bytes():
        while process.joinpath("fd/0").is_symlink():
            time.sleep(0.05)


title, *words = sys.argv[1:]
while not (windows := find(title)):
    time.sleep(0.1)
wait_for_rows(windows[0])
# A yes within half a second of its question counts as no answer.
time.sleep(0.6)
commands = " ".join(f"\0{word}" for word in words).split(" \0,")
for command in commands:
    actions = [word for word in command.replace(" \0", "\0").split("\0") if word]
    subprocess.run(["xdotool", "windowfocus", "--sync", windows[0]] + actions, check=True)
while windows[0] in find(title):
    time.sleep(0.1)
