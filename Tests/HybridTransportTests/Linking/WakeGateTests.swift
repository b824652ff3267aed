import HybridProtocol
import HybridTransport
import Testing

@Suite("The gate for wakes")
struct WakeGateTests {
    private let start = ContinuousClock.now

    private func request(_ link: UInt8, _ nonce: Int) throws -> ContactRequest {
        let bytes = (0..<ClientNonce.byteCount).map { UInt8(truncatingIfNeeded: nonce >> (8 * min($0, 7))) }
        return try ContactRequest(
            linkID: LinkID([UInt8](repeating: link, count: LinkID.byteCount)), nonce: ClientNonce(bytes),
            hint: .getAssertion)
    }

    @Test("lets a request through once, also long after it succeeded")
    func replay() throws {
        var gate = WakeGate()
        let request = try request(1, 1)
        #expect(gate.admit(request, at: start) == .admitted)
        #expect(gate.admit(request, at: start) == .replayed)
        gate.succeeded(request)
        #expect(gate.admit(request, at: start + .seconds(3_600)) == .replayed)
    }

    @Test("bounds the wakes of a link that come to nothing, and not those of another")
    func tooMany() throws {
        var gate = WakeGate()
        for number in 1...WakeGate.maxFailedWakes {
            #expect(try gate.admit(request(1, number), at: start) == .admitted)
        }
        #expect(try gate.admit(request(1, 99), at: start) == .tooMany)
        #expect(try gate.admit(request(2, 100), at: start) == .admitted)
        #expect(try gate.admit(request(1, 99), at: start + WakeGate.period) == .admitted)
    }

    @Test("bounds those of all links together")
    func storm() throws {
        var gate = WakeGate()
        let admitted = try (1...200).count { number in
            try gate.admit(request(UInt8(number), number), at: start) == .admitted
        }
        #expect(admitted == WakeGate.maxFailedWakesOfAll)
    }

    @Test("does not count wakes that lead to a session")
    func successes() throws {
        var gate = WakeGate()
        for number in 1...100 {
            let request = try request(1, number)
            #expect(gate.admit(request, at: start) == .admitted)
            gate.succeeded(request)
        }
    }

    @Test("remembers thousands of requests")
    func memory() throws {
        var gate = WakeGate()
        for number in 1...4_000 {
            let request = try request(1, number)
            _ = gate.admit(request, at: start)
            gate.succeeded(request)
        }
        for number in 1...4_000 { #expect(try gate.admit(request(1, number), at: start) == .replayed) }
    }
}
