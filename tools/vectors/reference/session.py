"""One side of a whole session (the articles Ceremony and Messages), with the order of messages enforced."""

from . import Refused, cbor, curve, digits, linking, messages, noise, secrets

CLIENT, AUTHENTICATOR = "client", "authenticator"
REPLYING = (messages.NAMES[messages.CTAP], messages.NAMES[messages.JSON])
FEATURES = {"ctap": "ctap", "json": "dc"}


class Order:
    """What may come when. A shutdown from the phone is let pass: webauthn-rs sends one."""

    def __init__(self, me, links):
        self.me, self.links = me, links
        self.open_request, self.first, self.features, self.typed, self.over = None, True, [], True, False

    def check(self, plaintext, sender):
        """Judges one message."""
        if self.first and sender == AUTHENTICATOR:
            self.first = False
            fields = messages.parse_first(plaintext)
            self.links.judge(messages.split_first(plaintext)[0], 2)
            self.features, self.typed = fields["features"], fields["revision"] == 1
            return
        if self.over and not (sender == self.me and plaintext[:1] == bytes([messages.UPDATE])):
            raise Refused("session-ended")
        if not self.typed:
            if not plaintext:
                raise Refused("empty")
            self._pair("ctap", sender)
            return
        self._typed(messages.decode(plaintext), sender)

    def _typed(self, message, sender):
        if message["type"] == "update":
            self._update(bytes.fromhex(message["payload"]), sender)
        if message["type"] in REPLYING:
            self._pair(message["type"], sender)
        # After its own shutdown a client still hears late updates and the answer to an open request.
        if message["type"] == "shutdown" and sender != self.me:
            self.over = True

    def _update(self, payload, sender):
        """Bad linking data is dropped, and the session goes on; an update that is none ends it."""
        if sender == CLIENT:  # Nothing is defined for it but that it is CBOR.
            if messages.attempt(payload) is messages.NOT_CBOR:
                raise Refused("invalid-cbor", "an update from the client")
            return
        try:
            messages.parse_update(payload)
        except Refused as refusal:
            if refusal.kind != "wrong-type":
                raise
        self.links.judge(cbor.decode(payload), 1)

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


class Links:
    """What becomes of a session's linking data at the client: one link at most."""

    def __init__(self, static, handshake_hash, domain):
        self.static, self.hash, self.domain = static, handshake_hash, domain
        self.results, self.link = [], None

    def judge(self, mapping, key):
        value, present = cbor.get(mapping, key)
        try:
            self.results.append(self._take(value) if present else "none")
        except Refused as refusal:
            self.results.append(refusal.kind)

    def _take(self, value):
        if not isinstance(value, dict):
            raise Refused("wrong-type")
        if self.link:
            raise Refused("already-linked")
        if self.static is None:
            raise Refused("linking-not-offered")
        self.link = linking.verify(value, self.static, self.hash) | {"domain_id": self.domain}
        return "verified"


def replay(given, me, linked=False):
    raw = {k: v if k in TEXTS else _bytes(v) for k, v in given.items()}
    out, keys = SIDES[me, linked](raw)
    if me == AUTHENTICATOR:
        links = Offers(linked, not linked and secrets.parse_url(given["url"])["linking"] is True)
    else:
        static = raw["static_private"] if given.get("linking") else None
        domain = int.from_bytes(out["plaintext"][14:], "little")
        links = Links(static, bytes.fromhex(keys["handshake_hash"]), domain)
    key = {
        CLIENT: bytes.fromhex(keys["client_to_authenticator_key"]),
        AUTHENTICATOR: bytes.fromhex(keys["authenticator_to_client_key"]),
    }
    counter, results, order = {CLIENT: 0, AUTHENTICATOR: 0}, [], Order(me, links)
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
    if "linking" in given:
        out |= {"linking": links.results}
    if me == CLIENT and links.link:
        out |= {"link": links.link}
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


class Offers:
    """What a phone may say in updates: nothing in a linked session, and a link once where key 4 is true."""

    def __init__(self, linked, may_link):
        self.linked, self.may_link, self.results, self.link = linked, may_link, [], None

    def judge(self, mapping, key):
        if key == 2:
            return
        if self.linked:
            raise Refused("unexpected-message", "an update in a linked session")
        if cbor.get(mapping, key)[1]:
            if not self.may_link:
                raise Refused("linking-not-offered")
            if self.link:
                raise Refused("already-linked")
            self.link = True


TEXTS = ("url", "name", "hint")


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


def _linked_authenticator(given):
    request = linking.parse_request(given["payload"])
    secret = linking.link_secret(given["root_secret"], given["contact_id"], request["link_id"])
    identity = linking.identity_key(given["root_secret"])
    eid_key = secrets.eid_key(secret, request["nonce"])
    plaintext = linking.linked_plaintext(given["advert_random"])
    psk = secrets.derive(secret, plaintext, secrets.PSK, 32)
    message_2, keys = noise.answer("NKpsk0", psk, identity, given["message_1"], given["ephemeral_private"])
    return {
        "link_secret": secret,
        "identity_private": identity,
        "eid_key": eid_key,
        "plaintext": plaintext,
        "advert": secrets.seal(eid_key, plaintext),
        "psk": psk,
        "message_2": message_2,
    }, keys


def _linked_client(given):
    public, secret = given["authenticator_public"], given["link_secret"]
    payload = linking.encode_request(given["link_id"], given["nonce"], given["hint"])
    eid_key = secrets.eid_key(secret, given["nonce"])
    plaintext = bytes.fromhex(secrets.open_advert(eid_key, given["advert"], linked=True)["plaintext"])
    psk = secrets.derive(secret, plaintext, secrets.PSK, 32)
    message_1, state = noise.write_message_1("NKpsk0", psk, public, given["ephemeral_private"])
    keys = noise.finish("NKpsk0", state, given["ephemeral_private"], None, given["message_2"])
    fields = {"payload": payload, "eid_key": eid_key, "plaintext": plaintext, "psk": psk, "message_1": message_1}
    return fields, keys


SIDES = {
    (CLIENT, False): _client,
    (AUTHENTICATOR, False): _authenticator,
    (CLIENT, True): _linked_client,
    (AUTHENTICATOR, True): _linked_authenticator,
}
