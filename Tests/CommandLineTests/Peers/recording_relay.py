"""Relays TCP to a port of this machine and records what passes as a pcap file of raw IPv4, as tcpdump -i lo would.

recording_relay.py PORT FILE: prints the port that it listens on. Every byte is on the disk once it was passed on.
"""
import asyncio
import itertools
import struct
import sys
import time

LOOPBACK = bytes([127, 0, 0, 1])
SYN, FIN, ACK, PUSH = 2, 1, 16, 8
MOST = 1_400


class Recording:
    def __init__(self, path):
        self.file = open(path, "wb", buffering=0)
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))

    def segment(self, source, destination, sequence, flags, data=b""):
        tcp = struct.pack(">HHIIBBHHH", source, destination, sequence & 0xFFFFFFFF, 0, 5 << 4, flags, 65535, 0, 0) + data
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + LOOPBACK + LOOPBACK
        seconds, micros = divmod(time.time_ns() // 1_000, 1_000_000)
        packet = ip + tcp
        self.file.write(struct.pack("<IIII", seconds, micros, len(packet), len(packet)) + packet)


async def pump(reader, writer, recording, source, destination):
    # Near the end of the numbers, so that they begin anew.
    sequence = 0xFFFFFF00
    recording.segment(source, destination, sequence, SYN)
    sequence += 1
    while data := await reader.read(1 << 16):
        pieces = [data[start : start + MOST] for start in range(0, len(data), MOST)]
        starts = [sequence + offset for offset in itertools.accumulate([0] + [len(piece) for piece in pieces])]
        # Two segments change places, and one comes twice.
        numbered = list(zip(starts, pieces))
        for start, piece in numbered[1:2] + numbered[:1] + numbered[:1] + numbered[2:]:
            recording.segment(source, destination, start, ACK | PUSH, piece)
        sequence = starts[-1]
        writer.write(data)
        await writer.drain()
    recording.segment(source, destination, sequence, FIN | ACK)
    writer.close()


async def main(port, path):
    recording = Recording(path)

    async def relay(reader, writer):
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        here = writer.get_extra_info("peername")[1]
        await asyncio.gather(
            pump(reader, there_writer, recording, here, port), pump(there_reader, writer, recording, port, here),
            return_exceptions=True)

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
