"""The machines: a namespace with HAProxy and Prometheus, and one for each node with its server of NATS, on one bridge."""

import os
import pathlib
import signal
import subprocess
import time

import configuration
from configuration import ADMIN, FRONT, NAME, NATS, PROMETHEUS, SERVICE

PREFIX = "hybrid-cluster-"
FRONT_NAME = "front"


def ip(*arguments, check=True):
    subprocess.run(["ip", *arguments], check=check, capture_output=not check)


class Cluster:
    """Runs everything for the time of a `with`, and takes all of it away."""

    def __init__(self, folder, nodes, program):
        self.folder = pathlib.Path(folder).resolve()
        self.nodes = nodes
        self.program = program
        self.processes = {}

    def __enter__(self):
        configuration.write(self.folder, self.nodes)
        self.remove()
        try:
            self.connect()
            for node in self.nodes:
                self.start_nats(node)
            for node in self.nodes:
                self.start_node(node)
            for node in self.nodes:
                self.wait_ready(node)
            self.start("haproxy", FRONT_NAME, ["haproxy", "-W", "-f", self.folder / "haproxy.cfg"])
            self.start(
                "prometheus", FRONT_NAME,
                ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/prometheus",
                 f"--web.listen-address={FRONT}:{PROMETHEUS}", "--log.level=warn"])  # fmt: skip
            time.sleep(2)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait()
        self.remove()

    def connect(self):
        ip("netns", "add", PREFIX + FRONT_NAME)
        ip("-n", PREFIX + FRONT_NAME, "link", "set", "lo", "up")
        ip("-n", PREFIX + FRONT_NAME, "link", "add", "bridge", "type", "bridge")
        ip("-n", PREFIX + FRONT_NAME, "address", "add", f"{FRONT}/24", "dev", "bridge")
        for address in configuration.CLIENTS:
            ip("-n", PREFIX + FRONT_NAME, "address", "add", f"{address}/24", "dev", "bridge")
        ip("-n", PREFIX + FRONT_NAME, "link", "set", "bridge", "up")
        for node in self.nodes:
            space = PREFIX + node.name
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
            ip("-n", space, "link", "add", "eth0", "type", "veth", "peer", "name", node.name, "netns", PREFIX + FRONT_NAME)
            ip("-n", space, "address", "add", f"{node.address}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", PREFIX + FRONT_NAME, "link", "set", node.name, "master", "bridge", "up")

    def remove(self):
        for name in [FRONT_NAME, *(node.name for node in self.nodes)]:
            ip("netns", "delete", PREFIX + name, check=False)

    def start(self, name, space, command):
        log = (self.folder / f"{name}.log").open("a")
        self.processes[name] = subprocess.Popen(
            ["ip", "netns", "exec", PREFIX + space, *map(str, command)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )

    def start_nats(self, node):
        self.start(f"nats-{node.name}", node.name, ["nats-server", "-c", self.folder / f"nats-{node.name}.conf"])

    def start_node(self, node):
        servers = [node, *(other for other in self.nodes if other is not node)]
        self.start(
            node.name, node.name,
            [self.program, "tunnel-service", "--listen", f"{node.address}:{SERVICE}", "--plain", "--behind-proxy", "--trusted-proxy", FRONT,
             "--routing-id", node.routing_id, "--host-name", NAME, "--contact-secret", self.folder / "contact-secret",
             "--admin", f"{node.address}:{ADMIN}", "--admin-exposed",
             *(part for other in servers for part in ("--nats", f"nats://{other.address}:{NATS}")),
             "--nats-exposed", "--nats-user", node.name, "--nats-password", self.folder / f"{node.name}.password",
             # The clients of a check have few addresses.
             "--connections-per-address", "16384", "--connections-per-network", "16384", "--connection-rate", "10000/0.001",
             "--network-connection-rate", "10000/0.001", "--pending-tunnels-per-address", "16384", "--contacts-per-address", "10000/0.001",
             "--wakes-per-contact", "10000/0.001", "--wakes-per-authenticator", "10000/0.001"])  # fmt: skip

    def wait_ready(self, node, seconds=30):
        end = time.monotonic() + seconds
        while self.page(node, "/readyz")[0] != 200:
            if time.monotonic() > end:
                raise TimeoutError(f"{node.name} is not ready; see {self.folder}/{node.name}.log")
            time.sleep(0.1)

    def page(self, node, path):
        """The status and the text of a page of the admin address; 0 if it cannot be reached."""
        url = f"http://{node.address}:{ADMIN}{path}"
        command = ["curl", "--silent", "--max-time", "2", "--write-out", "\n%{http_code}", url]
        text, _, status = self.in_front(command, stdout=subprocess.PIPE).communicate()[0].rpartition("\n")
        return int(status or 0), text

    def metric(self, node, name):
        """A number of a node; 0 if it cannot be reached."""
        for line in self.page(node, "/metrics")[1].splitlines():
            if line.split(" ")[0] == name:
                return float(line.split(" ")[1])
        return 0.0

    def resident_bytes(self, name):
        """The memory of a process that was started here."""
        pages = pathlib.Path(f"/proc/{self.processes[name].pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def signal(self, name, number):
        self.processes[name].send_signal(number)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def drain(self, node):
        """Ends a node as its service manager does; the seconds that took."""
        begin = time.monotonic()
        self.signal(node.name, signal.SIGTERM)
        self.processes[node.name].wait()
        return time.monotonic() - begin

    def cut(self, node, verb="add"):
        """Lets no packet through between a node, with its server of NATS, and the others; the proxy reaches all."""
        for other in self.nodes:
            if other is not node:
                for here, there in ((node, other), (other, node)):
                    ip("-n", PREFIX + here.name, "route", verb, "blackhole", there.address)

    def heal(self, node):
        """Ends what ``cut`` began."""
        self.cut(node, "delete")

    def reload_proxy(self):
        self.signal("haproxy", signal.SIGUSR2)

    def in_front(self, command, **more):
        """Starts a command where HAProxy is."""
        return subprocess.Popen(["ip", "netns", "exec", PREFIX + FRONT_NAME, *map(str, command)], text=True, **more)

    def prometheus(self, query):
        url = f"http://{FRONT}:{PROMETHEUS}/api/v1/query?query={query}"
        return self.in_front(["curl", "--silent", "--max-time", "5", url], stdout=subprocess.PIPE).communicate()[0]
