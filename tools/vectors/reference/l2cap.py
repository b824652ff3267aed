"""Messages out of an L2CAP channel (the article L2CAP), by brute force: whatever opens is a message."""

from . import Refused, noise

TERMINATOR = b"\r\n"


def receive(key, pieces, handshake_messages):
    stream, ends = b"", set()
    for piece in pieces:
        stream += piece
        ends.add(len(stream))
    by_piece = frozenset(ends)
    ends |= {at for at in range(len(stream)) if stream.startswith(TERMINATOR, at)}
    messages, at, counter = [], 0, 0
    for _ in range(handshake_messages):
        if len(stream) - at < noise.MESSAGE_BYTES:
            return messages, stream[at:]
        messages.append(stream[at : at + noise.MESSAGE_BYTES])
        at += noise.MESSAGE_BYTES
    while found := _next(key, counter, stream, at, sorted(ends)):
        message, at = found
        if at not in by_piece and stream.startswith(TERMINATOR, at):
            at += len(TERMINATOR)
        messages.append(message)
        counter += 1
    rest = stream[at:]
    return messages, b"" if rest == TERMINATOR else rest


def _next(key, counter, stream, at, ends):
    starts = [at, at + len(TERMINATOR)] if stream.startswith(TERMINATOR, at) else [at]
    for end in ends:
        for start in starts:
            if end - start < noise.TAG_BYTES + noise.BLOCK:
                continue
            try:
                return noise.open_frame(key, counter, stream[start:end]), end
            except Refused:
                continue
    return None
