import Cryptography
import TestPeers
import Testing

/// X9.62 points. The key is RFC 5903 section 8.1's responder's; the fault of each refused form is in its name.
@Suite struct P256PublicKeyTests {
    static let x = "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
    static let y = "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab"
    /// The prime of the field (SP 800-186 section 3.2.1.3).
    static let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    static let zero = String(repeating: "00", count: 32)
    static let ones = String(repeating: "ff", count: 32)
    /// The square root of the curve's constant b: the points with X = 0 have this Y, or its negative.
    static let yAtZero = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"

    @Test("An uncompressed point is read and written back", arguments: ["04\(x)\(y)", "04\(zero)\(yAtZero)"])
    func uncompressed(form: String) throws {
        let key = try publicKey(form)
        #expect(hex(key.uncompressed) == form)
        #expect(try publicKey(hex(key.compressed)) == key)
    }

    @Test("Compressed forms of both parities are each other's negatives")
    func parities() throws {
        let odd = try publicKey("03" + Self.x)
        let even = try publicKey("02" + Self.x)
        #expect(hex(odd.uncompressed) == "04" + Self.x + Self.y)
        #expect(hex(odd.compressed) == "03" + Self.x)
        #expect(hex(even.compressed) == "02" + Self.x)
        #expect(odd != even)
        #expect(odd.uncompressed.prefix(33) == even.uncompressed.prefix(33))
    }

    @Test("Drawn keys survive both forms", arguments: 0..<32)
    func roundTrip(_: Int) throws {
        let key = try P256.PrivateKey.generate().publicKey
        #expect(key.uncompressed.count == P256.uncompressedByteCount)
        #expect(key.compressed.count == P256.compressedByteCount)
        #expect(try publicKey(hex(key.uncompressed)) == key)
        #expect(try publicKey(hex(key.compressed)) == key)
    }

    /// The mistake, and the bytes.
    static let refusals: [(name: String, form: String)] = [
        ("nothing", ""),
        ("the point at infinity", "00"),
        ("infinity, filled up to 33 bytes", "00\(zero)"),
        ("infinity, filled up to 65 bytes", "00\(zero)\(zero)"),
        ("hybrid form, even", "06\(x)\(y)"),
        ("hybrid form, odd", "07\(x)\(y)"),
        ("an unknown form", "05\(x)\(y)"),
        ("the even form with 65 bytes", "02\(x)\(y)"),
        ("the uncompressed form with 33 bytes", "04\(x)"),
        ("64 bytes", "04\(x)\(y.dropLast(2))"),
        ("66 bytes", "04\(x)\(y)00"),
        ("32 bytes", "02\(x.dropLast(2))"),
        ("34 bytes", "02\(x)00"),
        ("Y off by one", "04\(x)\(y.dropLast())c"),
        ("X and Y swapped", "04\(y)\(x)"),
        ("zero, zero", "04\(zero)\(zero)"),
        ("X without a Y", "02\(zero.dropLast())4"),
        ("X at the prime, compressed", "02\(prime)"),
        ("X above the prime, compressed", "02\(ones)"),
        // 0 + p is 0 in the field, and the points at 0 are on the curve: only the range is wrong.
        ("X at the prime", "04\(prime)\(yAtZero)"),
        ("Y at the prime", "04\(x)\(prime)"),
        ("Y above the prime", "04\(x)\(ones)"),
    ]

    @Test("What is not a point in one of the two forms is refused", arguments: refusals)
    func refused(name: String, form: String) {
        let code = refusal { () throws(CryptographyError) in try publicKey(form) }
        #expect(code == .invalidPoint, "\(name)")
    }

    @Test("Every flipped bit of an uncompressed point is refused: none is on the curve again, or the form is wrong")
    func bitFlips() {
        for flipped in singleBitFlips(bytes("04" + Self.x + Self.y)) {
            let code = refusal { () throws(CryptographyError) in try P256.PublicKey(x963: flipped.span) }
            #expect(code == .invalidPoint)
        }
    }

    @Test("A refusal leaves nothing behind that fails the next operation")
    func refusalThenGood() throws {
        for _ in 0..<3 {
            _ = refusal { () throws(CryptographyError) in try publicKey("04" + Self.x + Self.prime) }
            #expect(throws: Never.self) { try publicKey("04" + Self.x + Self.y) }
        }
    }
}

func publicKey(_ form: String) throws(CryptographyError) -> P256.PublicKey {
    let form = bytes(form)
    return try P256.PublicKey(x963: form.span)
}
