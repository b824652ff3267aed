import NIOSSL
import Testing

@testable import Conformance

@Suite("The TLS records of a peer's frames", .timeLimit(.minutes(5)))
struct RecordTests {
    @Test("are told by their headers, however the bytes come", arguments: [1, 2, 4, 5, 6, 7, 1_000])
    func headers(pieceByteCount: Int) {
        let stream: [UInt8] =
            [22, 3, 1, 0, 2, 23, 23, 23, 3, 3, 1, 4] + [UInt8](repeating: 23, count: 260)
            + [23, 3, 3, 0, 0, 21, 3, 3, 0, 1, 23, 23, 3, 3, 0, 9]
        var headers = RecordHeaders()
        var found: [Int] = []
        for start in stride(from: 0, to: stream.count, by: pieceByteCount) {
            found += headers.read(stream[start..<min(start + pieceByteCount, stream.count)])
        }
        #expect(found == [260, 0, 9])
    }

    @Test(
        "are described, and not judged",
        arguments: [
            ([], [19], "it sends no frame"),
            ([83], [100], "its frame is one TLS record"),
            ([83, 516], [107, 540], "each of its 2 frames is one TLS record"),
            // More comes than was read, such as a close alert.
            ([83, 516], [99, 532, 18], "each of its 2 frames is one TLS record"),
            ([83, 516], [19, 98, 21, 529], "its frames of 83, 516 bytes come in TLS records of 2, 81, 4, 512 bytes"),
            ([6, 8], [31], "its frames of 6, 8 bytes come in TLS records of 14 bytes"),
            // With padding.
            ([83], [512], "its frames of 83 bytes come in encrypted TLS records of 512 bytes"),
            (
                [Int](repeating: 1, count: 13), [30],
                "its frames of 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, … bytes come in TLS records of 13 bytes"
            ),
            ([9], [], "its frames of 9 bytes come in encrypted TLS records of  bytes"),
        ])
    func text(frames: [Int], encrypted: [Int], text: String) {
        #expect(FrameRecords(frames: frames, encrypted: encrypted).text == text)
    }

    @Test("are those that it has written, in every version of TLS", arguments: [TLSVersion.tlsv12, .tlsv13])
    func connection(version: TLSVersion) async throws {
        let identity = try ServiceIdentity.local()
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(identity.authorityPEM ?? []))
        configuration.maximumTLSVersion = version
        let client = try NIOSSLContext(configuration: configuration)
        try await WireListener.with(host: "127.0.0.1", port: 0, tls: identity.context) { listener in
            let target = WireTarget(host: "localhost", port: listener.port, tls: client)
            let near = try await WireConnection.connect(to: target)
            let far = try await listener.accept()
            await near.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await far.takeHead()
            let frame = WireFrame(payload: [UInt8](repeating: 7, count: 81)).masked
            await near.send(frame.bytes())
            try await near.send(records: frame.headAndPayload)
            let end = WebSocketEnd(connection: far, side: .server)
            for _ in 0..<2 { #expect(try await end.frame() == frame) }
            let records = await far.frameRecords
            #expect(records.frames == [87, 87] && records.records == [87, 6, 81] && records.areOpened)
            await near.close()
        }
    }

    @Test("are none without TLS, and then the cases about them are skipped")
    func plain() async throws {
        try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil) { listener in
            let near = try await WireConnection.connect(
                to: WireTarget(host: "127.0.0.1", port: listener.port, tls: nil))
            await #expect(throws: NotApplicable.self) { try await near.send(records: [[1], [2]]) }
            await near.close()
        }
    }
}
