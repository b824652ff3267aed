"""The files of a service of several nodes: HAProxy's, NATS's, Prometheus's, and the secrets that they share."""

import pathlib
import secrets
import subprocess

NAME = "localhost"
FRONT = "10.77.0.1"
# Where the clients of a check come from.
CLIENTS = [f"10.77.0.{100 + number}" for number in range(20)]
PORT = 8443
CONTACT_SECRET_BYTES = 32
SERVICE, ADMIN, NATS, ROUTES, PROMETHEUS = 8080, 9464, 4222, 6222, 9090


class Node:
    """One of the nodes, with the server of NATS beside it."""

    def __init__(self, number):
        self.number = number
        self.name = f"node{number}"
        self.address = f"10.77.0.{10 + number}"
        self.routing_id = f"{number:06x}"


def write(folder, nodes):
    """Writes everything into a folder; secrets that are there stay."""
    folder = pathlib.Path(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    certificate(folder)
    if not (folder / "contact-secret").exists():
        (folder / "contact-secret").touch(mode=0o600)
        (folder / "contact-secret").write_bytes(secrets.token_bytes(CONTACT_SECRET_BYTES))
    passwords = {node.name: secret(folder / f"{node.name}.password") for node in nodes}
    routes = secret(folder / "routes.password")
    for node in nodes:
        (folder / f"nats-{node.name}.conf").write_text(nats(node, nodes, passwords, routes))
    (folder / "routing.map").write_text("".join(f"{node.routing_id} {node.name}\n" for node in nodes))
    (folder / "haproxy.cfg").write_text(haproxy(folder, nodes))
    targets = ", ".join(f"'{node.address}:{ADMIN}'" for node in nodes)
    (folder / "prometheus.yml").write_text(
        "global: {scrape_interval: 2s}\n"
        f"scrape_configs: [{{job_name: tunnel-service, static_configs: [{{targets: [{targets}]}}]}}]\n"
    )


def secret(path):
    """A password, of which a file is made if there is none."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(24) + "\n")
    return path.read_text().strip()


def certificate(folder):
    if (folder / "both.pem").exists():
        return
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
         f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
        check=True, capture_output=True)  # fmt: skip
    both = folder / "both.pem"
    both.touch(mode=0o600)
    both.write_text((folder / "certificate.pem").read_text() + (folder / "key.pem").read_text())


def nats(node, nodes, passwords, routes):
    """A server: each node may say what nodes say, and hear that and its own answers alone."""
    users = "\n".join(
        f"""    {{ user: "{other.name}", password: "{passwords[other.name]}", permissions: {{
        publish: ["hybrid.>"], subscribe: ["hybrid.>", "_INBOX.{other.routing_id}.>"],
        allow_responses: {{ max: 1, expires: "60s" }} }} }}"""
        for other in nodes
    )
    others = ", ".join(f'"nats://routes:{routes}@{other.address}:{ROUTES}"' for other in nodes if other is not node)
    return f"""listen: "{node.address}:{NATS}"
server_name: "{node.name}"
max_payload: 16384
# So soon another server counts as gone: 6 seconds.
ping_interval: "2s"
ping_max: 2
cluster {{
    name: "hybrid", listen: "{node.address}:{ROUTES}", routes: [{others}]
    authorization {{ user: "routes", password: "{routes}" }}
}}
authorization {{ users: [
{users}
] }}
"""


def haproxy(folder, nodes):
    """TLS in front; a tunnel is joined at the node of its routing ID, everything else goes to any node that is ready."""
    checked = f"send-proxy-v2 check port {ADMIN} inter 500ms fall 1 rise 1"
    servers = "\n".join(f"    server {node.name} {node.address}:{SERVICE} {checked}" for node in nodes)
    own = "\n".join(
        f"backend {node.name}\n    server {node.name} {node.address}:{SERVICE} send-proxy-v2" for node in nodes
    )
    return f"""global
    # Two files each; more needs a larger limit of open files.
    maxconn 9500
    stats socket {folder}/haproxy.sock mode 600 expose-fd listeners
    hard-stop-after 10m
    log stderr format raw local0 warning

defaults
    mode http
    log global
    timeout connect 2s
    # Longer than a contact is held, and than authenticators that wait are silent.
    timeout client 400s
    timeout server 400s
    timeout tunnel 700s
    # Nodes ping no tunnel, and their probes reach the proxy alone.
    option clitcpka
    clitcpka-idle 30s
    clitcpka-intvl 15s
    timeout http-request 10s
    option redispatch 1
    retries 3
    option httpchk GET /readyz

frontend tunnels
    bind {FRONT}:{PORT} ssl crt {folder}/both.pem alpn http/1.1
    acl joins path_beg /cable/connect/
    http-request set-var(txn.node) path,field(4,/),lower,map({folder}/routing.map) if joins
    # A node that is not in the map: gone, or never there.
    http-request return status 404 content-type text/plain string "there is no such node" if joins !{{ var(txn.node) -m found }}
    use_backend %[var(txn.node)] if joins
    use_backend contact if {{ path_beg /cable/contact/ }}
    use_backend listen if {{ path /cable/listen }}
    default_backend any

# One that drains says so with 503, before it is known to: then another one is asked.
backend any
    balance roundrobin
    retry-on conn-failure empty-response 503
{servers}

# Those that wait stay for days: a node that has come back gets the next ones.
backend listen
    balance leastconn
    retry-on conn-failure empty-response 503
{servers}

# One client always asks the same node, so that its rate is counted at one place.
backend contact
    balance source
    hash-type consistent
    retry-on conn-failure empty-response
{servers}

# Also while it drains: not checked.
{own}
"""
