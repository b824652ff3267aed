import CTAP
import Encodings
import KeyPassthrough
import Synchronization
import Testing
import UserVerification

@Suite("A sign-in with a key that is passed through", .timeLimit(.minutes(5))) struct SignInTests {
    /// A key with these credentials, which takes two in a list.
    private static func key(with ids: [[UInt8]]) -> ScriptedKey {
        ScriptedKey(sign: { request throws(KeyFailure) in
            let found = request.allowed.isEmpty ? ids : request.allowed.filter(ids.contains)
            guard request.allowed.count <= 2 else { throw .refused(.limitExceeded) }
            guard let first = found.first else { throw .refused(.noCredentials) }
            let given = request.allowed.isEmpty ? found : [first]
            var assertions: [KeyAssertion] = []
            for (index, id) in given.enumerated() {
                var assertion = try SampleAnswer.assertion(request, id: id, name: "account \(index)")
                assertion.secrets = request.salts
                assertions.append(assertion)
            }
            return assertions
        })
    }

    private func response(_ answer: CTAPResponse) throws -> GetAssertionResponse {
        try #require(answer.status == .ok)
        return try GetAssertionResponse(decoding: answer.payload.span)
    }

    @Test("signs the client data hash as it is, and keeps the account's names here")
    func oneAccount() async throws {
        let context = TestContext(Self.key(with: [[1]]))
        let response = try response(await context.signIn())
        #expect(
            context.key.events == [
                .asked(.signIn), .pin(objection: nil), .step(.touch), .signIn([], userPresence: true), .step(nil),
            ])
        #expect(context.key.signIns.first?.clientDataHash == TestContext.hash)
        #expect(response.credential?.id == [1])
        #expect(response.signature == [5, 6])
        #expect(response.user == .init(id: [1], name: nil, displayName: nil))
        #expect(response.userSelected == nil && response.numberOfCredentials == nil)
    }

    @Test("lets the user choose one of several accounts here")
    func accounts() async throws {
        let context = TestContext(Self.key(with: [[1], [2], [3]]), account: 1)
        let response = try response(await context.signIn())
        #expect(context.key.events.last == .asked(.signIn))
        #expect(response.credential?.id == [2])
        #expect(response.userSelected == true && response.numberOfCredentials == nil)
        // No account, no assertion.
        let refusing = TestContext(Self.key(with: [[1], [2]]), answer: { $0.isChoice ? .declined : nil })
        #expect(try await refusing.signIn().status == .operationDenied)
    }

    @Test("asks the key in parts about a list that is longer than the key takes, without a touch")
    func longList() async throws {
        let context = TestContext(Self.key(with: [[5]]))
        let response = try response(await context.signIn([[1], [2], [3], [4], [5], [6]]))
        #expect(response.credential?.id == [5] && response.userSelected == nil)
        #expect(
            context.key.events.filter { if case .signIn = $0 { true } else { false } } == [
                .signIn([[1], [2]], userPresence: false), .signIn([[3], [4]], userPresence: false),
                .signIn([[5], [6]], userPresence: false), .signIn([[5]], userPresence: true),
            ])
        #expect(try await TestContext(Self.key(with: [[7]])).signIn([[1], [2], [3]]).status == .noCredentials)
    }

    @Test("looks in the same way for credentials that must not be there, and has the key refuse those")
    func excludeList() async throws {
        let key = ScriptedKey(
            register: { request throws(KeyFailure) in
                guard request.excluded.isEmpty else { throw .refused(.credentialExcluded) }
                return try SampleAnswer.registration(request)
            },
            sign: { request throws(KeyFailure) in
                guard request.allowed.contains([4]) else { throw .refused(.noCredentials) }
                return [try SampleAnswer.assertion(request, id: [4])]
            })
        let context = TestContext(key, pins: ["1234", "1234"])
        let excluding = try await context.register { $0.excludeList = [[1], [2], [3], [4]].map { .init(id: $0) } }
        #expect(excluding.status == .credentialExcluded)
        #expect(context.key.registrations.first?.excluded == [[4]])
        let others = try await context.register { $0.excludeList = [[1], [2], [3]].map { .init(id: $0) } }
        #expect(others.status == .ok)
        #expect(context.key.registrations.last?.excluded == [])
    }

    @Test("makes no request for anything out of a list of which nothing can be on the key")
    func impossibleList() async throws {
        let context = TestContext(Self.key(with: [[1]]))
        #expect(try await context.signIn([[UInt8](repeating: 1, count: 65)]).status == .noCredentials)
        #expect(context.key.signIns.isEmpty)
    }

    @Test("demands an answer for a credential that was asked for", arguments: [[[UInt8]]([[1]]), [[1], [2]]])
    func otherCredential(allowed: [[UInt8]]) async throws {
        let key = ScriptedKey(sign: { request throws(KeyFailure) in
            [try SampleAnswer.assertion(request, id: [9])]
        })
        let context = TestContext(key)
        #expect(try await context.signIn(allowed).status == .other)
        #expect(context.reported == [.fault])
    }

    @Test("fills in the credential that a key leaves out after a list of one")
    func omittedCredential() async throws {
        let key = ScriptedKey(sign: { request throws(KeyFailure) in
            [try SampleAnswer.assertion(request, id: [])]
        })
        #expect(try response(await TestContext(key).signIn([[3]])).credential?.id == [3])
        #expect(try await TestContext(key).signIn([[3], [4]]).status == .other)
        #expect(try await TestContext(key).signIn().status == .other)
    }

    @Test("answers a look for named credentials without a question, a PIN or a touch")
    func silent() async throws {
        let context = TestContext(Self.key(with: [[3]]))
        let look = try await context.signIn([[1], [2], [3]]) { $0.options = .init(userPresence: false) }
        #expect(try response(look).credential?.id == [3])
        #expect(context.silentAnswerCount == 1)
        let missed = try await context.signIn([[1]]) { $0.options = .init(userPresence: false) }
        #expect(missed.status == .noCredentials)
        #expect(context.key.events.allSatisfy { if case .signIn(_, false) = $0 { true } else { false } })
        // Without a list it would tell for which sites there are passkeys.
        _ = try await context.signIn { $0.options = .init(userPresence: false) }
        #expect(context.key.events.contains(.asked(.signIn)))
    }

    @Test("gives no answer on as a silent one that says somebody's presence")
    func touchedSilently() async throws {
        let context = TestContext(
            ScriptedKey(sign: { request throws(KeyFailure) in
                [try SampleAnswer.assertion(request, id: [3], flags: .userPresent)]
            }))
        let answer = try await context.signIn([[3]]) { $0.options = .init(userPresence: false) }
        #expect(answer.status == .other && context.reported == [.fault])
        #expect(context.silentAnswerCount == 0)
    }

    @Test("evaluates prf by the key's hmac-secret, with the salts of the credential that is used")
    func prf() async throws {
        let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let input = PRFExtensionInput(
            eval: try PRFValues(first: one), evalByCredential: [[2]: try PRFValues(first: two, second: one)])
        let context = TestContext(Self.key(with: [[2]]))
        let response = try response(
            await context.signIn([[1], [2]]) { $0.extensions = [.text(ExtensionIdentifier.prf): input.value] })
        let both = try PRFValues(first: two, second: one)
        #expect(PRFExtensionOutput(response.unsignedExtensionOutputs)?.results == both)
        let other = TestContext(Self.key(with: [[1]]))
        let values = try self.response(
            await other.signIn { $0.extensions = [.text(ExtensionIdentifier.prf): input.value] })
        let first = try PRFValues(first: one)
        #expect(PRFExtensionOutput(values.unsignedExtensionOutputs)?.results == first)
        let registering = TestContext(ScriptedKey())
        let made = try await registering.register {
            $0.extensions = [.text(ExtensionIdentifier.prf): PRFExtensionInput().value]
        }
        #expect(registering.key.registrations.first?.hmacSecret == true)
        // This key's answer has no function in it.
        let outputs = try MakeCredentialResponse(decoding: made.payload.span).unsignedExtensionOutputs
        #expect(PRFExtensionOutput(outputs)?.enabled == false)
    }
}

/// Values, one after the other.
final class Countdown: Sendable {
    private let values: Mutex<ArraySlice<Int?>>

    init(_ values: [Int?]) { self.values = Mutex(values[...]) }

    /// The next value, which may be nil; nil after the last one.
    func next() -> Int?? { values.withLock { $0.popFirst() } }
}
