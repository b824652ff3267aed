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

    @Test(
        "A seed is expanded to the keys of BoringSSL's own tests of EC_KEY_derive_from_secret",
        arguments: [
            (
                "", "b98a86a71efb51ebdac4759937b977e9b0c05224675bb2b6a58ba306e237f4b8",
                "03fbe6cab439918e00231a2ff073cdc25823998864a9eb36f809095a1a919ece87"
            ),
            (
                "123456", "44a72bc62087b88e5ab7126766177ed0d8f1ed09ad066cd746527fc201105a7e",
                "03ec0555cd76e991fef7f5504343937d0f38696db3360a4854052cb0d84a377a5a"
            ),
            (
                "00000000000000000000000000000000", "7ca1e2c83e6a5f2c1b3e7d58180226f269930c4b9fbe2a275096079630b7c57d",
                "0342ef70c8fc0fbe383ed0a0da36f39f9a590f3feebc07863cc858c9a8ef046573"
            ),
            (
                "de9c9b35543aaa0fba039e34e8ca9695da3225c7161c9e3a8c70356cac28c780",
                "659f5abf3b62b9931c29d6ed0722efd2349fa56f54e708cf3272f620f1bc44d0",
                "036741f806b593bf3a3d4a9d76bdcb9b0d7874633cbea8f42c05e78561f7e8ec36"
            ),
        ])
    func expanded(seed: String, scalar: String, publicKey: String) throws {
        let (seed, info) = (bytes(seed), Array("derive EC key P-256".utf8))
        let key = try P256.PrivateKey(expanding: seed.span, info: info.span)
        #expect(try hex(contents(key.scalar())) == scalar)
        #expect(hex(key.publicKey.compressed) == publicKey)
    }

    @Test("A seed gives another key under another info, and a clone is the same key")
    func otherInfo() throws {
        let (seed, one, other): ([UInt8], [UInt8], [UInt8]) = ([1], [1], [2])
        let key = try P256.PrivateKey(expanding: seed.span, info: one.span)
        #expect(key.clone().publicKey == key.publicKey)
        #expect(try P256.PrivateKey(expanding: seed.span, info: other.span).publicKey != key.publicKey)
    }
}
