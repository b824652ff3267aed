"""A phone in Python, by the reference that judges the vectors: it answers one digital-credential request, and its first message or an
update brings linking data, which can be wrong. It shares no code with what is tested elsewhere; only its advert goes out by `hybrid`."""
import json
import os
import ssl
import subprocess

import websockets.exceptions
import websockets.sync.client

import processes
from reference import cbor, curve, linking, messages, noise, secrets

TIMEOUT = 20
ROUTING_ID_BYTES = 3
DOMAIN = bytes(2)
CREDENTIAL_HINTS = ("dcp", "dci")
GET_INFO = cbor.encode({1: ["FIDO_2_0"], 3: bytes(16), 4: {"rk": True, "uv": True}})
CLIENT_KEY, OUR_KEY = "client_to_authenticator_key", "authenticator_to_client_key"


class Session:
    """What linking data is made of in a session: the client's public key and the handshake hash."""

    def __init__(self, client, handshake_hash):
        self.client, self.hash = client, handshake_hash
        self.identity = curve_scalar()

    def map(self):
        """A right linking map."""
        return linking.linking_map(os.urandom(41), os.urandom(8), os.urandom(32), self.identity, "a phone", self.client, self.hash)


def curve_scalar():
    """A private key: 32 bytes."""
    return (int.from_bytes(os.urandom(40), "big") % (curve.N - 1) + 1).to_bytes(32, "big")


class Phone:
    """Meets the browser that shows a code."""

    def __init__(self, context, code):
        contents = secrets.parse_url(code)
        self.offers_linking = contents["linking"] is True
        self.gives_credentials = contents["hint"] in CREDENTIAL_HINTS
        self._first = {3: ["dc"]} if self.gives_credentials else {1: GET_INFO}
        self.secret = bytes.fromhex(contents["secret"])
        self.client = curve.uncompress(bytes.fromhex(contents["public_key"]))
        tunnel = secrets.derive(self.secret, b"", secrets.TUNNEL_ID, 16).hex().upper()
        trust = ssl.create_default_context(cafile=str(context.service.authority))
        self._socket = websockets.sync.client.connect(
            f"{context.service.url}/cable/new/{tunnel}", ssl=trust, subprotocols=["fido.cable"], open_timeout=TIMEOUT)
        routing_id = bytes.fromhex(self._socket.response.headers["X-caBLE-Routing-ID"])
        assert len(routing_id) == ROUTING_ID_BYTES
        self._plaintext = bytes(1) + os.urandom(10) + routing_id + DOMAIN
        advert = secrets.seal(secrets.eid_key(self.secret), self._plaintext)
        self._advertiser = processes.start(
            [context.program, "radio", "advertise", "--adapter", context.AUTHENTICATOR_ADAPTER, "--seconds", str(TIMEOUT), advert.hex()],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def serve(self, in_first_message=None, in_update=None):
        """One session; each argument makes of a `Session` what is sent there. Returns whether the client asked; if not, it ended
        the session before. A request for a passkey is not answered."""
        message_1 = self._socket.recv(timeout=TIMEOUT)
        processes.end(self._advertiser)
        psk = secrets.derive(self.secret, self._plaintext, secrets.PSK, 32)
        message_2, keys = noise.answer("KNpsk0", psk, self.client, message_1, curve_scalar())
        session = Session(self.client, bytes.fromhex(keys["handshake_hash"]))
        sent = [cbor.encode(self._first | ({2: in_first_message(session)} if in_first_message else {}))]
        if in_update:
            sent.append(bytes([messages.UPDATE]) + cbor.encode({1: in_update(session)}))
        self._socket.send(message_2)
        try:
            for number, message in enumerate(sent):
                self._socket.send(noise.seal(bytes.fromhex(keys[OUR_KEY]), number, message))
            request = noise.open_frame(bytes.fromhex(keys[CLIENT_KEY]), 0, self._socket.recv(timeout=TIMEOUT))
        except websockets.exceptions.ConnectionClosed:
            return False
        if not self.gives_credentials:
            return True
        wanted = json.loads(request[1:])["request"]["digital"]["requests"][0]["protocol"]
        answer = {"response": {"digital": {"data": {"protocol": wanted, "data": {"made": "up"}}}}}
        answer = bytes([messages.JSON]) + json.dumps(answer).encode()
        self._socket.send(noise.seal(bytes.fromhex(keys[OUR_KEY]), len(sent), answer))
        return True

    def end(self):
        """Ends what is still running."""
        processes.end(self._advertiser)
        self._socket.close()
