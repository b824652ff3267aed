"""The real polkitd on a bus of a test's own."""
import os
import subprocess
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../../TestPeers/Python")
from private_bus import die_with_parent  # noqa: E402


def start_polkitd(address, actions):
    """Starts the real polkitd with the actions of a directory; needs root, for the mount that shows them to it."""
    # --kill-child: polkitd changes its user, which would undo its setting to die with its parent.
    subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
         'mount --bind "$1" "$2" && exec /usr/lib/polkit-1/polkitd --no-debug', "sh", actions,
         "/usr/share/polkit-1/actions"],
        env=dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address), stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)
