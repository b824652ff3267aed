import CTAP
import Testing
import UserVerification

@testable import SecurityKey

/// Silent probes in the ways of the programs, and the ceremonies that they cost.
@Suite("A probe", .timeLimit(.minutes(2)))
struct ProbeTests {
    private static let unknown = [UInt8](repeating: 0xaa, count: 20)
    private static let other = [UInt8](repeating: 0xbb, count: 64)

    @Test("of Chromium and its sign-in are one ceremony and one question, with the passkey that the phone has")
    func chromium() async throws {
        try await TestContext.with { context in
            // The passkey is the phone's, and this machine has never seen it.
            let id = try await context.register(ProgramRequest.chromium, with: context.otherKey())
            let (before, asked) = (context.phone.count, context.approval.count)
            let list = [Self.unknown, id, Self.other]
            let probe = try await context.send(ProgramRequest.signIn(list, up: false))
            #expect(try context.assertion(probe).credential?.id == id)
            let answer = try await context.send(ProgramRequest.signIn([id], uv: true))
            #expect(answer == probe)
            #expect(context.phone.count == before + 1 && context.approval.count == asked + 1)
            let sent = try #require(context.phone.lastSignIn)
            #expect(sent.allowList.map(\.id) == list && sent.clientDataHash == ProgramRequest.hash)
            #expect(sent.options.userPresence == nil && sent.options.userVerification == true)
            #expect(context.events.all.contains(.answeredFromProbe(rpID: "example.com")))

            // Its answer is used once.
            try await context.send(ProgramRequest.signIn([id], uv: true))
            #expect(context.phone.count == before + 2)
        }
    }

    @Test("of Chromium for one passkey that was made here costs nothing: the sign-in is the ceremony")
    func chromiumKnown() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.chromium)
            let (before, asked) = (context.phone.count, context.approval.count)
            let probe = try await context.send(ProgramRequest.signIn([id], up: false))
            #expect(context.phone.count == before && context.approval.count == asked)
            #expect(try context.assertion(probe).credential?.id == id)
            let answer = try context.assertion(try await context.send(ProgramRequest.signIn([id], uv: true)))
            #expect(context.phone.count == before + 1 && context.approval.count == asked + 1)
            #expect(try AuthenticatorData(decoding: answer.authenticatorData.span).flags.contains(.userVerified))
        }
    }

    @Test("answer is of no use for another challenge, another site, another passkey, or later")
    func cachedForOne() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.chromium, with: context.otherKey())
            let list = [Self.unknown, id]
            func probed() async throws -> Int {
                try await context.send(ProgramRequest.signIn(list, up: false))
                return context.phone.count
            }
            var count = try await probed()
            let hash = [UInt8](repeating: 0x22, count: 32)
            try await context.send(ProgramRequest.signIn([id], hash: hash))
            #expect(context.phone.count == count + 1)

            count = try await probed()
            try await context.send(ProgramRequest.signIn([Self.other]), .noCredentials)
            #expect(context.phone.count == count + 1)

            count = try await probed()
            try await context.send(ProgramRequest.signIn([id], of: "example.org"), .noCredentials)
            #expect(context.phone.count == count + 1)

            count = try await probed()
            context.clock.advance(by: PhoneKey.followUpLifetime)
            try await context.send(ProgramRequest.signIn([id]))
            #expect(context.phone.count == count + 1)
        }
    }

    @Test("of Chromium for passkeys that the phone has not is followed by a touch, about which nobody is asked again")
    func chromiumMiss() async throws {
        try await TestContext.with { context in
            try await context.send(ProgramRequest.signIn([Self.unknown, Self.other], up: false), .noCredentials)
            try await context.send(ProgramRequest.chromiumTouch, .pinNotSet)
            #expect(context.phone.count == 1 && context.approval.sites == ["example.com"])
        }
    }

    @Test("of Firefox is answered with all passkeys, and its sign-in is the one ceremony")
    func firefox() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.firefox, with: context.otherKey())
            let before = context.phone.count
            let list = [Self.unknown, Self.other, id]
            var answer = try context.assertion(
                try await context.send(ProgramRequest.signIn(list, hash: ProgramRequest.emptyHash, up: false)))
            var named = [try #require(answer.credential?.id)]
            #expect(answer.numberOfCredentials == 3)
            #expect(try AuthenticatorData(decoding: answer.authenticatorData.span).flags == [])
            for _ in 0..<2 {
                answer = try context.assertion(try await context.send(ProgramRequest.getNextAssertion))
                named.append(try #require(answer.credential?.id))
            }
            #expect(Set(named) == Set(list))
            try await context.send(ProgramRequest.getNextAssertion, .notAllowed)
            #expect(context.phone.count == before)
            let signIn = try context.assertion(try await context.send(ProgramRequest.signIn(named, up: true, uv: true)))
            #expect(signIn.credential?.id == id && signIn.numberOfCredentials == nil)
            #expect(context.phone.count == before + 1)
        }
    }

    @Test("names the passkeys that were used here first")
    func order() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.firefox)
            let answer = try context.assertion(
                try await context.send(
                    ProgramRequest.signIn([Self.unknown, id], hash: ProgramRequest.emptyHash, up: false)))
            #expect(answer.credential?.id == id)
        }
    }

    @Test("of python-fido2, which keeps the first passkey alone, leaves the phone the whole list")
    func pythonFIDO2() async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.chromium, with: context.otherKey())
            let list = [Self.unknown, id]
            let probe = ProgramRequest.signIn(list, hash: ProgramRequest.zeroHash, up: false)
            let first = try #require(try context.assertion(try await context.send(probe)).credential?.id)
            #expect(first == Self.unknown)
            let answer = try context.assertion(try await context.send(ProgramRequest.signIn([first], uv: true)))
            #expect(answer.credential?.id == id)
            #expect(context.phone.lastSignIn?.allowList.map(\.id) == list)
            // Once only, and not for another site, nor later.
            try await context.send(ProgramRequest.signIn([first]), .noCredentials)
            #expect(context.phone.lastSignIn?.allowList.map(\.id) == [first])
            try await context.send(probe)
            context.clock.advance(by: PhoneKey.followUpLifetime)
            try await context.send(ProgramRequest.signIn([first]), .noCredentials)
            #expect(context.phone.lastSignIn?.allowList.map(\.id) == [first])
        }
    }

    @Test("before a registration does not lose what is excluded", arguments: [false, true])
    func excludeList(keepsFirstAlone: Bool) async throws {
        try await TestContext.with { context in
            let id = try await context.register(ProgramRequest.chromium, with: context.otherKey())
            let list = [Self.unknown, id]
            let hash = keepsFirstAlone ? ProgramRequest.zeroHash : ProgramRequest.emptyHash
            let probe = try context.assertion(
                try await context.send(ProgramRequest.signIn(list, hash: hash, up: false)))
            let kept = keepsFirstAlone ? [try #require(probe.credential?.id)] : list
            try await context.send(ProgramRequest.excluding(kept, ProgramRequest.chromium), .credentialExcluded)
            #expect(context.phone.lastRegistration?.excludeList.map(\.id) == list)
        }
    }

    @Test("of a program of this machine is answered by what was made here", arguments: ["ssh:", "pam://laptop"])
    func localProgram(rpID: String) async throws {
        try await TestContext.with { context in
            let id = try await context.register(
                rpID == "ssh:" ? ProgramRequest.opensshEnrol : ProgramRequest.pamu2fcfg)
            let count = context.phone.count
            // OpenSSH's hash is that of nothing, pam-u2f's is random, and another for the sign-in.
            let hash = rpID == "ssh:" ? ProgramRequest.emptyHash : [UInt8](repeating: 0x33, count: 32)
            let probe = ProgramRequest.signIn([id], of: rpID, hash: hash, up: false)
            #expect(try context.assertion(try await context.send(probe)).credential?.id == id)
            let foreign = ProgramRequest.signIn([Self.other], of: rpID, hash: hash, up: false)
            try await context.send(foreign, .noCredentials)
            // Another key of the same phone, on another machine, does not know it.
            let otherKey = context.otherKey()
            try await context.send(probe, .noCredentials, to: otherKey)
            #expect(context.phone.count == count)
            // It does once the passkey was used there, as it is where it is the only key.
            try await context.send(ProgramRequest.signIn([id], of: rpID), to: otherKey)
            try await context.send(probe, to: otherKey)
            #expect(context.phone.count == count + 1)
        }
    }

    @Test("of ssh-keygen for a resident key finds none, and asks nobody")
    func resident() async throws {
        try await TestContext.with { context in
            try await context.send(ProgramRequest.opensshLooksForResident, .noCredentials)
            // ssh-keygen -K: credential management, and before it the PIN.
            try await context.send([0x0a, 0xa1, 0x01, 0x01], .invalidCommand)
            try await context.send([0x41, 0xa1, 0x01, 0x01], .invalidCommand)
            try await context.send([0x06, 0xa2, 0x01, 0x01, 0x02, 0x02], .invalidCommand)
            #expect(context.phone.count == 0 && context.approval.count == 0)
        }
    }

    @Test("that is declined sends the phone nothing")
    func declined() async throws {
        try await TestContext.with(answer: .no(.declined)) { context in
            try await context.send(ProgramRequest.signIn([Self.unknown, Self.other], up: false), .operationDenied)
            #expect(context.phone.count == 0)
        }
    }
}
