import Testing

@testable import Conformance

@Suite("A handshake message around any point")
struct SealedPointTests {
    @Test("is the handshake's own where the point is the handshake's own")
    func sameAsHandshake() throws {
        let code = try TestCode()
        let presharedKey = [UInt8](repeating: 7, count: 32)
        let message = try ClientHandshake(scalar: code.scalar, presharedKey: presharedKey).message
        #expect(
            try SealedPointCases.sealed(Array(message.prefix(65)), client: code.publicKey, presharedKey: presharedKey)
                == message)
    }
}
