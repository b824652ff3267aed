"""Layer l2cap: PROTOCOL.md 10. How messages are cut out of an L2CAP stream is disputed; all cases are optional."""

from reference import l2cap, noise
from reference.curve import seeded

from .case import Layer

KEY = seeded("l2cap/key", 32)
END = l2cap.TERMINATOR


def build():
    layer = Layer("l2cap", "l2cap", "Framing on the BLE channel: libwebauthn's, and a tolerant one. Disputed, so optional.")
    framings(layer)
    terminators(layer)
    pieces(layer)
    handshakes(layer)
    return layer


def receive(layer, slug, comment, given, expected, handshake_messages=0, rest=b"", **more):
    found = l2cap.receive(KEY, given, handshake_messages)
    assert found == (expected, rest), (slug, found)
    layer.valid(
        slug,
        comment,
        "10",
        "l2cap.receive",
        {"key": KEY, "handshake_messages": handshake_messages, "pieces": given},
        {"messages": expected, "rest": rest},
        flags=["optional", *more.pop("flags", [])],
        certainty="disputed",
        **more,
    )


def message(number, count=40):
    return seeded(f"l2cap/message/{number}", count)


def frame(counter, plaintext):
    return noise.seal(KEY, counter, plaintext)


def wanted(counter, is_wanted, count=40):
    """A message whose frame is as wanted; the chance of the rarest is one in 65536."""
    number = 0
    while not is_wanted(frame(counter, message(f"{counter}/{number}", count))):
        number += 1
    return message(f"{counter}/{number}", count)


def framings(layer):
    plain = [message(number) for number in range(3)]
    frames = [frame(counter, text) for counter, text in enumerate(plain)]
    receive(layer, "terminated", "each message is one piece and ends in 0D 0A", [f + END for f in frames], plain)
    receive(layer, "bare", "each message is one piece without an end", frames, plain)
    receive(layer, "mixed", "the sender changes its mind", [frames[0] + END, frames[1], frames[2] + END], plain)
    receive(layer, "stream", "three terminated messages in one piece", [b"".join(f + END for f in frames)], plain)
    receive(layer, "own-pieces", "each 0D 0A is a piece of its own", [p for f in frames for p in (f, END)], plain)
    libwebauthn = noise.seal_padded(KEY, 0, b"\x01" + noise.pad(b"\x04"))
    receive(layer, "libwebauthn", "a frame of 32k + 17 bytes", [libwebauthn + END], [b"\x01\x04"], flags=["foreign"])
    receive(layer, "nothing", "nothing has come", [], [])
    receive(layer, "half", "a message without its last byte", [frames[0][:-1]], [], rest=frames[0][:-1])
    receive(layer, "half-second", "the second has only begun", [frames[0] + END + frames[1][:30]], plain[:1], rest=frames[1][:30])
    receive(layer, "foreign", "what does not open is no message", [bytes(48) + END], [], rest=bytes(48) + END)
    receive(layer, "counter", "the second frame first", [frames[1] + END], [], rest=frames[1] + END)


def terminators(layer):
    places = {
        "inside": lambda f: END in f[2:-2],
        "first": lambda f: f.startswith(END),
        "last": lambda f: f.endswith(END),
        "half-first": lambda f: f.startswith(b"\n"),
        "half-last": lambda f: f.endswith(b"\r"),
    }
    for place, is_wanted in places.items():
        plain = [wanted(counter, is_wanted) for counter in range(2)]
        frames = [frame(counter, text) for counter, text in enumerate(plain)]
        about = f"both frames have 0D 0A, or a half of it, in this place: {place}"
        receive(layer, f"{place}-terminated", f"{about}; terminated", [f + END for f in frames], plain)
        receive(layer, f"{place}-bare", f"{about}; bare", frames, plain)
        receive(layer, f"{place}-stream", f"{about}; one piece", [b"".join(f + END for f in frames)], plain)
        receive(
            layer,
            f"{place}-bytes",
            f"{about}; pieces of one byte",
            [bytes([byte]) for f in frames for byte in f + END],
            plain,
        )


def pieces(layer):
    plain = [message("long/0", 1000), message("long/1", 70)]
    stream = b"".join(frame(counter, text) + END for counter, text in enumerate(plain))
    for size in (2, 16, 48, 64, 247, 1041, 1043):
        cut = [stream[at : at + size] for at in range(0, len(stream), size)]
        receive(layer, f"pieces-{size}", f"a terminated stream in pieces of {size} bytes", cut, plain)
    first = frame(0, plain[0])
    cut = [first[at : at + 100] for at in range(0, len(first), 100)]
    receive(layer, "bare-pieces", "a bare message that is longer than a piece", cut, plain[:1])
    receive(layer, "cut-terminator", "0D in one piece, 0A in the next", [first + b"\r", b"\n" + frame(1, plain[1])], plain)


def handshakes(layer):
    plain = [message("after")]
    sealed = frame(0, plain[0])
    shake = seeded("l2cap/handshake", noise.MESSAGE_BYTES)
    for slug, bare in {
        "plain": shake,
        "inside": shake[:40] + END + shake[42:],
        "last": shake[:-2] + END,
        "first": END + shake[2:],
    }.items():
        about = f"a handshake message of 81 bytes ({slug}), then a sealed one"
        both = [bare, *plain]
        receive(layer, f"handshake-{slug}-terminated", about, [bare + END, sealed + END], both, 1)
        receive(layer, f"handshake-{slug}-bare", f"{about}; bare", [bare, sealed], both, 1)
        receive(layer, f"handshake-{slug}-stream", f"{about}; in one piece", [bare + END + sealed + END], both, 1)
    receive(layer, "handshake-half", "80 bytes of it", [shake[:-1]], [], 1, rest=shake[:-1])
