import CTAP
import Cryptography
import Encodings
import PasskeyAuthenticator
import TestPeers
import Testing

@testable import PasskeyExchange

/// Credential Exchange Format 1.0.
@Suite struct CXFTests {
    /// A key in PKCS #8: RFC 8032 section 7.1, test 1.
    private static let keyText = Base64URL.encode(
        bytes(
            "302e020100300506032b657004220420 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))

    /// A file with one passkey, of which members are replaced; an empty text removes one.
    private static func file(_ changes: [String: String] = [:], item: String = "", version: String = "1") -> String {
        var members = [
            "type": #""passkey""#, "credentialId": #""AQID""#, "rpId": #""example.com""#, "username": #""alice""#,
            "userDisplayName": #""Alice""#, "userHandle": #""AQ""#, "key": "\"\(keyText)\"",
        ]
        members.merge(changes) { $1 }
        let passkey = members.filter { !$1.isEmpty }.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return """
            {"version":{"major":\(version),"minor":0},"exporterRpId":"a.example","exporterDisplayName":"A",
             "timestamp":1,"accounts":[{"id":"AQ","username":"","email":"","collections":[],"items":[
             {"id":"AQ","title":"Example","credentials":[{"type":"note","content":{"value":"x"}},{\(passkey)}]}
             \(item)]}]}
            """
    }

    @Test("What is written is read as it was", arguments: CredentialKey.algorithms)
    func roundTrip(_ algorithm: COSEAlgorithm) throws {
        let other = [UInt8](repeating: 7, count: 32)
        let secret = [UInt8](repeating: 9, count: 32)
        let prf = try PRFSecret(copying: secret.span, withoutVerification: other.span)
        let blob = LargeBlob(compressed: [1, 2, 3], originalByteCount: 5)
        let credential = try FormatTestContext.credential(1, algorithm, prf: prf, largeBlob: blob)
        let export = try CXF.encode([credential], at: 1)
        #expect(export.written.count == 1 && export.records.allSatisfy(\.losses.isEmpty))
        let record = try #require(try FormatTestContext.read(cxf: String(decoding: export.bytes, as: UTF8.self)).first)
        let read = try #require(record.passkey)
        #expect(FormatTestContext.line(read) == FormatTestContext.line(credential) && record.losses.isEmpty)
        #expect(read.rpName == "Example" && read.userDisplayName == "Alice" && read.created == 1_700_000_000)
        #expect(read.largeBlob == blob && read.isDiscoverable && read.isBackupEligible && read.isBackedUp)
        let readPRF = try #require(read.prf)
        #expect(readPRF.bytes().array() == secret)
        #expect(readPRF.withoutVerification().array() == other)
    }

    @Test("A provider with one secret writes a second one, always the same, and reads it as it is")
    func derivedSecret() throws {
        let credential = try FormatTestContext.credential(prf: PRFSecret())
        let texts = try (0..<2).map { _ in String(decoding: try CXF.encode([credential], at: 1).bytes, as: UTF8.self) }
        let seconds = try texts.map { text in
            try #require(try FormatTestContext.read(cxf: text).first?.passkey?.prf).withoutVerification().array()
        }
        #expect(seconds[0] == seconds[1] && seconds[0].count == 32)
        #expect(try seconds[0] == #require(credential.prf).withoutVerification().array())
        #expect(seconds[0] != credential.prf?.bytes().array())
    }

    @Test("What the format has no place for is told, and what was never to be copied is left out")
    func losses() throws {
        let records = try CXF.encode(
            [
                FormatTestContext.credential(1, protection: .verificationRequired),
                FormatTestContext.credential(2, isDiscoverable: false),
                FormatTestContext.credential(3, isBackupEligible: false),
            ], at: 1
        ).records
        #expect(records.map(\.losses) == [[.protection], [.nonDiscoverable], []])
        #expect(records.map(\.obstacle) == [nil, nil, .notBackupEligible])
    }

    @Test(
        "Each passkey that is none is left out by name",
        arguments: [
            ("rpId", "", PasskeyObstacle.invalidRPID), ("rpId", #""""#, .invalidRPID),
            ("rpId", #""Example.com""#, .invalidRPID), ("rpId", #""exa mple.com""#, .invalidRPID),
            ("rpId", #""example..com""#, .invalidRPID), ("rpId", "7", .invalidRPID),
            ("credentialId", "", .invalidCredentialID), ("credentialId", #""""#, .invalidCredentialID),
            ("credentialId", #""AQ==""#, .invalidCredentialID),
            ("credentialId", "\"\(String(repeating: "AAAA", count: 342))\"", .invalidCredentialID),
            ("userHandle", "", .missingUserHandle), ("userHandle", #""""#, .missingUserHandle),
            ("userHandle", "\"\(String(repeating: "AAAA", count: 22))\"", .invalidUserHandle),
            ("key", "", .damagedKey), ("key", #""MIGHAgEAMBMG""#, .damagedKey),
        ])
    func leftOut(_ name: String, _ value: String, _ obstacle: PasskeyObstacle) throws {
        #expect(try FormatTestContext.read(cxf: Self.file([name: value])).map(\.obstacle) == [obstacle])
    }

    @Test(
        "Extensions that are not known, or not taken, are told",
        arguments: [
            (#"{"hmacSecret":{"algorithm":"HS256","secret":"AQ"}}"#, [PasskeyLoss.prf]), ("{}", []),
            (#"{"hmacCredentials":{"algorithm":"other","credWithUV":"AQ","credWithoutUV":"AQ"}}"#, [.prf]),
            (#"{"hmacCredentials":{"algorithm":"hmac-sha256","credWithUV":"AQ","credWithoutUV":"AQ"}}"#, [.prf]),
            (#"{"largeBlob":{"uncompressedSize":2000000,"data":"AQ"}}"#, [.largeBlob]),
            (#"{"largeBlob":{"uncompressedSize":-1,"data":"AQ"}}"#, [.largeBlob]),
            (#"{"credBlob":"AQ","payments":true}"#, [.credBlob, .payments]), (#"{"payments":false}"#, []),
        ])
    func extensions(_ text: String, _ losses: [PasskeyLoss]) throws {
        let record = try #require(try FormatTestContext.read(cxf: Self.file(["fido2Extensions": text])).first)
        #expect(record.passkey != nil && record.losses == losses)
    }

    @Test("Items without a passkey are counted, and members that are not known passed over")
    func counts() throws {
        let text = Self.file(["future": "[1]"], item: #",{"credentials":[{"type":"future"}]},{},3"#)
        var passkeys = 0
        let counts = try CXF.read(Array(text.utf8).span) { passkeys += $0.passkey == nil ? 0 : 1 }
        #expect(counts == PasskeyFileCounts(items: 4, withoutPasskey: 3) && passkeys == 1)
    }

    @Test(
        "What is not a file of version 1 is refused",
        arguments: [
            ("[]", PasskeyFormatError.Code.malformed), ("{}", .malformed), ("", .malformed),
            (#"{"version":{"major":1,"minor":0}}"#, .malformed),
            (#"{"version":{"major":1,"minor":0},"accounts":[{}]}"#, .malformed),
            (#"{"version":{"major":1,"minor":0},"accounts":[]}}"#, .malformed),
        ])
    func refused(_ text: String, _ code: PasskeyFormatError.Code) {
        #expect(throws: PasskeyFormatError(code, reason: "")) { try FormatTestContext.read(cxf: text) }
    }

    @Test("Another major version is refused, another minor one is not")
    func versions() throws {
        #expect(throws: PasskeyFormatError(.unknownVersion, reason: "")) {
            try FormatTestContext.read(cxf: Self.file(version: "2"))
        }
        let minor = Self.file().replacing(#""minor":0"#, with: #""minor":7"#)
        #expect(try FormatTestContext.read(cxf: minor).count == 1)
    }

    /// The passkey of the example in appendix A of the specification, which has a member of drafts alone: `hmacSecret`.
    /// Its account has no list of collections.
    private static let example = """
        {"id":"akKA3Y0jQRuK7sKplB0Y9w","creationAt":1705142400,"modifiedAt":1705228800,"title":"WebAuthn.io",
         "subtitle":"johndoe","credentials":[{"type":"passkey","credentialId":"Y3JlZGVudGlhbElkRXhhbXBsZQ",
         "rpId":"webauthn.io","username":"johndoe","userDisplayName":"John Doe",
         "userHandle":"cnEzaNHWcYK3coWZjvoaV1Hj9gnI12mKe2dL2HZVFlY",
         "key":"MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgARu_0sCt20EpgVxb4Puq3Ga5VVLpuTY75ngvZlyq3X6h\
        RANCAASmdk1xLsK0oOlhxIPp0d1ZuS0sT9nf6BZtSelhqvLBW0fOL33l_bXgsr_STUHjCLn8l6gcRJwe7OQvbQubZ1dY",
         "fido2Extensions":{"hmacSecret":{"algorithm":"HS256","secret":"c2VjcmV0X2tleV9kYXRh"}}}]}
        """

    private static let header = #"{"version":{"major":1,"minor":0},"exporterRpId":"exporter.example.com","accounts":["#

    @Test(
        "The specification's example is read, in a file, and in an account alone as other providers have it",
        arguments: [
            (header + #"{"id":"AQ","username":"jane_smith","email":"","fullName":"Jane Smith","items":["#, "]}]}"),
            (#"{"items":["#, #"],"id":"AQ","username":"","email":"","collections":[{"id":"AQ","items":[]}]}"#),
            (#"{"collections":[],"username":"accounts","id":"AQ","items":["#, "]}"),
        ])
    func published(_ front: String, _ end: String) throws {
        let card = #",{"id":"AQ","title":"Card","credentials":[{"type":"credit-card","number":{"value":"4111"}}]}"#
        let bytes = Array((front + Self.example + card + end).utf8)
        #expect(PasskeyFormat(recognising: bytes.span) == .cxf)
        var records: [PasskeyRecord] = []
        let counts = try CXF.read(bytes.span) { records.append($0) }
        #expect(counts == PasskeyFileCounts(items: 2, withoutPasskey: 1))
        let passkey = try #require(records.first?.passkey)
        #expect(records.map(\.losses) == [[.prf]] && passkey.rpID == "webauthn.io" && passkey.rpName == "WebAuthn.io")
        #expect(passkey.userName == "johndoe" && passkey.userDisplayName == "John Doe")
        #expect(passkey.id.elementsEqual("credentialIdExample".utf8) && passkey.created == 1_705_142_400)
        #expect(passkey.key.algorithm == .es256)
    }

    @Test(
        "An account alone has no version, and has items",
        arguments: [
            #"{"version":{"major":2,"minor":0},"items":[]}"#, #"{"id":"AQ"}"#, #"{"items":7}"#, #"{"items":{}}"#,
            #"{"a":"accounts"}"#,
        ])
    func noAccount(_ text: String) {
        #expect(throws: PasskeyFormatError(.malformed, reason: "")) { try FormatTestContext.read(cxf: text) }
    }
}
