import Cryptography
import TestPeers
import Testing

/// FIPS 180-4; the numbers are NIST's examples and those of RFC 6234 section 8.5.
@Suite struct SHA256Tests {
    @Test(
        "The published digests come out",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "01234567", count: 80),
                "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func published(message: String, digest: String) throws {
        let message = Array(message.utf8)
        let result = SHA256.hash(message.span)
        #expect(hex(result) == digest)
    }

    @Test("Two parts have the digest of the whole, wherever the cut is")
    func parts() throws {
        let message = (0..<150).map { UInt8($0) }
        let whole = SHA256.hash(message.span)
        for cut in 0...message.count {
            let digest = SHA256.hash(message.span.extracting(0..<cut), message.span.extracting(cut...))
            #expect(digest == whole, "cut at \(cut)")
        }
    }
}
