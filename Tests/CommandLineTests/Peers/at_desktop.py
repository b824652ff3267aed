"""Runs a command as in a desktop's session, without a terminal, with a window that gives these answers, one each time it asks.

at_desktop.py ANSWER… -- COMMAND…      The answers are those of window.py. Writes what was shown, and exits as the command does.
at_desktop.py [ANSWER…] killed -- COMMAND…    Kills the command while the window is open, and waits until the window's program has gone.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

split = sys.argv.index("--")
answers, command = sys.argv[1:split], sys.argv[split + 1:]
killed = answers[-1:] == ["killed"]
with tempfile.TemporaryDirectory(prefix="hybrid-desktop-") as name:
    folder = pathlib.Path(name)
    shown = folder / "shown"
    (folder / "answers").write_text("".join(f"{answer}\n" for answer in answers[:len(answers) - killed]))
    environment = dict(os.environ, DISPLAY=":63999", HYBRID_WINDOW=str(pathlib.Path(__file__).with_name("window.py")),
                       WINDOW_ANSWERS=str(folder / "answers"), WINDOW_LOG=str(shown))
    environment.pop("WAYLAND_DISPLAY", None)
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    if killed:
        # The suite's limit ends this if it does not come.
        while not (shown.exists() and len(shown.read_text().splitlines()) == len(answers)):
            assert process.poll() is None, "the command has ended"
            time.sleep(0.05)
        window = int(shown.read_text().splitlines()[-1].split()[0])
        process.send_signal(signal.SIGKILL)
        process.wait()
        while pathlib.Path(f"/proc/{window}").exists() and "\nState:\tZ" not in pathlib.Path(f"/proc/{window}/status").read_text():
            time.sleep(0.05)
        print(shown.read_text(), "the window has gone", sep="")
        sys.exit(0)
    status = process.wait()
    print(shown.read_text() if shown.exists() else "nothing was asked", end="")
    sys.exit(status)
