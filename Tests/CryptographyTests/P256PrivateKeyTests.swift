import Cryptography
import TestPeers
import Testing

@Suite struct P256PrivateKeyTests {
    /// The order of the curve (SP 800-186 section 3.2.1.3) is …51.
    static let orderWithoutLastDigit = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63255"

    @Test(
        "A scalar is above zero and below the order",
        arguments: [String(repeating: "00", count: 31) + "01", orderWithoutLastDigit + "0"])
    func inRange(scalar: String) throws {
        let key = try privateKey(scalar)
        #expect(try hex(contents(key.scalar())) == scalar)
    }

    @Test("The keys of 1 and of the order less 1 are each other's negatives")
    func ends() throws {
        let first = try privateKey(String(repeating: "00", count: 31) + "01").publicKey
        let last = try privateKey(Self.orderWithoutLastDigit + "0").publicKey
        #expect(first != last)
        #expect(first.compressed.dropFirst() == last.compressed.dropFirst())
    }

    @Test(
        "Zero, the order and what is above are refused",
        arguments: [
            String(repeating: "00", count: 32), orderWithoutLastDigit + "1", orderWithoutLastDigit + "2",
            String(repeating: "ff", count: 32),
        ])
    func outOfRange(scalar: String) {
        #expect(refusal { () throws(CryptographyError) in try privateKey(scalar) } == .invalidScalar)
    }

    @Test("Another length is refused, leading zeros or not", arguments: [0, 1, 31, 33, 64])
    func lengths(count: Int) {
        for byte: UInt8 in [0, 1] {
            let scalar = [UInt8](repeating: byte, count: count)
            let code = refusal { () throws(CryptographyError) in try P256.PrivateKey(scalar: scalar.span) }
            #expect(code == .wrongLength)
        }
    }

    @Test("A scalar with leading zeros keeps its 32 bytes")
    func leadingZeros() throws {
        let scalar = String(repeating: "00", count: 16) + "0123456789abcdef0123456789abcdef"
        #expect(try hex(contents(privateKey(scalar).scalar())) == scalar)
    }

    @Test("A drawn key is the same when it is imported again, and no two are the same")
    func drawn() throws {
        var seen = Set<[UInt8]>()
        for _ in 0..<32 {
            let key = try P256.PrivateKey.generate()
            let scalar = contents(try key.scalar())
            #expect(scalar.count == P256.scalarByteCount)
            #expect(try P256.PrivateKey(scalar: scalar.span).publicKey == key.publicKey)
            seen.insert(scalar)
        }
        #expect(seen.count == 32)
    }

    @Test("Many tasks draw keys and read points at once, all from the one curve")
    func concurrently() async throws {
        let agreed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let key = try P256.PrivateKey.generate()
                    let other = try P256.PrivateKey.generate()
                    let read = try P256.PublicKey(x963: key.publicKey.compressed.span)
                    let ours = contents(try key.sharedSecret(with: other.publicKey))
                    return try contents(other.sharedSecret(with: read)) == ours
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(agreed == 200)
    }
}
