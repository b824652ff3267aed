"""A tunnel service of several nodes behind HAProxy, with NATS and Prometheus.

    tools/cluster/run write FOLDER     writes the configuration of everything, and stops there
    tools/cluster/run run              runs it in network namespaces of this machine until it is interrupted; as root
    tools/cluster/run check            runs it under load while each part is taken in turn, and says what was lost
    tools/cluster/run crowd            has many authenticators wait, and says what they cost, and how they come back when a node dies
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import configuration
from configuration import FRONT, PORT, PROMETHEUS, Node
from namespaces import Cluster

# Of a crowd: how many are woken, and the most of the others in one process, which may open 20,000 files here.
WOKEN, A_GENERATOR = 300, 10_000
HERE = os.path.dirname(os.path.abspath(__file__))


class Load:
    """The clients and authenticators, and what became of each attempt."""

    def __init__(self, cluster, authenticators, a_second, is_direct=False):
        self.attempts = []
        # How often one authenticator was told to wait, each time beside the times before.
        self.registered = 0
        self.process = cluster.in_front(
            ["python3", "-B", f"{HERE}/load.py", FRONT, PORT, cluster.folder / "certificate.pem", authenticators, a_second,
             len(cluster.nodes) if is_direct else 0],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip

    def wait_ready(self):
        if json.loads(self.process.stdout.readline() or "{}").get("kind") != "ready":
            raise SystemExit("cluster: error: the authenticators cannot register")
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def tell(self, line):
        self.registered += line.startswith("register")
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        for line in self.process.stdout:
            self.attempts.append(json.loads(line))

    def end(self):
        self.process.stdin.close()
        self.reader.join()
        self.process.wait()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def phases(cluster, load):
    """What is taken, in turn: a name, and what is done, with pauses in which the load goes on."""

    def killed(node):
        cluster.kill(node.name)
        time.sleep(3)
        cluster.start_node(node)
        cluster.wait_ready(node)

    def restarted(node):
        seconds = cluster.drain(node)
        cluster.start_node(node)
        cluster.wait_ready(node)
        return f"drained in {seconds:.1f} s"

    def nats(node):
        cluster.kill(f"nats-{node.name}")
        time.sleep(5)
        cluster.start_nats(node)

    def start_all_nats():
        for node in cluster.nodes:
            cluster.start_nats(node)

    def all_nats():
        for node in cluster.nodes:
            cluster.kill(f"nats-{node.name}")
        time.sleep(2)
        said = cluster.page(cluster.nodes[0], "/readyz")
        time.sleep(3)
        start_all_nats()
        return f"/readyz: {said[0]} {said[1].strip()}"

    def link():
        """An authenticator waits at node 1, which cannot hear of a link that is made through node 2: at first the wake comes through node 3."""
        waits, makes, asks = cluster.nodes[:3]
        load.tell(f"register {waits.number}")
        time.sleep(3)
        for asked in (asks, waits):
            for node in cluster.nodes:
                cluster.kill(f"nats-{node.name}")
            time.sleep(2)
            load.tell(f"link {makes.number}")
            time.sleep(2)
            if asked is asks:
                start_all_nats()
                time.sleep(8)
            load.tell(f"wake-link {asked.number}")
            time.sleep(6)
            load.tell("unlink")
            time.sleep(4)
            load.tell(f"wake-ended {asked.number}")
            time.sleep(6)
        start_all_nats()
        told = [f"{each['kind']}: {each['result']}" for each in load.attempts if each["kind"].startswith("wake by")]
        return ", ".join(told)

    def split(node):
        """One authenticator has moved, so that its number is 2, and then waits at the other side too; who has it is asked at last."""
        for other in reversed([each for each in cluster.nodes if each is not node]):
            load.tell(f"register {other.number}")
            time.sleep(3)
        cluster.cut(node)
        # The servers of NATS have noticed.
        time.sleep(20)
        load.tell(f"register {node.number}")
        time.sleep(20)
        cluster.heal(node)
        begin = time.time()
        time.sleep(20)
        for _ in range(10):
            load.tell("wake")
            time.sleep(0.5)
        ended = [each for each in load.attempts if each["kind"] == "register"]
        after = [each["begin"] + each["seconds"] - begin for each in ended if each["begin"] + each["seconds"] > begin]
        replaced = sum("4409" in each["result"] for each in ended)
        return f"{load.registered - replaced} of {load.registered} connections of one key left; the first ended {min(after, default=float('nan')):.1f} s after the split"

    yield "nothing", lambda: time.sleep(20)
    for node in cluster.nodes:
        yield f"{node.name} restarted (SIGTERM)", lambda node=node: restarted(node)
    for node in cluster.nodes:
        yield f"{node.name} killed (SIGKILL)", lambda node=node: killed(node)
    for node in cluster.nodes:
        yield f"NATS of {node.name} killed", lambda node=node: nats(node)
    yield "all NATS killed", all_nats
    yield "a link made and ended while all NATS were killed", link
    last = cluster.nodes[-1]
    yield f"{last.name} and its NATS cut off from the others for 40 s", lambda: split(last)
    yield "HAProxy reloaded", cluster.reload_proxy


def check(cluster, arguments):
    load = Load(cluster, arguments.authenticators, arguments.rate)
    load.wait_ready()
    told = []
    for name, do in phases(cluster, load):
        if arguments.only not in name:
            continue
        begin = time.time()
        note = do()
        took = time.time() - begin
        time.sleep(arguments.settle)
        told.append((name, begin, time.time(), took, note if isinstance(note, str) else ""))
    load.end()
    print("| taken | s | kind | all | temporary | lost | wrong | p50 ms | p99 ms | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    # An attempt belongs to what was taken last before its end.
    for name, begin, end, took, note in [*told, ("all", told[0][1], time.time(), told[-1][2] - told[0][1], "")]:
        for kind in ("ceremony", "wake"):
            of_kind = [each for each in load.attempts if each["kind"] == kind and begin <= each["begin"] + each["seconds"] < end]
            count = {result: sum(each["result"] == result for each in of_kind) for result in ("ok", "temporary", "lost", "wrong")}
            times = [each["seconds"] * 1000 for each in of_kind if each["result"] == "ok"]
            print(f"| {name} | {took:.1f} | {kind} | {len(of_kind)} | {count['temporary']} | {count['lost']} | {count['wrong']} | "
                  f"{percentile(times, 0.5):.0f} | {percentile(times, 0.99):.0f} | {note} |")  # fmt: skip
    wrong = sum(each["result"] == "wrong" for each in load.attempts)
    reasons = {}
    for each in load.attempts:
        if each["result"] in ("temporary", "lost", "wrong"):
            key = f"{each['kind']} {each['result']}: {each['why']}"
            reasons[key] = reasons.get(key, 0) + 1
    for reason, count in sorted(reasons.items(), key=lambda pair: -pair[1]):
        print(f"{count:5} {reason}")
    for each in load.attempts:
        if each["kind"] == "register" or each["kind"].startswith(("wake of", "wake by")):
            print(f"{each['begin'] + each['seconds'] - told[0][1]:6.1f} s: {each['kind']}: {each['result']} {each['why']}")
    print("Prometheus sees", cluster.prometheus("count(tunnel_service_ready)"))
    return 1 if wrong else 0


def crowd(cluster, arguments):
    def waiting():
        return sum(cluster.metric(node, "tunnel_service_authenticators") for node in cluster.nodes)

    def memory(prefix):
        return sum(cluster.resident_bytes(prefix + node.name) for node in cluster.nodes)

    before = {prefix: memory(prefix) for prefix in ("", "nats-")}
    begin = time.time()
    # Those that are woken have a process to themselves, or its backlog would be measured.
    rest = max(0, arguments.authenticators - WOKEN)
    generators = -(-rest // A_GENERATOR)
    sizes = [rest // generators + (number < rest % generators) for number in range(generators)]
    load = Load(cluster, arguments.authenticators - rest, arguments.rate, arguments.direct)
    loads = [load, *(Load(cluster, size, 0, arguments.direct) for size in sizes)]
    for each in loads:
        each.wait_ready()
    print(f"{waiting():.0f} wait after {time.time() - begin:.0f} s, at each node:",
          [int(cluster.metric(node, "tunnel_service_authenticators")) for node in cluster.nodes])  # fmt: skip
    for prefix, name in (("", "tunnel-service"), ("nats-", "nats-server")):
        each = (memory(prefix) - before[prefix]) / arguments.authenticators / 1024
        print(f"memory of {name} for each: {each:.1f} KiB")
    load.attempts.clear()
    time.sleep(30)
    report(load, "all are there")
    load.attempts.clear()
    victim, survivors = cluster.nodes[0], cluster.nodes[1:]
    gone = cluster.metric(victim, "tunnel_service_authenticators")
    before = sum(cluster.metric(node, "tunnel_service_registrations_total") for node in survivors)
    cluster.kill(victim.name)
    begin = last = time.time()
    counts = [(begin, before)]
    while waiting() < arguments.authenticators and time.time() - begin < 240:
        time.sleep(max(0, last + 1 - time.time()))
        last = time.time()
        # A page that was too slow counts as nothing.
        count = sum(cluster.metric(node, "tunnel_service_registrations_total") for node in survivors)
        counts.append((last, max(counts[-1][1], count)))
        print(f"{last - begin:6.1f} s: {counts[-1][1] - before:.0f} registered again", file=sys.stderr)
    peak = max((after[1] - before[1]) / (after[0] - before[0]) for before, after in zip(counts, counts[1:]))
    print(f"node killed with {gone:.0f}: all back after {time.time() - begin:.0f} s, at most {peak:.0f} registrations a second")
    for each in loads:
        each.end()
    report(load, "from the kill on")
    return 0


def report(load, when):
    for kind in ("ceremony", "wake"):
        of_kind = [each for each in load.attempts if each["kind"] == kind]
        times = [each["seconds"] * 1000 for each in of_kind if each["result"] == "ok"]
        others = {result: sum(each["result"] == result for each in of_kind) for result in ("temporary", "lost", "wrong")}
        print(f"{when}: {len(times)} of kind {kind}, p50 {percentile(times, 0.5):.0f} ms, p99 {percentile(times, 0.99):.0f} ms; {others}")


def main():
    parser = argparse.ArgumentParser(prog="tools/cluster/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["write", "run", "check", "crowd"])
    parser.add_argument("folder", nargs="?", help="where the files are written; a temporary one unless told")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--authenticators", type=int, default=60, help="for check and crowd: how many wait to be woken")
    parser.add_argument("--rate", type=float, default=8, help="for check and crowd: ceremonies a second, and as many wakes")
    parser.add_argument("--only", default="", help="for check: take only what has this in its name")
    parser.add_argument("--direct", action="store_true", help="for crowd: past HAProxy, to the nodes themselves")
    parser.add_argument("--settle", type=float, default=8, help="for check: seconds after each thing that is taken")
    arguments = parser.parse_args()
    nodes = [Node(number) for number in range(1, arguments.nodes + 1)]
    folder = arguments.folder or tempfile.mkdtemp(prefix="cluster-")
    if arguments.command == "write":
        configuration.write(folder, nodes)
        return 0
    if os.geteuid() != 0:
        sys.exit("cluster: error: network namespaces need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with Cluster(folder, nodes, os.environ["HYBRID"]) as cluster:
        print(f"wss://{FRONT}:{PORT} in the namespace hybrid-cluster-front; Prometheus on {FRONT}:{PROMETHEUS}; logs in {folder}", flush=True)
        if arguments.command in ("check", "crowd"):
            return (check if arguments.command == "check" else crowd)(cluster, arguments)
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass
    return 0


sys.exit(main())
