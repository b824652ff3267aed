import BluetoothLE
import HybridProtocol
import HybridTransport
import Testing

@testable import Conformance

/// Delivery over real sockets, whose other end behaves as no case can demand.
@Suite("What was sent", .timeLimit(.minutes(5)))
struct DeliveryTests {
    /// Runs a case's end of a connection, and the peer's, which ends in its own way.
    static func undeliveredReason(
        isReading: Bool = true,
        _ body: @Sendable (_ ours: WireConnection, _ peer: WireConnection) async throws -> Void
    ) async throws -> String? {
        let record = CaseRecord(needsDelivery: true)
        try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil, record: record) { listener in
            let target = WireTarget(host: "127.0.0.1", port: listener.port, tls: nil)
            let peer = try await WireConnection.connect(to: target, isReading: isReading)
            let ours = try await listener.accept()
            await peer.send([1])
            _ = try await ours.take(1)
            try await body(ours, peer)
            await record.settleDeliveries()
        }
        return record.undeliveredReason
    }

    static func end(of ours: WireConnection) async throws {
        do { _ = try await ours.take(1) } catch is WireConnection.Ended {}
    }

    @Test("has arrived at a peer that reads it and ends the connection in order")
    func read() async throws {
        let undeliveredReason = try await Self.undeliveredReason { ours, peer in
            await ours.send([2])
            _ = try await peer.take(1)
            await peer.close()
            try await Self.end(of: ours)
            await ours.close()
        }
        #expect(undeliveredReason == nil)
    }

    @Test("has arrived at a peer that stays, once its system has acknowledged it")
    func acknowledged() async throws {
        let undeliveredReason = try await Self.undeliveredReason { ours, _ in await ours.send([2]) }
        #expect(undeliveredReason == nil)
    }

    @Test("has not arrived at a peer that ends the connection without reading it")
    func unread() async throws {
        let undeliveredReason = try await Self.undeliveredReason(isReading: false) { ours, peer in
            await ours.send([2])
            await peer.close()
            try await Self.end(of: ours)
            await ours.close()
        }
        #expect(undeliveredReason == "it ended the connection, and did not read everything that had been sent")
    }

    @Test("lies unread until the peer's program reads it", arguments: ["127.0.0.1", "::1"], [true, false])
    func unreadByteCount(host: String, isReading: Bool) async throws {
        try await WireListener.with(host: host, port: 0, tls: nil) { listener in
            let target = WireTarget(host: host, port: listener.port, tls: nil)
            let peer = try await WireConnection.connect(to: target, isReading: isReading)
            let ours = try await listener.accept()
            await ours.send([1, 2, 3])
            if isReading { _ = try await peer.take(3) }
            #expect(PeerSocket.unreadByteCount(ours.channel) == (isReading ? 0 : 3))
            await peer.reset()
            try await Self.end(of: ours)
            #expect(PeerSocket.unreadByteCount(ours.channel) == nil)
        }
    }

    @Test("has arrived at a peer that answered when it had read everything, and ended with a goodbye unread")
    func unreadGoodbye() async throws {
        let undeliveredReason = try await Self.undeliveredReason { ours, peer in
            await ours.send([2])
            _ = try await peer.take(1)
            await peer.send([3])
            _ = try await ours.take(1)
            await peer.stopReading()
            await ours.send([4], mustArrive: false)
            await peer.send([5])
            _ = try await ours.take(1)
            await peer.reset()
            try await Self.end(of: ours)
        }
        #expect(undeliveredReason == nil)
    }

    @Test("has not arrived at a peer that says goodbye while it lies unread")
    func goodbyeUnread() async throws {
        let undeliveredReason = try await Self.undeliveredReason(isReading: false) { ours, peer in
            await ours.send([2])
            await peer.send(WireFrame.close(1_000).masked.bytes())
            let end = WebSocketEnd(connection: ours, side: .server)
            await #expect(throws: WebSocketEnd.Closed.self) { try await end.message() }
            await end.close()
        }
        #expect(undeliveredReason == "it ended the connection, and did not read everything that had been sent")
    }

    @Test("has not arrived at a peer that has ended the connection before")
    func late() async throws {
        let undeliveredReason = try await Self.undeliveredReason { ours, peer in
            await peer.close()
            try await Self.end(of: ours)
            await ours.send([2])
            await ours.close()
        }
        #expect(undeliveredReason == "it had ended the connection before that was sent")
    }

    @Test("has not arrived at a peer that has said goodbye before, whatever it reads afterwards")
    func goodbye() async throws {
        let undeliveredReason = try await Self.undeliveredReason { ours, peer in
            await peer.send(WireFrame.close(1_000).masked.bytes())
            let end = WebSocketEnd(connection: ours, side: .server)
            // The frame is there before it is looked at.
            try await Task.sleep(for: .milliseconds(100))
            await end.send([2])
            await #expect(throws: WebSocketEnd.Closed.self) { try await end.message() }
            await end.close()
        }
        #expect(undeliveredReason == "it had ended the connection before that was sent")
    }

    @Test("need not arrive if it only ends the connection, or comes after the mistake")
    func followUp() async throws {
        let undeliveredReason = try await Self.undeliveredReason { ours, peer in
            await ours.send([2])
            _ = try await peer.take(1)
            await ours.record.mistakeIsSent()
            await peer.close()
            try await Self.end(of: ours)
            await ours.send([3])
            await WebSocketEnd(connection: ours, side: .server).close()
        }
        #expect(undeliveredReason == nil)
    }

    @Test("over L2CAP has arrived where the peer has read it, and only there", arguments: [true, false])
    func nearby(isRead: Bool) async throws {
        let radio = try await SimulatedRadioAddress.unused()
        let channels = try SimulatedChannels(at: [radio])
        let listening = try await channels.listen()
        async let accepted = listening.accept()
        let socket = try UnixPeer(radio, listening.psm)
        let record = CaseRecord(needsDelivery: true)
        let end = NearbyEnd(try #require(try await accepted as? any SDUChannel), NearbyEnd.bare, record)
        await end.send([1, 2, 3])
        if isRead { #expect(socket.read() == [1, 2, 3]) }
        socket.end()
        await #expect(throws: WebSocketEnd.Closed.self) { try await end.message { _ in true } }
        await end.close()
        await listening.close()
        #expect((record.undeliveredReason == nil) == isRead)
    }

    @Test("as an advert has arrived where something listens")
    func heardAdvert() async throws {
        let radio = try await SimulatedRadioAddress.unused()
        let record = CaseRecord(needsDelivery: true)
        try await SimulatedScanner(at: radio).scan { adverts in
            try await AdvertTransmitter(radio: .simulated(radio), record: record).send([Self.advert]) {
                for try await _ in adverts { break }
            }
        }
        #expect(record.undeliveredReason == nil)
    }

    @Test("as an advert has not arrived where nothing listens")
    func unheardAdvert() async throws {
        let port = try DeafPort()
        let record = CaseRecord(needsDelivery: true)
        let transmitter = AdvertTransmitter(radio: .simulated(try .init(parsing: port.address)), record: record)
        try await transmitter.send([Self.advert]) { try await Task.sleep(for: .milliseconds(250)) }
        #expect(record.undeliveredReason == "nothing listened to the radio when the advert was sent")
    }

    static let advert = TestAdvert(data: [UInt8](repeating: 1, count: 20))
}
