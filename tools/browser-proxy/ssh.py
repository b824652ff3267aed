"""OpenSSH on this machine: a server that only its own key opens, and a client that forwards a UNIX socket through it."""
import getpass
import os
import pathlib
import shutil
import socket
import subprocess

import browser as browsers
import processes

UNPACKED = pathlib.Path(__file__).resolve().parents[2] / ".build-peers/openssh-server/usr/sbin/sshd"
# As root it wants a user of its own, and a directory: here it alone sees them.
AS_ROOT = """cat /etc/passwd >"$1/passwd"
grep -q ^sshd: "$1/passwd" || echo "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin" >>"$1/passwd"
mount --bind "$1/passwd" /etc/passwd
mkdir -p /run/sshd
shift
exec "$@" """


class Forwarding:
    """A socket at a remote path, whose connections go to a local path."""

    def __init__(self, folder, remote, local):
        folder.mkdir(mode=0o700)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin") or str(UNPACKED)
        settings = {"ListenAddress": f"127.0.0.1:{port}", "HostKey": folder / "host", "AuthorizedKeysFile": folder / "user.pub",
                    "StrictModes": "no", "UsePAM": "no", "PidFile": "none", "PasswordAuthentication": "no",
                    "PermitRootLogin": "prohibit-password"}
        command = [server, "-D", "-e", "-f", "/dev/null", *(f"-o{name}={value}" for name, value in settings.items())]
        if os.getuid() == 0:
            command = ["unshare", "--mount", "sh", "-ec", AS_ROOT, "sh", str(folder), *command]
        self._log = open(folder / "log", "wb")
        self._server = processes.start(command, stdout=self._log, stderr=self._log)
        browsers.until(lambda: b"Server listening" in (folder / "log").read_bytes(), "the SSH server")
        # The command that `install` prints, and what reaches this server.
        self._client = processes.start(
            ["ssh", "-N", "-R", f"{remote}:{local}", "127.0.0.1", "-p", str(port), "-l", getpass.getuser(), "-i", folder / "user",
             "-F", "none", "-oStrictHostKeyChecking=accept-new", f"-oUserKnownHostsFile={folder}/known", "-oExitOnForwardFailure=yes",
             "-oBatchMode=yes"], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        browsers.until(pathlib.Path(remote).exists, "the forwarded socket")

    def end(self):
        processes.end(self._client)
        processes.end(self._server)
        self._log.close()
