"""Runs the broker of security keys as root, with a pipe for /dev/uhid, and looks at what its processes may do. It needs mounts of its
own: unshare --mount. The argument is the broker."""

import atexit
import os
import socket
import stat
import subprocess
import sys
import time

STARTED, TOO_MANY, NOT_PERMITTED, TOO_OFTEN = b"\x00", b"\x10", b"\x12", b"\x14"
NOBODY, ALICE, MALLORY, SUBORDINATE, FAR, MEMBER = 65534, 1234, 1235, 100004, 1236, 1237
GROUP = 77
subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def own(folder, files):
    """A folder of this test's in the place of the system's."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder], check=True)
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


passwd = f"root:x:0:0::/root:/bin/sh\nmallory:x:{MALLORY}:{MALLORY}::/:/bin/sh\n"
own("/run", {f"systemd/users/{user}": "STATE=active\nACTIVE_SEATS=seat0\n" for user in (ALICE, MALLORY, NOBODY)}
    | {f"systemd/users/{FAR}": "STATE=active\nACTIVE_SEATS=\n"})
own("/etc", {"passwd": passwd, "group": f"root:x:0:\nkeys:x:{GROUP}:\n", "subuid": "mallory:100000:65536\n"})
own("/dev", {})
os.mknod("/dev/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
os.mkfifo("/dev/uhid", 0o600)
uhid = os.open("/dev/uhid", os.O_RDWR | os.O_NONBLOCK)

listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind("/run/key.socket")
os.chmod("/run/key.socket", 0o666)
listener.listen(64)
os.dup2(listener.fileno(), 103)
broker = subprocess.Popen(
    ["bash", "-c", 'exec 3<&103 103<&-; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" keys', sys.argv[1]], stdin=subprocess.DEVNULL,
    stdout=subprocess.DEVNULL, stderr=open("/run/log", "w"), pass_fds=[103], extra_groups=[5, 6])
atexit.register(broker.kill)
listener.close()
os.close(103)


def until(condition):
    end = time.monotonic() + 60
    while not (value := condition()):
        assert time.monotonic() < end and broker.poll() is None, open("/run/log").read()
        time.sleep(0.01)
    return value


def ask(user, groups=()):
    """A connection of this user's: the kernel notes who calls when it is made."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(60)
    os.setgroups(groups)
    os.setegid(user), os.seteuid(user)
    try:
        connection.connect("/run/key.socket")
    finally:
        os.seteuid(0), os.setegid(0)
    return connection


def refused(user, notice):
    with ask(user) as connection:
        answer = connection.recv(100)
        assert answer == notice, (user, answer)
        assert connection.recv(100) == b""


def processes():
    with open(f"/proc/{broker.pid}/task/{broker.pid}/children") as file:
        return set(map(int, file.read().split()))


def key(user, groups=()):
    """A key and its process, which has given up its rights by the time that it takes the kernel's word for its start."""
    before = processes()
    connection = ask(user, groups)
    process = until(lambda: processes() - before).pop()
    # Its own request has to be taken from the pipe first, by itself.
    until(lambda: f"made a key for the user {user}\n" * (len(keys[user]) + 1) in made(user))
    os.write(uhid, (2).to_bytes(4, "little") + bytes(8))
    keys[user].append(connection)
    return connection, process


def made(user):
    with open("/run/log") as file:
        return "".join(line.removeprefix("hybrid-key-broker: ") for line in file if line.endswith(f" made a key for the user {user}\n"))


def drain():
    """Takes what processes that are gone have left in the pipe."""
    try:
        os.read(uhid, 1 << 16)
    except BlockingIOError:
        pass


keys = {ALICE: [], MALLORY: [], SUBORDINATE: [], MEMBER: []}

# Its processes have no rights, and no file but their own.
alice, process = key(ALICE)
assert alice.recv(100) == STARTED
with open(f"/proc/{process}/status") as file:
    status = dict(line.rstrip("\n").split(":", 1) for line in file)
for name in ("Uid", "Gid"):
    assert status[name].split() == [str(NOBODY)] * 4, (name, status[name])
assert status["Groups"].split() == [], status["Groups"]
for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
    assert int(status[name], 16) == 0, (name, status[name])
files = {int(name): os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")}
assert {files.pop(0), files.pop(1), files.pop(2)} == {"/dev/null", "/run/log"}
assert sorted(name.partition(":")[0] for name in files.values()) == ["/dev/uhid", "pipe", "socket"], files
# Nobody but root may look into it: no user is its owner.
assert os.stat(f"/proc/{process}/environ").st_uid == 0

# Whoever is not at the screen, or is nobody, has none; nothing is started for them.
for user in (NOBODY, FAR, 33, 100000 + 65536):
    refused(user, NOT_PERMITTED)
assert processes() == {process}
member, other = key(MEMBER, [GROUP])
os.kill(other, 9)
assert member.recv(100) in (b"", STARTED)
until(lambda: processes() == {process})

# A user has four keys, with all the names that the user has.
key(MALLORY), key(MALLORY), key(SUBORDINATE), key(SUBORDINATE)
refused(MALLORY, TOO_MANY)
refused(SUBORDINATE + 1, TOO_MANY)
assert len(processes()) == 5
for connection in keys[MALLORY] + keys[SUBORDINATE]:
    connection.close()
until(lambda: processes() == {process})

# And so many in a time.
answers = set()
for number in range(200):
    drain()
    with ask(100000 + number) as connection:
        connection.shutdown(socket.SHUT_WR)
        answers.add(connection.recv(100))
    if TOO_OFTEN in answers:
        break
assert TOO_OFTEN in answers and number >= 20, (number, answers)

# Another user's key goes on meanwhile, and ends with its caller.
assert os.stat(f"/proc/{process}/environ").st_uid == 0
alice.close()
until(lambda: not processes())
print("ok")
