import CTAP
import Cryptography
import KeyPassthrough
import Testing
import UserVerification

@Suite("The verification by a key that is passed through", .timeLimit(.minutes(5))) struct VerificationTests {
    private static func wrong(_ triesLeft: [Int?]) -> ScriptedKey {
        let tries = Countdown(triesLeft)
        return ScriptedKey { request throws(KeyFailure) in
            guard let left = tries.next() else { return try SampleAnswer.registration(request) }
            throw .wrongPIN(triesLeft: left)
        }
    }

    @Test("asks for a wrong PIN again, and says how many tries are left")
    func wrongPIN() async throws {
        let context = TestContext(Self.wrong([7, 1]), pins: ["1111", "2222", "3333"])
        #expect(try await context.register().status == .ok)
        #expect(
            context.key.events.filter { if case .pin = $0 { true } else { false } } == [
                .pin(objection: nil), .pin(objection: "the PIN is wrong; 7 tries are left"),
                .pin(objection: "the PIN is wrong; one try is left, after which the key must be reset"),
            ])
    }

    @Test("gives up after the third wrong PIN")
    func wrongThrice() async throws {
        let context = TestContext(Self.wrong([7, 6, 5, 4]), pins: ["1", "11111", "22222", "33333", "44444"])
        #expect(try await context.register().status == .operationDenied)
        #expect(context.reported == [.wrongPIN])
        // One of the three was none that a key can have, and did not cost a try.
        #expect(context.key.registrations.count == 2)
    }

    @Test(
        "says when no PIN is taken any more",
        arguments: [
            (KeyFailure.refused(.pinAuthBlocked), CTAPStatus.pinAuthBlocked, KeyPassthroughError.Code.pinLocked),
            (.refused(.pinBlocked), .pinBlocked, .pinBlocked),
            (.wrongPIN(triesLeft: 0), .pinBlocked, .pinBlocked),
            (.removed, .other, .removed), (.noAnswer, .userActionTimeout, .notTouched),
            (.refused(.userActionTimeout), .userActionTimeout, .notTouched),
            (.inUse, .other, .inUse), (.fault("a test"), .other, .fault),
            (.refused(.credentialExcluded), .credentialExcluded, .refused),
            (.refused(.keyStoreFull), .keyStoreFull, .refused),
        ])
    func failures(failure: KeyFailure, status: CTAPStatus, code: KeyPassthroughError.Code) async throws {
        let context = TestContext(ScriptedKey { _ throws(KeyFailure) in throw failure })
        #expect(try await context.register().status == status)
        #expect(context.reported == [code])
        #expect(context.key.events.last == .step(nil))
    }

    @Test("takes its question away when the key is taken out while the PIN is typed")
    func removedAtPIN() async throws {
        let context = TestContext(ScriptedKey(), pins: [nil])
        #expect(try await context.register().status == .other)
        #expect(context.reported == [.removed])
        #expect(context.key.registrations.isEmpty)
    }

    @Test("is refused if no PIN is typed")
    func noPIN() async throws {
        let context = TestContext(ScriptedKey(), pins: [])
        #expect(try await context.register().status == .operationDenied)
        #expect(context.reported == [.refused])
        #expect(context.key.registrations.isEmpty)
    }

    @Test("is the key's own where it has one, and the PIN's once that is used up")
    func builtIn() async throws {
        let information = KeyInformation.withPIN.with(["uv": true, "clientPin": true])
        let context = TestContext(ScriptedKey(), information)
        #expect(try await context.register().status == .ok)
        #expect(context.key.events == [.asked(.register), .step(.verify), .registration, .step(nil)])
        let failing = TestContext(
            ScriptedKey { request throws(KeyFailure) in
                if case .builtIn = request.verification { throw .refused(.userVerificationBlocked) }
                return try SampleAnswer.registration(request)
            }, information)
        #expect(try await failing.register().status == .ok)
        #expect(failing.key.events.contains(.pin(objection: nil)))
        let alone = TestContext(
            ScriptedKey { _ throws(KeyFailure) in throw .refused(.userVerificationInvalid) },
            .withPIN.with(["uv": true]))
        #expect(try await alone.register().status == .operationDenied)
        #expect(alone.reported == [.notVerified])
    }

    @Test("is left out where the key can do none")
    func none() async throws {
        let key = ScriptedKey { request throws(KeyFailure) in
            try SampleAnswer.registration(request, flags: .userPresent)
        }
        let context = TestContext(key, .withPIN.with([:]))
        #expect(try await context.register { $0.options.userVerification = nil }.status == .ok)
        #expect(context.key.events == [.asked(.register), .step(.touch), .registration, .step(nil)])
    }

    @Test(
        "takes no PIN that no key has",
        arguments: [
            ("123", true), ("1234", false), ("üü", true), ("üüüü", false), ("12\u{0}34", true),
            (String(repeating: "1", count: 63), false), (String(repeating: "1", count: 64), true),
        ])
    func pins(text: String, isImpossible: Bool) {
        #expect(KeyPIN(SecretBytes(copying: Array(text.utf8).span)).isImpossible == isImpossible)
    }

    @Test(
        "demands that the answer is for the site, touched and verified",
        arguments: [
            ("evil.example", AuthenticatorData.Flags([.userPresent, .userVerified])),
            (TestContext.site, .userVerified), (TestContext.site, .userPresent),
        ])
    func answers(site: String, flags: AuthenticatorData.Flags) async throws {
        let key = ScriptedKey(
            register: { request throws(KeyFailure) in
                try SampleAnswer.registration(request, site: site, flags: flags)
            },
            sign: { request throws(KeyFailure) in
                [try SampleAnswer.assertion(request, id: [1], site: site, flags: flags)]
            })
        let context = TestContext(key, pins: ["1234", "1234"])
        #expect(try await context.register().status == .other)
        #expect(try await context.signIn().status == .other)
        #expect(context.reported == [.fault, .fault])
    }

    @Test("demands a credential of the algorithm that was asked for")
    func otherAlgorithm() async throws {
        let key = ScriptedKey { request throws(KeyFailure) in
            try SampleAnswer.registration(request, algorithm: .edDSA)
        }
        let context = TestContext(key)
        #expect(try await context.register().status == .other)
        #expect(context.reported == [.fault])
    }
}
