import BluetoothLE
import HybridProtocol
import HybridTransport
import Testing

@testable import Conformance

/// The end of a peer's message on L2CAP, of a real socket whose other end cuts its SDUs where it likes.
@Suite("A terminator on L2CAP", .timeLimit(.minutes(5)))
struct TerminatorTests {
    /// Sends SDUs as the peer, reads the handshake message among them, and gives the rest.
    static func rest(after sdus: [[UInt8]]) async throws -> (rest: [[UInt8]], endsInTerminator: Bool) {
        let radio = try await SimulatedRadioAddress.unused()
        let listening = try await SimulatedChannels(at: [radio]).listen()
        async let accepted = listening.accept()
        let socket = try UnixPeer(radio, listening.psm)
        let end = NearbyEnd(try #require(try await accepted as? any SDUChannel), NearbyEnd.bare, CaseRecord())
        for sdu in sdus.prefix(1) { socket.send(sdu) }
        #expect(try await end.message { $0.count == 81 } == handshake)
        for sdu in sdus.dropFirst() { socket.send(sdu) }
        socket.end()
        var rest: [[UInt8]] = []
        do { while true { rest.append(try await end.message { _ in true }) } } catch is WebSocketEnd.Closed {}
        await listening.close()
        return (rest, end.endsInTerminator)
    }

    static let handshake = [UInt8](repeating: 4, count: 81)

    @Test(
        "belongs to the message before it, however it is cut",
        arguments: [
            [handshake + [0x0D, 0x0A]], [handshake, [0x0D, 0x0A]], [handshake, [0x0D], [0x0A]],
        ])
    func own(sdus: [[UInt8]]) async throws {
        let (rest, endsInTerminator) = try await Self.rest(after: sdus)
        #expect(rest.isEmpty)
        #expect(endsInTerminator)
    }

    @Test("is not made up where none comes, or half of one")
    func none() async throws {
        #expect(try await Self.rest(after: [Self.handshake]) == ([], false))
        #expect(try await Self.rest(after: [Self.handshake, [0x0D]]) == ([], false))
    }

    @Test("hides nothing that comes after it, or in its place")
    func others() async throws {
        let terminator: [UInt8] = [0x0D, 0x0A]
        #expect(try await Self.rest(after: [Self.handshake, terminator, [1, 2]]).rest == [[1, 2]])
        #expect(try await Self.rest(after: [Self.handshake, terminator, terminator]).rest == [terminator])
        #expect(try await Self.rest(after: [Self.handshake + terminator, terminator]).rest == [terminator])
        #expect(try await Self.rest(after: [Self.handshake, [0x0D], [1]]).rest.flatMap(\.self) == [0x0D, 1])
        #expect(try await Self.rest(after: [Self.handshake, [1, 0x0D, 0x0A]]).rest == [[1]])
    }
}
