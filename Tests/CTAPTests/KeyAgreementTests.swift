import CTAP
import Cryptography
import Encodings
import TestPeers
import Testing

/// PIN/UV auth protocol two. Source: CTAP 2.2 section 6.5.7.
@Suite struct KeyAgreementTests {
    /// The other end: python-fido2. Prints its key, 64 bytes encrypted, and their authentication code.
    private static let peer = """
        import sys
        from fido2.ctap2.pin import PinProtocolV2
        x, y = (bytes.fromhex(word) for word in sys.argv[1:])
        protocol = PinProtocolV2()
        key, secret = protocol.encapsulate({1: 2, 3: -25, -1: 1, -2: x, -3: y})
        message = protocol.encrypt(secret, bytes(range(64)))
        print((b"\\x04" + key[-2] + key[-3]).hex(), message.hex(), protocol.authenticate(secret, message).hex())
        """

    @Test(
        "python-fido2 and this agree on the secrets",
        .enabled("the Python package fido2 is not installed") {
            (try? await ChildProcess.run(["python3", "-c", "import fido2"]).status) == 0
        })
    func foreign() async throws {
        let key = try KeyAgreement()
        let point = try #require(try key.publicKey().keyAgreementPoint)
        let words = [Array(point[1...32]), Array(point[33...])].map { Hexadecimal.encode($0) }
        let run = try await ChildProcess.run(["python3", "-c", Self.peer] + words)
        try #require(run.status == 0)
        let told = try #require(run.lines.last).split(separator: " ").map { bytes(String($0)) }
        try #require(told.count == 3)
        let secrets = try key.secrets(with: told[0])
        #expect(secrets.isValid(told[2], for: told[1]))
        #expect(try Self.revealed(secrets.decrypt(told[1])) == [UInt8](0..<64))
    }

    @Test("Both ends read what either writes, and no other code is valid")
    func bothWays() throws {
        let (client, authenticator) = (try KeyAgreement(), try KeyAgreement())
        let ends = [
            try client.secrets(with: #require(try authenticator.publicKey().keyAgreementPoint)),
            try authenticator.secrets(with: #require(try client.publicKey().keyAgreementPoint)),
        ]
        let salt = [UInt8](repeating: 7, count: 32)
        for (writer, reader) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            let message = try writer.encrypt(salt)
            #expect(message.count == AES256CBC.vectorByteCount + salt.count)
            #expect(try Self.revealed(reader.decrypt(message)) == salt)
            let code = writer.authenticationCode(for: message)
            #expect(reader.isValid(code, for: message))
            for wrong in [[], Array(code.dropLast()), code + [0], [code[0] ^ 1] + code.dropFirst()] {
                #expect(!reader.isValid(wrong, for: message))
            }
            #expect(!reader.isValid(code, for: message + [0]))
        }
        #expect(throws: CryptographyError.self) { try client.secrets(with: [4] + [UInt8](repeating: 1, count: 64)) }
    }

    @Test("An input of hmac-secret is read as it was made, and getInfo names the protocols")
    func messages() throws {
        let point = try #require(try KeyAgreement().publicKey().keyAgreementPoint)
        let input = try HMACSecretExtension.Input(
            keyAgreement: point, saltEnc: [1], saltAuth: [2], pinUvAuthProtocol: KeyAgreement.pinUvAuthProtocol)
        #expect(try HMACSecretExtension.Input(["hmac-secret": try input.value()]) == input)
        #expect(throws: CTAPError.self) {
            try HMACSecretExtension.Input(keyAgreement: [4], saltEnc: [], saltAuth: [], pinUvAuthProtocol: 2)
        }
        let info = GetInfoResponse(
            versions: [], aaguid: [UInt8](repeating: 0, count: 16), options: [:], pinUvAuthProtocols: [2, 1])
        #expect(info.pinUvAuthProtocols == [2, 1])
    }

    private static func revealed(_ secret: consuming SecretBytes) -> [UInt8] {
        secret.span.withUnsafeBufferPointer { Array($0) }
    }
}
