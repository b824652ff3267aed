import Cryptography
import PasskeyAuthenticator
import Testing

@testable import PasskeyExchange

/// KeePassXC's `.passkey` file, keys in PEM, and the recognition of formats.
@Suite struct KeePassXCPasskeyTests {
    private static func obstacle(_ text: String) throws -> PasskeyObstacle? {
        var found: PasskeyObstacle?
        _ = try KeePassXCPasskey.read(Array(text.utf8).span) { found = $0.obstacle }
        return found
    }

    @Test("A name stands for a missing one, since KeePassXC takes no file without")
    func namelessAccount() throws {
        let credential = Credential(
            id: [1], rpID: "example.com", rpName: nil, userHandle: [1], userName: nil, userDisplayName: nil,
            isDiscoverable: true, key: try CredentialKey(), isBackupEligible: true)
        let export = try KeePassXCPasskey.encode([credential])
        #expect(try FormatTestContext.read(.keepassxcPasskey, export.bytes).map(\.userName) == ["example.com"])
    }

    @Test("A program's passkeys come back from a file", arguments: ["ssh:", "pam://laptop"])
    func programs(rpID: String) throws {
        let credential = Credential(
            id: [1], rpID: rpID, rpName: nil, userHandle: [1], userName: "alice", userDisplayName: nil,
            isDiscoverable: true, key: try CredentialKey(), isBackupEligible: true)
        let export = try KeePassXCPasskey.encode([credential])
        #expect(try FormatTestContext.read(.keepassxcPasskey, export.bytes).map(\.rpID) == [rpID])
    }

    @Test("A file without its texts is none, and one whose key is none is left out")
    func damaged() throws {
        #expect(throws: PasskeyFormatError(.malformed, reason: "")) { try Self.obstacle(#"{"relyingParty":"a"}"#) }
        #expect(throws: PasskeyFormatError(.malformed, reason: "")) { try Self.obstacle("[]") }
        let text = #"{"relyingParty":"a.example","credentialId":"AQ","userHandle":"AQ","privateKey":"x"}"#
        #expect(try Self.obstacle(text) == .damagedKey)
        #expect(try Self.obstacle(text.replacing("a.example", with: "a example")) == .invalidRPID)
    }

    @Test("White space in PEM does not matter, anything else does")
    func pem() throws {
        let key = SecretBytes(copying: [UInt8](0..<100).span)
        let text = PEM.encode(key)
        #expect(PEM.privateKey(text) == Array(0..<100))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 64 })
        #expect(PEM.privateKey(" " + text.replacing("\n", with: "\r\n\t")) == Array(0..<100))
        #expect(PEM.privateKey(text.replacing("PRIVATE", with: "PUBLIC")) == nil)
        #expect(PEM.privateKey(text + "x") == nil && PEM.privateKey(text.replacing("AAEC", with: "AA-C")) == nil)
        #expect(PEM.privateKey("-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----") == nil)
    }

    @Test("Each format is recognised by what it has at its top", arguments: FormatTestContext.foreign)
    func recognised(_ format: PasskeyFormat) throws {
        let bytes = try FormatTestContext.write(format, [FormatTestContext.credential()]).bytes
        #expect(PasskeyFormat(recognising: bytes.span) == format)
    }

    @Test(
        "Anything else is recognised as nothing",
        arguments: ["", "7", "\"accounts\"", #"[{"accounts":1}]"#, #"{"x":{"accounts":1}}"#, "{\"accounts", "<a/>"])
    func unrecognised(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(PasskeyFormat(recognising: bytes.span) == (text == "{\"accounts" ? .cxf : nil))
    }

    @Test("Bitwarden's exports have items as accounts of CXF have, and are told from them by what else they have")
    func itemsOfWhom() {
        for (text, format) in [
            (#"{"items":[],"encrypted":false}"#, PasskeyFormat.bitwarden), (#"{"items":[],"folders":[]}"#, .bitwarden),
            (#"{"items":[],"collections":[]}"#, .cxf),
        ] {
            #expect(PasskeyFormat(recognising: Array(text.utf8).span) == format)
        }
    }
}
