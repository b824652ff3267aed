internal import BluetoothLE
internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

/// One end of an L2CAP channel of the simulated radio that a case plays: whole messages where nothing special is
/// wanted, SDUs otherwise (HT-BLE-17, HT-BLE-19).
///
/// A task of its own keeps the SDUs that arrive, so that they can be awaited for a limited time.
final class NearbyEnd: MessageEnd {
    /// Into which SDUs a message is put, and how its end is marked.
    typealias Manner = @Sendable (_ message: [UInt8]) -> [[UInt8]]

    /// The bytes with which libwebauthn ends its messages.
    static let terminator: [UInt8] = [0x0D, 0x0A]
    /// The longest SDU that a device of the simulated radio takes, in bytes.
    static let longestSDU = SimulatedChannels.longestSDU

    /// One SDU that ends in 0D 0A, as libwebauthn sends it.
    static let terminated: Manner = { [$0 + terminator] }
    /// One SDU and no terminator, as ucabled sends it.
    static let bare: Manner = { [$0] }

    /// A stream of messages that end in 0D 0A, in SDUs of so many bytes at most.
    static func pieces(of byteCount: Int) -> Manner { { cut($0 + terminator, byteCount) } }

    /// Bytes in SDUs of so many bytes at most.
    static func cut(_ bytes: [UInt8], _ byteCount: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: byteCount).map { Array(bytes[$0..<min($0 + byteCount, bytes.count)]) }
    }

    let record: CaseRecord
    private let channel: any SDUChannel
    private let manner: Manner
    private let inbox = Mailbox<[UInt8]>()
    /// The state of delivery to the peer; nil where it does not matter.
    private let delivery: Delivery?
    private let received = Mutex(ReceivedSDUs())

    /// Takes over an open channel.
    init(_ channel: any SDUChannel, _ manner: @escaping Manner, _ record: CaseRecord) {
        self.record = record
        self.channel = channel
        self.manner = manner
        delivery =
            record.needsDelivery && record.needsReading ? record.track { Self.look(at: channel, $0, isLast: $1) } : nil
        Task { [inbox, delivery] in
            while let sdu = try? await channel.receive() {
                record.transcript.received(Self.name, Self.name(of: sdu), sdu)
                delivery?.received()
                inbox.put(sdu)
            }
            if let delivery, !delivery.isSettled { Self.look(at: channel, delivery, isLast: true) }
            record.transcript.note(Self.name, "the channel has ended")
            inbox.finish()
            await channel.close()
        }
    }

    func send(_ message: [UInt8]) async { for sdu in manner(message) { await send(sdu: sdu) } }

    /// Sends an SDU as it is, whatever its length. Whether the channel has ended, a case learns by reading.
    func send(sdu: [UInt8]) async {
        record.transcript.sent(Self.name, Self.name(of: sdu), sdu)
        delivery?.willSend()
        do { try await channel.sendSDU(sdu) } catch { delivery?.couldNotSend() }
    }

    /// Asks whether the peer has read everything; one that has not in the end has not read it.
    private static func look(at channel: any SDUChannel, _ delivery: Delivery, isLast: Bool) {
        if !channel.hasUnreadSDUs { delivery.settle() } else if isLast { delivery.reset() }
    }

    private static let name = "L2CAP"

    private static func name(of sdu: [UInt8]) -> String {
        let lengths = [handshakeMessageByteCount, handshakeMessageByteCount + terminator.count]
        return lengths.contains(sdu.count) ? "handshake message" : "SDU"
    }

    func message(_ isWhole: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8] {
        while true {
            if let message = received.withLock({ $0.take(isWhole) }) { return message }
            guard let sdu = try await inbox.next() else {
                throw WebSocketEnd.Closed(code: nil, channel: "L2CAP channel")
            }
            try received.withLock { try $0.append(sdu) }
        }
    }

    /// True if a terminator followed a message that was taken: in its SDU, or in one of its own.
    var endsInTerminator: Bool { received.withLock { $0.endsInTerminator } }

    func close() async {
        if let delivery {
            for _ in 0..<Self.lookCount where !delivery.isSettled && channel.hasUnreadSDUs {
                try? await Task.sleep(for: Self.pause)
            }
            if !delivery.isSettled { Self.look(at: channel, delivery, isLast: true) }
        }
        await channel.close()
    }

    func drop() async { await close() }

    private static let pause = Duration.milliseconds(5)
    private static let lookCount = 200
}

/// The bytes of an L2CAP channel. No length precedes a message, so that each place where one may end is tried.
private struct ReceivedSDUs {
    private var bytes: [UInt8] = []
    /// The ends of SDUs.
    private var ends: [Int] = []
    /// True while the terminator of the last message may still come: libwebauthn writes it as an SDU of its own.
    private var mayComplete = false
    private(set) var endsInTerminator = false

    /// More than a peer has reason to send before a message ends, in bytes.
    private static let limit = 4 << 20

    mutating func append(_ sdu: [UInt8]) throws {
        guard bytes.count <= Self.limit else {
            throw Deviation("it sends \(bytes.count) bytes without the end of a message")
        }
        bytes += sdu
        ends.append(bytes.count)
    }

    mutating func take(_ isWhole: ([UInt8]) -> Bool) -> [UInt8]? {
        guard completeLast() else { return nil }
        let marks = bytes.indices.filter(hasTerminator)
        for end in Set(ends + marks).sorted() {
            for start in hasTerminator(0) ? [0, NearbyEnd.terminator.count] : [0] where start < end {
                let message = Array(bytes[start..<end])
                guard isWhole(message) else { continue }
                let isTerminated = hasTerminator(end)
                if isTerminated { endsInTerminator = true }
                mayComplete = !isTerminated
                remove(end + (isTerminated ? NearbyEnd.terminator.count : 0))
                return message
            }
        }
        return nil
    }

    /// Removes the terminator of the last message, if it has come after it in SDUs that hold nothing else: it belongs
    /// to that message, and is none by itself.
    ///
    /// - Returns: false if only the first half of a terminator is there.
    private mutating func completeLast() -> Bool {
        guard mayComplete, !bytes.isEmpty else { return true }
        guard bytes != [NearbyEnd.terminator[0]] else { return false }
        mayComplete = false
        if hasTerminator(0), ends.contains(NearbyEnd.terminator.count) {
            endsInTerminator = true
            remove(NearbyEnd.terminator.count)
        }
        return true
    }

    private func hasTerminator(_ index: Int) -> Bool { bytes[index...].starts(with: NearbyEnd.terminator) }

    private mutating func remove(_ byteCount: Int) {
        bytes.removeFirst(byteCount)
        ends = ends.map { $0 - byteCount }.filter { $0 > 0 }
    }
}
