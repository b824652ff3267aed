"""Layer l2cap: PROTOCOL.md 10. How messages are cut out of an L2CAP stream is disputed; all cases are optional."""

from .case import Layer


def build():
    return Layer("l2cap", "l2cap", "Framing on the BLE channel as libwebauthn does it. Disputed, and so optional.")
