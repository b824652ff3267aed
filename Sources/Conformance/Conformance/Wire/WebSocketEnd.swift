/// One end of a WebSocket, in a case's hands: whole messages where nothing special is wanted, frames and bytes
/// otherwise.
///
/// Frames of the other side that break RFC 6455 are deviations, and text and empty messages (HT-TUN-58, HT-TUN-60).
struct WebSocketEnd: MessageEnd {
    /// The end that the case plays.
    enum Side: Sendable { case server, client }

    /// The other side has closed the channel, or the connection has ended.
    struct Closed: Error {
        /// The code of its Close frame; nil without one.
        let code: UInt16?
        /// True if a Close frame came.
        var isFrame = false
        /// The channel that was closed.
        var channel = "WebSocket"
    }

    let connection: WireConnection
    let side: Side
    /// True to end at a ping, which breaks the rule.
    var endsAtPing = false

    /// Sends a message in one frame.
    func send(_ message: [UInt8]) async { await send(WireFrame(payload: message)) }

    /// Sends a frame, masked if this side has to.
    ///
    /// - Parameter mustArrive: false of one that only ends the connection, or keeps it alive.
    func send(
        _ frame: WireFrame, _ form: WireFrame.LengthForm = .shortest, mustArrive: Bool = true
    ) async {
        record.transcript.sent(connection.name("tunnel"), frame.name, frame.payload)
        let bytes = (side == .client ? frame.masked : frame).bytes(form)
        await connection.send(bytes, nil, mustArrive: mustArrive)
    }

    var record: CaseRecord { connection.record }

    /// Sends bytes as they are.
    func send(raw bytes: [UInt8]) async { await connection.send(bytes, "bytes") }

    /// Waits for the next frame that is not a ping, answering pings.
    ///
    /// - Throws: ``Deviation`` for a frame that breaks a rule; ``Closed`` if the connection ended without a Close
    ///   frame.
    func frame() async throws -> WireFrame {
        do {
            while true {
                let frame = try await WireFrame.next(from: connection)
                record.transcript.received(connection.name("tunnel"), frame.name, frame.payload)
                try check(frame)
                guard frame.opcode == WireFrame.Opcode.ping else { return frame }
                guard !endsAtPing else {
                    await connection.close()
                    throw Closed(code: nil)
                }
                await send(WireFrame(opcode: WireFrame.Opcode.pong, payload: frame.payload), mustArrive: false)
            }
        } catch is WireConnection.Ended {
            throw Closed(code: nil)
        }
    }

    /// Waits for the next message.
    ///
    /// - Throws: ``Deviation``, ``Closed``.
    func message() async throws -> [UInt8] {
        var message: [UInt8] = []
        var hasBegun = false
        while true {
            let frame = try await frame()
            switch frame.opcode {
            case WireFrame.Opcode.binary where !hasBegun, WireFrame.Opcode.continuation where hasBegun:
                message += frame.payload
                hasBegun = true
                guard frame.fin else { continue }
                guard !message.isEmpty else { throw Deviation("it sends an empty message") }
                return message
            case WireFrame.Opcode.pong: continue
            case WireFrame.Opcode.close:
                await connection.noteGoodbye()
                throw Closed(code: frame.closeCode, isFrame: true)
            case WireFrame.Opcode.text: throw Deviation("it sends a text message")
            default: throw Deviation("it sends a frame with opcode \(frame.opcode), which is not allowed here")
            }
        }
    }

    func message(_ isWhole: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8] { try await message() }

    func close() async { await close(1000) }

    func drop() async { await connection.close() }

    /// Sends a Close frame, and closes without waiting for the other side's.
    func close(_ code: UInt16?) async {
        await send(.close(code), mustArrive: false)
        await connection.close()
    }

    /// Sends a Close frame, and waits a moment for the other side's, for which some wait in turn.
    func closeAndWait(_ code: UInt16?, reason: String = "") async {
        await send(.close(code, reason: reason), mustArrive: false)
        _ = try? await within(Self.closeTimeout, "its Close frame") { while true { _ = try await message() } }
        await connection.close()
    }

    private static let closeTimeout = Duration.seconds(2)

    private func check(_ frame: WireFrame) throws {
        guard frame.isMasked == (side == .server) else {
            throw Deviation(side == .server ? "it sends an unmasked frame" : "it masks a frame")
        }
        guard frame.reserved == 0 else { throw Deviation("it sends a frame with reserved bits") }
        if frame.opcode >= WireFrame.Opcode.firstControl {
            guard frame.fin, frame.payload.count <= 125 else {
                throw Deviation("it sends a control frame that is fragmented or too long")
            }
        }
    }
}
