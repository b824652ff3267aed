import Cryptography
import TestPeers
import Testing

/// SP 800-38D. The numbers are test cases 13 to 16 of McGrew and Viega's submission of GCM, and the one of IEEE 802.1AE
/// (MACsec) that authenticates without encrypting.
@Suite struct AES256GCMTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: [UInt8]
        let nonce: [UInt8]
        let authenticatedData: [UInt8]
        let plaintext: [UInt8]
        let ciphertext: [UInt8]
        let tag: [UInt8]
    }

    static let cases = [
        Case(
            testDescription: "13: nothing at all", key: .init(repeating: 0, count: 32),
            nonce: .init(repeating: 0, count: 12), authenticatedData: [], plaintext: [], ciphertext: [],
            tag: bytes("530f8afbc74536b9a963b4f1c4cb738b")),
        Case(
            testDescription: "14: one block", key: .init(repeating: 0, count: 32),
            nonce: .init(repeating: 0, count: 12), authenticatedData: [], plaintext: .init(repeating: 0, count: 16),
            ciphertext: bytes("cea7403d4d606b6e074ec5d3baf39d18"), tag: bytes("d0d1c8a799996bf0265b98b5d48ab919")),
        Case(
            testDescription: "15: four blocks",
            key: bytes("feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308"),
            nonce: bytes("cafebabefacedbaddecaf888"), authenticatedData: [],
            plaintext: bytes(
                """
                d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72
                1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b391aafd255
                """),
            ciphertext: bytes(
                """
                522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa
                8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662898015ad
                """),
            tag: bytes("b094dac5d93471bdec1a502270e3cc6c")),
        Case(
            testDescription: "16: no whole number of blocks, and additional data",
            key: bytes("feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308"),
            nonce: bytes("cafebabefacedbaddecaf888"),
            authenticatedData: bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
            plaintext: bytes(
                """
                d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72
                1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39
                """),
            ciphertext: bytes(
                """
                522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa
                8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662
                """),
            tag: bytes("76fc6ece0f4e1768cddf8853bb2d551b")),
        Case(
            testDescription: "802.1AE: additional data only",
            key: bytes("e3c08a8f06c6e3ad95a70557b23f7548 3ce33021a9c72b7025666204c69c0b72"),
            nonce: bytes("12153524c0895e81b2c28465"),
            authenticatedData: bytes(
                """
                d609b1f056637a0d46df998d88e5222a b2c2846512153524c0895e8108000f10 1112131415161718191a1b1c1d1e1f20
                2122232425262728292a2b2c2d2e2f30 313233340001
                """),
            plaintext: [], ciphertext: [], tag: bytes("2f0bc5af409e06d609ea8b7d0fa5ea50")),
    ]

    @Test("The published ciphertexts and tags come out, and open again", arguments: cases)
    func published(_ test: Case) throws {
        #expect(try seal(test) == test.ciphertext + test.tag)
        #expect(try open(test, test.ciphertext + test.tag) == test.plaintext)
    }

    @Test("Every flipped bit of ciphertext and tag is refused", arguments: cases)
    func messageFlips(_ test: Case) {
        for flipped in singleBitFlips(test.ciphertext + test.tag) { expectRefusal(test, flipped) }
    }

    @Test("Every flipped bit of the additional data is refused", arguments: cases)
    func authenticatedDataFlips(_ test: Case) {
        for flipped in singleBitFlips(test.authenticatedData) {
            expectRefusal(test, test.ciphertext + test.tag, authenticatedData: flipped)
        }
        expectRefusal(test, test.ciphertext + test.tag, authenticatedData: test.authenticatedData + [0])
    }

    @Test("Every flipped bit of nonce and key is refused", arguments: cases)
    func nonceAndKeyFlips(_ test: Case) {
        for flipped in singleBitFlips(test.nonce) { expectRefusal(test, test.ciphertext + test.tag, nonce: flipped) }
        for flipped in singleBitFlips(test.key) { expectRefusal(test, test.ciphertext + test.tag, key: flipped) }
    }

    @Test("Every truncation and an added byte are refused", arguments: cases)
    func truncations(_ test: Case) {
        let sealed = test.ciphertext + test.tag
        for count in 0..<sealed.count { expectRefusal(test, Array(sealed.prefix(count))) }
        expectRefusal(test, sealed + [0])
    }

    @Test("What was refused is wiped from the caller's array")
    func refusedIsEmptied() throws {
        let test = Self.cases[2]
        var opener = try AES256GCM.Opener(key: test.key.span)
        var message = test.ciphertext + [UInt8](repeating: 0, count: AES256GCM.tagByteCount)
        let code = refusal { () throws(CryptographyError) in
            try opener.open(&message, nonce: AES256GCM.Nonce(test.nonce))
        }
        #expect(code == .authenticationFailed)
        #expect(message.isEmpty)
    }

    @Test("A key of another length is refused", arguments: [0, 16, 24, 31, 33])
    func keyLength(count: Int) {
        let key = [UInt8](repeating: 1, count: count)
        #expect(refusal { () throws(CryptographyError) in try AES256GCM.Sealer(key: key.span) } == .wrongLength)
        #expect(refusal { () throws(CryptographyError) in try AES256GCM.Opener(key: key.span) } == .wrongLength)
    }

    @Test("One sealer and one opener serve many messages as fresh ones would, refusals in between")
    func reuse() throws {
        let test = Self.cases[3]
        var sealer = try AES256GCM.Sealer(key: test.key.span)
        var opener = try AES256GCM.Opener(key: test.key.span)
        for length in 0...70 {
            let plaintext = [UInt8](repeating: UInt8(length), count: length)
            let nonce = AES256GCM.Nonce([UInt8](repeating: UInt8(length), count: AES256GCM.nonceByteCount))
            // The fresh pair sees each message with and without additional data, so that none of it lingers.
            let authenticatedData = length.isMultiple(of: 2) ? test.authenticatedData : []
            var fresh = try AES256GCM.Sealer(key: test.key.span)
            var expected = plaintext
            try fresh.seal(&expected, nonce: nonce, authenticatedData: authenticatedData.span)
            var message = plaintext
            try sealer.seal(&message, nonce: nonce, authenticatedData: authenticatedData.span)
            #expect(message == expected)
            var forged = message
            forged[forged.count - 1] ^= 1
            let code = refusal { () throws(CryptographyError) in
                try opener.open(&forged, nonce: nonce, authenticatedData: authenticatedData.span)
            }
            #expect(code == .authenticationFailed)
            try opener.open(&message, nonce: nonce, authenticatedData: authenticatedData.span)
            #expect(message == plaintext)
        }
    }

    @Test("Sealing and opening work where the message lies: with 16 bytes reserved nothing moves")
    func inPlace() throws {
        let test = Self.cases[2]
        var sealer = try AES256GCM.Sealer(key: test.key.span)
        var opener = try AES256GCM.Opener(key: test.key.span)
        var message: [UInt8] = []
        message.reserveCapacity(test.plaintext.count + AES256GCM.tagByteCount)
        message += test.plaintext
        let address = address(of: message)
        try sealer.seal(&message, nonce: AES256GCM.Nonce(test.nonce))
        #expect(self.address(of: message) == address)
        try opener.open(&message, nonce: AES256GCM.Nonce(test.nonce))
        #expect(self.address(of: message) == address)
        #expect(message == test.plaintext)
    }

    @Test("The tag goes to the place that is there for it", arguments: cases)
    func roomForTag(_ test: Case) throws {
        var sealer = try AES256GCM.Sealer(key: test.key.span)
        var message = test.plaintext + [UInt8](repeating: 0xff, count: AES256GCM.tagByteCount)
        var span = message.mutableSpan
        try sealer.seal(&span, nonce: AES256GCM.Nonce(test.nonce), authenticatedData: test.authenticatedData.span)
        #expect(message == test.ciphertext + test.tag)
    }

    @Test("A place shorter than the tag is refused", arguments: [0, 1, 15])
    func noRoomForTag(count: Int) throws {
        let test = Self.cases[0]
        var sealer = try AES256GCM.Sealer(key: test.key.span)
        var message = [UInt8](repeating: 1, count: count)
        var span = message.mutableSpan
        var code: CryptographyError.Code?
        do { try sealer.seal(&span, nonce: AES256GCM.Nonce(test.nonce)) } catch { code = error.code }
        #expect(code == .wrongLength)
    }

    @Test("A copy of the message that is kept elsewhere stays as it was")
    func copyOnWrite() throws {
        let test = Self.cases[2]
        var sealer = try AES256GCM.Sealer(key: test.key.span)
        let kept = test.plaintext
        var message = kept
        try sealer.seal(&message, nonce: AES256GCM.Nonce(test.nonce))
        #expect(kept == test.plaintext && message != kept)
    }

    private func address(of message: [UInt8]) -> UInt? {
        message.withUnsafeBytes { $0.baseAddress.map { UInt(bitPattern: $0) } }
    }

    private func seal(_ test: Case) throws -> [UInt8] {
        var sealer = try AES256GCM.Sealer(key: test.key.span)
        var message = test.plaintext
        try sealer.seal(&message, nonce: AES256GCM.Nonce(test.nonce), authenticatedData: test.authenticatedData.span)
        return message
    }

    private func open(
        _ test: Case, _ sealed: [UInt8], key: [UInt8]? = nil, nonce other: [UInt8]? = nil,
        authenticatedData: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let (key, authenticatedData) = (key ?? test.key, authenticatedData ?? test.authenticatedData)
        var opener = try AES256GCM.Opener(key: key.span)
        var message = sealed
        let nonce = AES256GCM.Nonce(other ?? test.nonce)
        try opener.open(&message, nonce: nonce, authenticatedData: authenticatedData.span)
        return message
    }

    private func expectRefusal(
        _ test: Case, _ sealed: [UInt8], key: [UInt8]? = nil, nonce: [UInt8]? = nil, authenticatedData: [UInt8]? = nil,
        location: SourceLocation = #_sourceLocation
    ) {
        let code = refusal { () throws(CryptographyError) in
            try open(test, sealed, key: key, nonce: nonce, authenticatedData: authenticatedData)
        }
        #expect(code == .authenticationFailed, sourceLocation: location)
    }
}
