import BluetoothLE
import Encodings
import HybridProtocol
import HybridTransport
import Testing

@Suite("An address of the simulated radio")
struct SimulatedRadioAddressTests {
    @Test(
        "is a loopback host and a port",
        arguments: [
            ("127.0.0.1:9000", "127.0.0.1:9000"), ("localhost:1", "127.0.0.1:1"), ("[::1]:65535", "[::1]:65535"),
            ("127.255.255.254:9000", "127.255.255.254:9000"), ("[0:0:0:0:0:0:0:1]:9000", "[::1]:9000"),
            ("127.0.0.1:09000", "127.0.0.1:9000"),
        ])
    func parses(text: String, canonical: String) throws {
        #expect(try SimulatedRadioAddress(parsing: text).description == canonical)
    }

    @Test(
        "is refused when it is not loopback",
        arguments: [
            "0.0.0.0:9000", "192.168.1.1:9000", "128.0.0.1:9000", "[::]:9000", "[fe80::1]:9000", "[::2]:9000",
            "[::ffff:127.0.0.1]:9000", "255.255.255.255:9000", "224.0.0.1:9000",
        ])
    func refusesOtherHosts(text: String) {
        #expect { try SimulatedRadioAddress(parsing: text) } throws: {
            ($0 as? RadioError)?.code == .invalidAddress && "\($0)".contains("loopback")
        }
    }

    @Test(
        "is refused when it is malformed",
        arguments: [
            "", ":", "9000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:+1",
            "127.0.0.1:-1", "127.0.0.1: 1", " 127.0.0.1:1", "127.0.0.1:1 ", "127.0.0.1:1x", "127.0.0.1:１", "::1:9000",
            "[::1]", "[::1]:", "[::1:9000", "::1]:9000", "[127.0.0.1]:9000", "127.1:9000", "0x7f.0.0.1:9000",
            "LOCALHOST.example:1", "example.org:9000", ":9000", "[]:9000", "127.0.0.1:1:1",
            String(repeating: "1", count: 65) + ":1", "127.0.0.1:99999999999999999999",
        ])
    func refusesMalformed(text: String) {
        #expect(throws: RadioError(.invalidAddress, reason: "")) { try SimulatedRadioAddress(parsing: text) }
    }

    @Test("may be one of a list, separated by commas")
    func parsesList() throws {
        let list = try SimulatedRadioAddress.list(parsing: "127.0.0.1:1,[::1]:2,localhost:3")
        #expect(list.map(\.description) == ["127.0.0.1:1", "[::1]:2", "127.0.0.1:3"])
    }

    @Test(
        "is refused in a list with an empty part, a space, or too many parts",
        arguments: [
            "", ",", "127.0.0.1:1,", "127.0.0.1:1, 127.0.0.1:2",
            Array(repeating: "127.0.0.1:1", count: 17).joined(separator: ","),
        ])
    func refusesList(text: String) {
        #expect(throws: RadioError(.invalidAddress, reason: "")) { try SimulatedRadioAddress.list(parsing: text) }
    }

    @Test("that is unused can be found, again and again")
    func findsUnused() async throws {
        let first = try await SimulatedRadioAddress.unused()
        #expect(first.host == "127.0.0.1")
        #expect(try await SimulatedScanner(at: first).scan { _ in true })
    }

    @Test("is waited for while a program that is being started still holds it")
    func waitsForAddress() async throws {
        let address = try await SimulatedRadioAddress.unused()
        let (isHeld, holding) = AsyncStream<Void>.makeStream()
        let holder = Task {
            try await SimulatedScanner(at: address).scan { _ in
                holding.finish()
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        for await _ in isHeld {}
        #expect(try await SimulatedScanner(at: address).scan { _ in true })
        try await holder.value
    }
}
