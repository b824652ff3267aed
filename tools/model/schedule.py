"""The key schedule (the article KeyDerivation) and the Noise handshake (NoiseHandshake), with their names."""
from terms import NONE, agree, derive, fn, public, tag

EID_KEY, TUNNEL_ID, PSK, PAIRED, IDENTITY, CONTACT = (
    (name,) for name in ("eid_key", "tunnel_id", "psk", "paired_secret", "identity_key", "contact_secret"))
KN, NK = ("knpsk0",), ("nkpsk0",)
PROLOGUE = {KN: ("one",), NK: ("zero",)}
hash_, chain, key, chain3, temporary, key3, split1, split2 = map(
    fn, ("hash", "chain", "key", "chain3", "temporary", "key3", "split1", "split2"))


class Symmetric:
    """h, ck and k of Noise section 5.2, with the operations of the article."""

    def __init__(self, name):
        self.h = self.ck = name
        self.k = None

    def mix_hash(self, x):
        self.h = hash_(self.h, x)

    def mix_key(self, x):
        self.ck, self.k = chain(self.ck, x), key(self.ck, x)

    def mix_key_and_hash(self, x):
        t = temporary(self.ck, x)
        self.ck, self.k = chain3(self.ck, x), key3(self.ck, x)
        self.mix_hash(t)

    def encrypt(self):
        sealed = tag(self.k, self.h)
        self.mix_hash(sealed)
        return sealed

    def split(self):
        return split1(self.ck), split2(self.ck)


class Handshake:
    """One end's view of a handshake: both ends call the same steps, and agree on a secret each in its own way.

    `without` has the mechanisms that are left out."""

    def __init__(self, pattern, static, psk, without):
        self.pattern, self.without = pattern, without
        self.s = Symmetric(("noise",) if "pattern-name" in without else pattern)
        if "prologue" not in without:
            self.s.mix_hash(PROLOGUE[pattern])
        if "static-in-hash" not in without:
            self.s.mix_hash(static)
        self.s.mix_key_and_hash(NONE if "psk" in without else psk)

    def message_1(self, e, es=None):
        """e, and es with NKpsk0; returns the tag."""
        self._point(e)
        if es is not None and "es" not in self.without:
            self.s.mix_key(es)
        return self.s.encrypt()

    def message_2(self, e, ee, se=None):
        """e', ee, and se with KNpsk0; returns the tag."""
        self._point(e)
        if "ee" not in self.without:
            self.s.mix_key(ee)
        if se is not None and "se" not in self.without:
            self.s.mix_key(se)
        return self.s.encrypt()

    def _point(self, e):
        if "e-in-hash" not in self.without:
            self.s.mix_hash(e)
        if "e-in-key" not in self.without:
            self.s.mix_key(e)

    @property
    def h(self):
        return self.s.h

    def keys(self):
        """The client's key and the authenticator's (HT-HS-27)."""
        first, second = self.s.split()
        return (first, first) if "two-keys" in self.without else (first, second)
