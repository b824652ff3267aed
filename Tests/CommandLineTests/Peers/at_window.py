"""Does something in a window of a screen: at_window.py TITLE WORD… [, WORD…]…

Waits for a visible window with that title, gives the words to xdotool, a comma between two commands, and waits until it has gone.
"""
import subprocess
import sys
import time


def find(title):
    words = ["xdotool", "search", "--onlyvisible", "--name", f"^{title}$"]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.split()


title, *words = sys.argv[1:]
while not (windows := find(title)):
    time.sleep(0.1)
commands = " ".join(f"\0{word}" for word in words).split(" \0,")
for command in commands:
    actions = [word for word in command.replace(" \0", "\0").split("\0") if word]
    subprocess.run(["xdotool", "windowfocus", "--sync", windows[0]] + actions, check=True)
while windows[0] in find(title):
    time.sleep(0.1)
