"""What each ceremony is: drawn from the seed and its number alone, so that every one can be had again."""
import dataclasses
import hashlib

# Kinds and how often each is drawn, relative to the others.
KINDS = {"registration": 4, "sign-in": 4, "link": 2, "linked-sign-in": 3, "linked-registration": 1,
         "credential-presentation": 2, "credential-issuance": 1}
LINKED = ("linked-sign-in", "linked-registration")
CHANNELS = {"tunnel": 3, "l2cap": 2}
FAULTS = {"client-killed": 3, "authenticator-killed": 3, "adapter-off": 2, "advert-flood": 2, "service-restarted": 2,
          "bluetoothd-killed": 1}
# A simulated radio has no adapter, and no bluetoothd.
SIMULATED_FAULTS = ("client-killed", "authenticator-killed", "advert-flood", "service-restarted")
RADIOS = ("bluez", "kernel", "simulated")
# The number of these tables: a soak is only gone on with by the ones with which it began.
VERSION = 1
LONGEST_DELAY = 0.3
LONGEST_DELAY_FROM_START = 1.5

# The stages at which a fault may come, by role: those that every ceremony of the kind reaches. The early ones come more
# often, because from the advert on a ceremony may be over before a fault can be done.
CLIENT_STAGES = {"start": 2, "qrShown": 3, "advertSeen": 3, "handshaken": 1, "ready": 1, "commandSent": 1}
LINKED_CLIENT_STAGES = {"start": 3, "advertSeen": 3, "handshaken": 1, "ready": 1, "commandSent": 1}
AUTHENTICATOR_STAGES = {"qrScanned": 2, "advertising": 4, "handshaken": 1, "ready": 1, "commandSent": 1}
LINKED_AUTHENTICATOR_STAGES = {"advertising": 4, "handshaken": 1, "ready": 1, "commandSent": 1}


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault and its moment: so many seconds after a role has reached a stage, or was started."""
    kind: str
    role: str
    stage: str
    delay: float

    def text(self):
        return f"{self.kind} {self.delay:.2f} s after {self.role} {self.stage}"


@dataclasses.dataclass(frozen=True)
class Plan:
    """One ceremony."""
    number: int
    kind: str
    radio: str
    channel: str
    fault: Fault | None

    @property
    def is_linked(self):
        return self.kind in LINKED


@dataclasses.dataclass(frozen=True)
class Choice:
    """What may be drawn: a soak's options, which its state file keeps."""
    radios: tuple
    channels: tuple = tuple(CHANNELS)
    kinds: tuple = tuple(KINDS)
    faults: tuple = tuple(FAULTS)
    fault_share: float = 0.35


class _Dice:
    """Numbers in 0..<1 from a seed, a ceremony and a name: the same on every machine and Python."""

    def __init__(self, seed, number):
        self.place = f"{seed}/{number}"

    def number(self, name):
        digest = hashlib.sha256(f"{self.place}/{name}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64

    def choose(self, name, weights):
        left = self.number(name) * sum(weights.values())
        for word, weight in weights.items():
            left -= weight
            if left < 0:
                return word
        return list(weights)[-1]


def draw(seed, number, choice):
    """The ceremony of this number."""
    dice = _Dice(seed, number)
    kind = dice.choose("kind", {name: weight for name, weight in KINDS.items() if name in choice.kinds})
    radio = dice.choose("radio", {name: 1 for name in choice.radios})
    channels = {name: weight for name, weight in CHANNELS.items() if name in choice.channels}
    # A linked client finds its authenticator by the tunnel service alone.
    channel = "tunnel" if kind in LINKED else dice.choose("channel", channels)
    return Plan(number, kind, radio, channel, _fault(dice, kind, channel, choice))


def _fault(dice, kind, channel, choice):
    if dice.number("faulty") >= choice.fault_share:
        return None
    weights = {name: weight for name, weight in FAULTS.items()
               if name in choice.faults and (channel == "tunnel" or name != "service-restarted")}
    if not weights:
        return None
    fault = dice.choose("fault", weights)
    linked = kind in LINKED
    client = LINKED_CLIENT_STAGES if linked else CLIENT_STAGES
    authenticator = LINKED_AUTHENTICATOR_STAGES if linked else AUTHENTICATOR_STAGES
    # Mostly short ones: much of a ceremony is over in milliseconds.
    delay = round(dice.number("delay") ** 3 * LONGEST_DELAY, 3)
    if fault == "advert-flood":
        return Fault(fault, "client", "start", 0)
    role = {"client-killed": "client", "authenticator-killed": "authenticator"}.get(fault)
    if role is None:
        role = dice.choose("role", {"client": 1, "authenticator": 1})
    stage = dice.choose("stage", client if role == "client" else authenticator)
    if stage == "start":
        delay = round(dice.number("delay") * LONGEST_DELAY_FROM_START, 3)
    return Fault(fault, role, stage, delay)
