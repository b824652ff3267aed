import CTAP
import Encodings
import Testing

@testable import SecurityKey

/// Registrations, touches and getInfo in the ways of the programs.
@Suite("A phone as a key", .timeLimit(.minutes(2)))
struct RegistrationTests {
    @Test("describes itself without the phone")
    func getInfo() async throws {
        try await TestContext.with { context in
            let payload = try await context.send(ProgramRequest.getInfo)
            let info = try GetInfoResponse(decoding: payload.span)
            #expect(info.versions == ["FIDO_2_0"] && info.extensions == ["credProtect"])
            #expect(info.options == ["rk": true, "up": true, "uv": true])
            #expect(info.aaguid == PhoneKey.aaguid && info.maxMessageSize == 1886)
            #expect(info.algorithms == [.init(algorithm: .es256)])
            // A list of the longest IDs is not longer than a message.
            let id = [UInt8](repeating: 1, count: PhoneKey.maxCredentialIDByteCount)
            let longest = ProgramRequest.signIn([[UInt8]](repeating: id, count: PhoneKey.maxCredentialCount), uv: true)
            #expect(longest.count < 7609)
            #expect(context.phone.count == 0 && context.approval.count == 0)
        }
    }

    @Test("fills in names, and asks for a passkey with verification")
    func adapted() async throws {
        try await TestContext.with { context in
            let answer = try await context.send(ProgramRequest.firefox)
            let sent = try #require(context.phone.lastRegistration)
            #expect(sent.rp.name == "example.com" && sent.user.displayName == "alice")
            #expect(sent.user.id == Array("u1".utf8))
            #expect(sent.options == RequestOptions(residentKey: true, userVerification: true))
            #expect(try MakeCredentialResponse(decoding: answer.span).format == "none")
            #expect(context.approval.sites == ["example.com"])
        }
    }

    @Test("drops extensions that phones do not have, and says so")
    func extensions() async throws {
        try await TestContext.with { context in
            try await context.send(ProgramRequest.chromium)
            let sent = try #require(context.phone.lastRegistration)
            #expect(sent.extensions == ["credProtect": 2] && sent.parameters == [.init(algorithm: .es256)])
            #expect(context.events.all.contains(.extensionsDropped(["hmac-secret"])))
            let fitting = CTAPRequest.makeCredential(sent)
                .fitting(GetInfoResponse(versions: [], aaguid: [], options: [:]))
            guard case .makeCredential(let request) = fitting else { return }
            #expect(request.extensions.isEmpty)
        }
    }

    @Test(
        "makes each key of OpenSSH for a user and with a label of its own, and a resident one for a user that is named")
    func users() async throws {
        try await TestContext.with { context in
            try await context.send(ProgramRequest.opensshEnrol)
            let first = try #require(context.phone.lastRegistration?.user)
            try await context.send(ProgramRequest.opensshEnrol)
            let second = try #require(context.phone.lastRegistration?.user)
            #expect(first.id != second.id && first.id.count == 32 && first.name != second.name)
            for user in [first, second] {
                let label = "openssh " + Hexadecimal.encode(user.id.prefix(4))
                #expect(user.name == label && user.displayName == label)
                #expect(context.events.all.contains(.labelled(label, rpID: "ssh:")))
            }
            // The user ID of `-O resident` without `-O user` is of zeros: that is nobody.
            try await context.send(ProgramRequest.opensshResident)
            let third = try #require(context.phone.lastRegistration?.user)
            #expect(third.id != ProgramRequest.zeroHash && third.name != first.name)
            var map = try ProgramRequest.parameters(ProgramRequest.opensshResident)
            map[3] = ["id": .bytes(Array("alice".utf8)), "name": "alice"]
            try await context.send([0x01] + map.encoded())
            #expect(context.phone.lastRegistration?.user.id == Array("alice".utf8))
            #expect(context.phone.lastRegistration?.user.name == "alice")
        }
    }

    @Test("refuses what phones cannot make, before anybody is asked")
    func refused() async throws {
        try await TestContext.with { context in
            try await context.send(ProgramRequest.opensshEd25519, .unsupportedAlgorithm)
            var map = try ProgramRequest.parameters(ProgramRequest.chromium)
            func send(_ key: Int, _ value: CBORValue, _ status: CTAPStatus) async throws {
                let before = map[key]
                map[key] = value
                try await context.send([0x01] + map.encoded(), status)
                map[key] = before
            }
            try await send(7, ["up": false], .invalidOption)
            try await send(6, ["credProtect": 4], .invalidParameter)
            try await send(8, .bytes([1, 2]), .invalidParameter)
            try await send(0x0a, 1, .invalidParameter)
            try await send(1, .bytes([1]), .invalidLength)
            try await send(2, ["id": "exa mple.com", "name": "Example"], .invalidParameter)
            try await context.send([0x01, 0xff], .invalidCBOR)
            try await context.send([], .invalidLength)
            #expect(context.phone.count == 0 && context.approval.count == 0)
        }
    }

    @Test(
        "takes a registration that only means a touch for one",
        arguments: [
            ProgramRequest.chromiumTouch, ProgramRequest.firefoxTouch, ProgramRequest.libfido2Touch,
            ProgramRequest.pythonTouch,
        ])
    func touch(request: [UInt8]) async throws {
        try await TestContext.with { context in
            try await context.send(request, .pinNotSet)
            #expect(context.phone.count == 0 && context.approval.sites == [""])
            // The yes is for the request that follows, once.
            try await context.send(ProgramRequest.chromium)
            #expect(context.approval.sites == [""])
            try await context.send(ProgramRequest.chromium)
            #expect(context.approval.sites == ["", "example.com"])
            try await context.send(ProgramRequest.selection)
            context.clock.advance(by: PhoneKey.followUpLifetime)
            try await context.send(ProgramRequest.firefox)
            #expect(context.approval.sites == ["", "example.com", "", "example.com"])
        }
    }

    @Test("keeps its list in a file that is its owner's, and goes on without one that is damaged")
    func list() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.opensshEnrol)
            let file = try FileState(context.path)
            #expect(file.mode == 0o600 && !file.bytes.contains(sequence: id) && file.bytes.count < 100)
            try file.overwrite(with: Array("something else".utf8))
            let probe = ProgramRequest.signIn([id], of: "ssh:", hash: ProgramRequest.emptyHash, up: false)
            try await context.send(probe, .noCredentials)
            _ = try await context.register(ProgramRequest.opensshEnrol)
            #expect(try FileState(context.path).bytes == Array("something else".utf8))
            #expect(context.events.all.contains { if case .listFailed = $0 { true } else { false } })
        }
    }

    @Test("forgets the oldest of too many passkeys")
    func bounded() async throws {
        try await TestContext.with { context in
            let list = PhoneCredentialList(path: context.path)
            func id(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xff)] }
            for number in 0...PhoneCredentialList.maxCount { try list.add(id(number), of: "example.com") }
            let last = id(PhoneCredentialList.maxCount)
            #expect(try list.known([id(0), id(1), last], of: "example.com") == [id(1), last])
            #expect(try list.known([id(1)], of: "example.org") == [])
        }
    }
}
