import CTAP
import Encodings
import Testing

/// getInfo as authenticators really send it (HT-CTAP-19).
@Suite struct GetInfoTests {
    struct Phone: Decodable, Sendable {
        let name: String
        let getInfo: String
    }

    @Test("Phones' answers are read, with cable as hybrid")
    func phones() throws {
        let phones: [Phone] = try fixture("phones.json")
        #expect(phones.count == 2)
        for phone in phones {
            let info = try GetInfoResponse(decoding: bytes(phone.getInfo).span)
            #expect(Set(info.transports) == ["hybrid", "internal"])
            #expect(info.transports.count == 2)
            #expect(info.versions.contains("FIDO_2_0"))
            #expect(info.options == ["rk": true, "uv": true])
            #expect(info.aaguid?.count == AttestedCredential.aaguidByteCount)
            #expect(hex(info.encoded()) == phone.getInfo)
        }
    }

    @Test("What the authenticator of the recorded sessions said can be said again")
    func recorded() throws {
        let info = GetInfoResponse(
            versions: ["FIDO_2_0", "FIDO_2_1"], aaguid: bytes("cab1e000cab1e000cab1e000cab1e000"),
            options: ["uv": true, "rk": true], maxMessageSize: 2048, transports: ["internal", "hybrid"],
            algorithms: [.init(algorithm: .es256)])
        for session in try ChromiumSession.all() {
            #expect(hex(info.encoded()) == session.getInfo)
            #expect(try GetInfoResponse(decoding: bytes(session.getInfo).span) == info)
        }
        #expect(info.maxMessageSize == 2048)
        #expect(info.algorithms == [.init(algorithm: .es256)])
    }

    @Test("Unexpected fields are passed over")
    func unexpectedFields() throws {
        // Unsorted, indefinite lengths, floats, tags, wrong types, an AAGUID of the wrong length, elements of two
        // kinds.
        let odd = bytes(
            "bf" + "1819f93c00" + "7f6161ffc100" + "018368" + hex(Array("FIDO_2_1".utf8)) + "00f6" + "0341ff"
                + "04a262726bf56275760a" + "0918ff" + "0a81a0" + "058020" + "f6ff")
        let info = try GetInfoResponse(decoding: odd.span)
        #expect(info.versions == ["FIDO_2_1"])
        #expect(info.aaguid == nil)
        #expect(info.options == ["rk": true])
        #expect(info.transports.isEmpty && info.algorithms.isEmpty && info.extensions.isEmpty)
        #expect(info.maxMessageSize == GetInfoResponse.defaultMaxMessageSize)
    }

    @Test(
        "Only something that is not a map is refused",
        arguments: [("80", CTAPError.Code.unexpectedType), ("a1", .invalidCBOR), ("00a0", .invalidCBOR)])
    func refused(_ input: String, _ code: CTAPError.Code) {
        #expect(throws: CTAPError(code, reason: "")) { try GetInfoResponse(decoding: bytes(input).span) }
    }
}
