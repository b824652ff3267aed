"""One side of a whole session (PROTOCOL.md 0 and 7), with the order of messages enforced."""

from . import Refused, curve, digits, messages, noise, secrets

CLIENT, AUTHENTICATOR = "client", "authenticator"
REPLYING = (messages.NAMES[messages.CTAP], messages.NAMES[messages.JSON])
FEATURES = {"ctap": "ctap", "json": "dc"}


class Order:
    """What may come when. A shutdown from the phone is let pass: webauthn-rs sends one."""

    def __init__(self, me):
        self.me = me
        self.open_request, self.first, self.features, self.typed, self.over = None, True, [], True, False

    def check(self, plaintext, sender):
        """Judges one message."""
        if self.first and sender == AUTHENTICATOR:
            self.first = False
            fields = messages.parse_first(plaintext)
            self.features, self.typed = fields["features"], fields["revision"] == 1
            return
        if self.over:
            raise Refused("session-ended")
        if not self.typed:
            if not plaintext:
                raise Refused("empty")
            self._pair("ctap", sender)
            return
        self._typed(messages.decode(plaintext), sender)

    def _typed(self, message, sender):
        if message["type"] == "update":
            if sender == CLIENT:
                raise Refused("unexpected-message", "an update from the client")
            messages.parse_update(bytes.fromhex(message["payload"]))
        if message["type"] in REPLYING:
            self._pair(message["type"], sender)
        # After its own shutdown a client still hears late updates and the answer to an open request.
        if message["type"] == "shutdown" and sender != self.me:
            self.over = True

    def _pair(self, kind, sender):
        if sender == CLIENT:
            if FEATURES[kind] not in self.features:
                raise Refused("unexpected-message", "not offered")
            if self.open_request:
                raise Refused("unexpected-message", "a second request")
            self.open_request = kind
        elif self.open_request != kind:
            raise Refused("unexpected-message", "a reply that answers nothing")
        else:
            self.open_request = None


def replay(given, me):
    out, keys = (_authenticator if me == AUTHENTICATOR else _client)({k: _bytes(v) for k, v in given.items()})
    key = {
        CLIENT: bytes.fromhex(keys["client_to_authenticator_key"]),
        AUTHENTICATOR: bytes.fromhex(keys["authenticator_to_client_key"]),
    }
    counter, results, order = {CLIENT: 0, AUTHENTICATOR: 0}, [], Order(me)
    old = me == CLIENT and _speaks_old(given["frames"], key[AUTHENTICATOR])
    for frame in given["frames"]:
        sender = frame["sender"]
        if sender == me:
            plaintext = bytes.fromhex(frame["plaintext"])
            order.check(plaintext, sender)
            results.append(noise.seal(key[sender], counter[sender], plaintext, old))
        else:
            plaintext = noise.open_frame(key[sender], counter[sender], bytes.fromhex(frame["frame"]), old)
            order.check(plaintext, sender)
            results.append(plaintext)
        counter[sender] += 1
    return out | keys | {"results": results}


def _speaks_old(frames, key):
    """Whether the phone's first frame opens under the old construction only."""
    if not frames:
        return False
    frame = bytes.fromhex(frames[0]["frame"])
    for old in (False, True):
        try:
            noise.open_frame(key, 0, frame, old)
        except Refused as refusal:
            if refusal.kind != "bad-tag":
                return old
        else:
            return old
    return False


def _bytes(value):
    try:
        return bytes.fromhex(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _derived(secret):
    return {"tunnel_id": secrets.derive(secret, b"", secrets.TUNNEL_ID, 16), "eid_key": secrets.eid_key(secret)}


def _authenticator(given):
    contents = secrets.parse_url(given["url"])
    secret, public = bytes.fromhex(contents["secret"]), curve.uncompress(bytes.fromhex(contents["public_key"]))
    digits.domain(given["domain_id"])
    plaintext = bytes(1) + given["advert_nonce"] + given["routing_id"] + given["domain_id"].to_bytes(2, "little")
    out = _derived(secret)
    psk = secrets.derive(secret, plaintext, secrets.PSK, 32)
    message_2, keys = noise.answer("KNpsk0", psk, public, given["message_1"], given["ephemeral_private"])
    return out | {"advert": secrets.seal(out["eid_key"], plaintext), "psk": psk, "message_2": message_2}, keys


def _client(given):
    out = _derived(given["secret"])
    plaintext = bytes.fromhex(secrets.open_advert(out["eid_key"], given["advert"])["plaintext"])
    psk = secrets.derive(given["secret"], plaintext, secrets.PSK, 32)
    public = curve.public(given["static_private"])
    message_1, state = noise.write_message_1("KNpsk0", psk, public, given["ephemeral_private"])
    keys = noise.finish("KNpsk0", state, given["ephemeral_private"], given["static_private"], given["message_2"])
    return out | {"plaintext": plaintext, "psk": psk, "message_1": message_1}, keys
