internal import BluetoothLE
internal import Cryptography
internal import Glibc
internal import HybridTransport
internal import NIOCore

extension RunnerRadio {
    /// Uses the radio for a moment.
    ///
    /// - Throws: `RadioError` if it cannot be used.
    func check() async throws {
        switch self {
        case .simulated: break
        case .scanner(let scanner): try await scanner.scan { _ in }
        // An advert that no client can decrypt.
        case .advertiser(let advertiser): try await advertiser.advertise(randomBytes(count: Self.advertByteCount)) {}
        }
    }

    private static let advertByteCount = 20
}

extension ProgramSettings {
    /// Listens for a moment where the tunnel service will listen in each case.
    ///
    /// - Throws: ``RunnerError`` with `cannot-listen`.
    func checkListening() async throws {
        do {
            try await WireListener.with(host: listenAddress, port: Int(port), tls: nil) { _ in }
        } catch {
            try Task.checkCancellation()
            let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw RunnerError(
                .cannotListen, reason: "the tunnel service cannot be played at \(listenAddress):\(port): \(words)")
        }
    }
}
