import Foundation
import PasskeyAuthenticator
import TestPeers
import Testing

@testable import PasskeyExchange

/// Bitwarden's unencrypted export.
@Suite struct BitwardenTests {
    /// An export with one passkey, of which a member has another value.
    private static func file(_ name: String, _ value: String) throws -> String {
        let credential = try FormatTestContext.credential()
        let text = String(decoding: try Bitwarden.encode([credential], at: 1).bytes, as: UTF8.self)
        let member = try #require(text.range(of: "\"\(name)\":", options: .backwards))
        let end = try #require(text[member.upperBound...].firstIndex { $0 == "," || $0 == "}" })
        return text[..<member.upperBound] + value + text[end...]
    }

    private static func records(_ text: String) throws -> [PasskeyRecord] {
        var records: [PasskeyRecord] = []
        _ = try Bitwarden.read(Array(text.utf8).span) { records.append($0) }
        return records
    }

    @Test(
        "A passkey that is none is left out by name",
        arguments: [
            ("counter", #""1""#, PasskeyObstacle.counterNotZero), ("counter", "0", .counterNotZero),
            ("keyCurve", #""P-384""#, .unsupportedAlgorithm), ("keyAlgorithm", "null", .unsupportedAlgorithm),
            ("keyType", #""secret""#, .unsupportedAlgorithm), ("keyValue", #""AQ""#, .damagedKey),
            ("userHandle", "null", .missingUserHandle), ("rpId", "null", .invalidRPID),
            ("credentialId", #""AQ""#, .invalidCredentialID), ("credentialId", #""b64.A""#, .invalidCredentialID),
            ("credentialId", #""08d70b74e9f5-4522-a425-e5dc-d40107e7""#, .invalidCredentialID),
        ])
    func leftOut(_ name: String, _ value: String, _ obstacle: PasskeyObstacle) throws {
        #expect(try Self.records(Self.file(name, value)).map(\.obstacle) == [obstacle])
    }

    @Test(
        "A credential ID is a UUID's 16 bytes, or base64url with a mark",
        arguments: ["08d70b74-e9f5-4522-a425-e5dcd40107e7", "b64.CNcLdOn1RSKkJeXc1AEH5w"])
    func credentialID(_ text: String) throws {
        let passkey = try #require(try Self.records(Self.file("credentialId", "\"\(text)\"")).first?.passkey)
        #expect(passkey.id == bytes("08d70b74e9f54522a425e5dcd40107e7"))
    }

    @Test("Names, times and whether it is discoverable come back")
    func members() throws {
        let credential = try FormatTestContext.credential(isDiscoverable: false)
        let export = try Bitwarden.encode([credential], at: 1)
        #expect(export.records.map(\.losses) == [[]])
        let read = try #require(try FormatTestContext.read(.bitwarden, export.bytes).first)
        #expect(!read.isDiscoverable && read.created == 1_700_000_000)
        #expect(read.rpName == "Example" && read.userName == "alice1" && read.userDisplayName == "Alice")
    }

    @Test("An encrypted export, and what is none, are refused by name")
    func refused() {
        let texts = [
            #"{"encrypted":true,"items":[]}"#, #"{"encrypted":true,"data":"x"}"#, #"{"encrypted":false}"#, "7",
        ]
        let codes: [PasskeyFormatError.Code?] = texts.map { text in
            do throws(PasskeyFormatError) {
                _ = try Bitwarden.read(Array(text.utf8).span) { _ in }
                return nil
            } catch {
                return error.code
            }
        }
        #expect(codes == [.encrypted, .encrypted, .malformed, .malformed])
    }

    @Test(
        "Times are read as they are written, and as Bitwarden writes them",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("2023-11-14T22:13:20.000Z", 1_700_000_000),
            ("2000-02-29T23:59:59.000Z", 951_868_799), ("1969-12-31T23:59:59.000Z", -1),
            ("0001-01-01T00:00:00.000Z", -62_135_596_800),
        ] as [(String, Int64)])
    func times(_ text: String, _ seconds: Int64) {
        #expect(UTCTime.seconds(text) == seconds && UTCTime.text(seconds) == text)
    }

    @Test(
        "What is not a time is none",
        arguments: [
            "", "2023-11-14", "2023-11-14T22:13:20", "2023-02-29T22:13:20Z", "2023-11-14T24:00:00Z",
            "2023-11-14T22:13:20.Z", "2023-11-14T22:13:2xZ", "2023-13-14T22:13:20Z", "0000-01-01T00:00:00Z",
        ])
    func noTimes(_ text: String) { #expect(UTCTime.seconds(text) == nil) }
}
