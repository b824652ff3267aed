"""Screens: of Xvfb, with keys and a pointer, and of weston without any."""
import atexit
import os
import pathlib
import subprocess
import tempfile

from checks import until


# The class of its windows, whatever the language of their title.
WINDOW = "io.github.hybrid_transport.Window"


class Display:
    """A screen of Xvfb."""

    def __init__(self, size="480x760", theme="Adwaita", dpi=None):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
                                       pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Also if a check breaks off.
        atexit.register(self.server.kill)
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.name = f":{numbers.readline().strip()}"
        self.environment = {**os.environ, "DISPLAY": self.name, "GDK_BACKEND": "x11", "GTK_A11Y": "atspi", "GTK_THEME": theme,
                            "GTK_IM_MODULE": "simple", "LC_ALL": "C.UTF-8"}
        # A keyboard that has letters beyond ASCII: xdotool would otherwise change the keys' meaning while it types.
        subprocess.run(["setxkbmap", "de"], env=self.environment, check=True)
        if dpi:
            subprocess.run(["xrdb", "-merge", "-"], input=f"Xft.dpi: {dpi}\n", text=True, env=self.environment, check=True)

    def xdotool(self, *arguments):
        """Runs xdotool; what it prints."""
        done = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True)
        return done.stdout.strip()

    def focus(self):
        """Gives the keyboard to the window, as a window manager would; the window's number."""
        window = until(lambda: self.xdotool("search", "--onlyvisible", "--class", WINDOW).split("\n")[-1])
        self.xdotool("windowfocus", window)
        until(lambda: self.xdotool("getwindowfocus") == window)
        return window

    def picture(self, path):
        """Saves what is on the screen."""
        subprocess.run(["import", "-window", "root", "-depth", "8", str(path)], env=self.environment, check=True)

    def close(self):
        self.server.terminate()
        self.server.wait()


class Weston:
    """A screen of weston, which is nowhere."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="hybrid-window.")
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self.folder.name, "WAYLAND_DISPLAY": "window-check", "GDK_BACKEND": "wayland",
                            "GTK_A11Y": "atspi", "GTK_THEME": "Adwaita", "LC_ALL": "C.UTF-8", "GSK_RENDERER": "cairo"}
        self.server = subprocess.Popen(
            ["weston", "--backend=headless-backend.so", "--socket=window-check", "--use-pixman", "--width=640", "--height=760",
             "--idle-time=0", "--debug", f"--log={self.folder.name}/log"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.server.kill)
        self.is_there = until(lambda: os.path.exists(f"{self.folder.name}/window-check"))

    def picture(self, path):
        """Saves what would be on the screen; false if weston does not say."""
        subprocess.run(["weston-screenshooter"], env=self.environment, cwd=self.folder.name, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60)
        made = sorted(pathlib.Path(self.folder.name).glob("*.png"))
        if made:
            pathlib.Path(path).write_bytes(made[-1].read_bytes())
        return bool(made)

    def close(self):
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()
