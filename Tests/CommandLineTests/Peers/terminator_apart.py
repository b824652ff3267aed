"""A client over L2CAP that writes the terminator of each message as an SDU of its own, as libwebauthn does.

terminator_apart.py RADIO COMMAND...

The client is the command, on a radio behind this one, which takes the place of RADIO in its words. Adverts and SDUs pass
through; only what the client sends is cut before its terminator. Ends with the command's exit status.
"""

import socket
import subprocess
import sys
import threading

TERMINATOR = b"\r\n"
# A suffix that names a PSM of 128 to 255 alone: {1: PSM}.
SUFFIX = b"\xa1\x01\x18"
MOST_BYTES = 1 << 16

front = sys.argv[1].removeprefix("udp:")
adverts = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
adverts.bind((front.rsplit(":", 1)[0], int(front.rsplit(":", 1)[1])))
probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
probe.bind(("127.0.0.1", 0))
behind = f"127.0.0.1:{probe.getsockname()[1]}"
place = probe.getsockname()
probe.close()


def channel():
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def copy(source, target, cut):
    """Passes SDUs on until the channel ends."""
    try:
        while sdu := source.recv(MOST_BYTES):
            if cut and sdu.endswith(TERMINATOR) and sdu != TERMINATOR:
                target.send(sdu.removesuffix(TERMINATOR))
                sdu = TERMINATOR
            target.send(sdu)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def accept(listening, psm):
    client = listening.accept()[0]
    authenticator = channel()
    authenticator.connect(f"\0hybrid-radio/{front}/{psm}")
    threading.Thread(target=copy, args=(client, authenticator, True), daemon=True).start()
    threading.Thread(target=copy, args=(authenticator, client, False), daemon=True).start()


def hear():
    listening = set()
    while True:
        advert = adverts.recv(MOST_BYTES)
        psm = advert[-1]
        if advert[:-1].endswith(SUFFIX) and psm not in listening:
            listening.add(psm)
            end = channel()
            end.bind(f"\0hybrid-radio/{behind}/{psm}")
            end.listen()
            threading.Thread(target=accept, args=(end, psm), daemon=True).start()
        adverts.sendto(advert, place)


threading.Thread(target=hear, daemon=True).start()
command = [word.replace("RADIO", f"udp:{behind}") for word in sys.argv[2:]]
sys.exit(subprocess.run(command, check=False).returncode)
