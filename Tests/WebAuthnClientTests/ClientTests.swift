import CTAP
import Cryptography
import Encodings
import Foundation
import HybridProtocol
import PasskeyAuthenticator
import TestPeers
import Testing
import UserVerification

@testable import WebAuthnClient

/// WebAuthn Level 3 sections 5.1.3 and 5.1.4, with sites and authenticators.
@Suite struct ClientTests {
    @Test(
        "python-fido2's options are answered, and it verifies the responses",
        .enabled("the Python package fido2 is not installed") {
            (try? await ChildProcess.run(["python3", "-c", "import fido2"]).status) == 0
        }, arguments: [ExtensionIdentifier.prf, ExtensionIdentifier.hmacSecret])
    func foreignSite(way: String) async throws {
        let client = try WebAuthnClient(origin: "https://example.com")
        let authenticator = try LocalAuthenticator(
            leavingOut: way == ExtensionIdentifier.prf ? [] : [ExtensionIdentifier.prf])
        let asked = try await Self.site(
            "create",
            #"{"credProps":true,"prf":{},"largeBlob":{"support":"required"},"#
                + #""credentialProtectionPolicy":"userVerificationRequired","enforceCredentialProtectionPolicy":true}"#)
        let made = try await client.create(asked[0], with: authenticator)
        let results = try Self.object(made.description)["clientExtensionResults"] as? [String: Any]
        #expect((results?["credProps"] as? [String: Bool]) == ["rk": true])
        #expect((results?["prf"] as? [String: Any])?["enabled"] as? Bool == true)
        #expect((results?["largeBlob"] as? [String: Bool]) == ["supported": true])
        let credential = try #require(try await Self.site("created", asked[1], made.description).first)

        // Written, then read; and the function has one value for one input, whichever extension carries it.
        var values: Set<String> = []
        for blob in [#"{"write":"c3RhdGU"}"#, #"{"read":true}"#] {
            let wanted = try await Self.site(
                "get", #"{"prf":{"eval":{"first":"YWJj","second":"ZGVm"}},"largeBlob":"# + blob + "}", credential)
            let signed = try await client.get(wanted[0], with: authenticator)
            _ = try await Self.site("got", wanted[1], signed.description, credential)
            let results = try Self.object(signed.description)["clientExtensionResults"] as? [String: Any]
            let prf = ((results?["prf"] as? [String: Any])?["results"] as? [String: String]) ?? [:]
            #expect(Set(prf.keys) == ["first", "second"] && prf["first"] != prf["second"])
            values.insert(prf["first"] ?? "")
            let large = results?["largeBlob"] as? [String: Any]
            #expect(
                blob.contains("write") ? large?["written"] as? Bool == true : large?["blob"] as? String == "c3RhdGU")
        }
        #expect(values.count == 1)
    }

    private static func site(_ arguments: String...) async throws -> [String] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peer/site.py")
        let run = try await ChildProcess.run(["python3", script.path] + arguments)
        try #require(run.status == 0, "\(run.lines)")
        return run.lines
    }

    private static func object(_ json: String) throws -> [String: Any] { try ResponseJSONTests.object(json) }

    /// Options, and the exception that a page sees.
    static let refused: [(creates: Bool, options: String, name: WebAuthnExceptionName)] = [
        (true, "", .type), (true, "[]", .type), (true, "{}", .type),
        (true, creation(rp: #"{"name":1}"#), .type), (true, creation(rp: #"{"id":"example.com"}"#), .type),
        (true, creation(user: #"{"id":"","name":"a","displayName":"A"}"#), .type),
        (true, creation(user: #"{"id":"a+b=","name":"a","displayName":"A"}"#), .encoding),
        (true, creation(user: #"{"id":"\#(String(repeating: "A", count: 87))","name":"a","displayName":"A"}"#), .type),
        (true, creation(user: #"{"id":"AA","name":"a"}"#), .type),
        (true, creation(parameters: #"[{"type":"key","alg":-7}]"#), .notSupported),
        (true, creation(parameters: #"[{"type":"public-key"}]"#), .type),
        (true, creation(parameters: #"{}"#), .type),
        (true, creation(rp: #"{"id":"com","name":"a"}"#), .security),
        (true, creation(rp: #"{"id":"example.org","name":"a"}"#), .security),
        (true, creation(rp: #"{"id":"sub.example.com","name":"a"}"#), .security),
        (true, creation(rp: #"{"id":"EXAMPLE.com","name":"a"}"#), .security),
        (true, creation(more: #","authenticatorSelection":{"authenticatorAttachment":"platform"}"#), .notAllowed),
        (true, creation(more: #","extensions":{"prf":{"evalByCredential":{}}}"#), .notSupported),
        (true, creation(more: #","extensions":{"prf":{"eval":{}}}"#), .type),
        (true, creation(more: #","extensions":{"largeBlob":{"read":true}}"#), .notSupported),
        (true, creation(more: #","excludeCredentials":[{"type":"public-key","id":""}]"#), .type),
        (true, creation(more: #","timeout":"60""#), .type),
        (false, "{}", .type), (false, request(#","rpId":"example.net""#), .security),
        (false, request(#","extensions":{"largeBlob":{"write":"AA"}}"#), .notSupported),
        (false, request(#","extensions":{"largeBlob":{"write":"AA","read":true}}"#), .notSupported),
        (false, request(#","extensions":{"prf":{"evalByCredential":{"AA":{"first":"AA"}}}}"#), .notSupported),
        (
            false,
            request(
                #","allowCredentials":[{"type":"public-key","id":"AA"}],"#
                    + #""extensions":{"prf":{"evalByCredential":{"AB":{"first":"AA"}}}}"#), .syntax
        ),
        (
            false,
            request(
                #","allowCredentials":[{"type":"public-key","id":"AA"}],"#
                    + #""extensions":{"prf":{"evalByCredential":{"=":{"first":"AA"}}}}"#), .syntax
        ),
    ]

    @Test("Options that cannot be are refused before anybody is asked", arguments: refused)
    func refusals(creates: Bool, options: String, name: WebAuthnExceptionName) async throws {
        let client = try WebAuthnClient(origin: "https://example.com")
        let authenticator = ScriptedAuthenticator { _ in
            Issue.record("the authenticator was asked")
            return CTAPResponse(status: .other)
        }
        let seen = await Self.exception {
            if creates {
                _ = try await client.create(options, with: authenticator)
            } else {
                _ = try await client.get(options, with: authenticator)
            }
        }
        #expect(seen == name, "\(options)")
    }

    @Test("What has no type or is not known is left out, and counts for nothing")
    func leniency() async throws {
        let sent = try await Self.sent(
            Self.creation(
                parameters: "[]",
                more: #","hints":["hybrid"],"attestation":"odd","authenticatorSelection":{"residentKey":"odd","#
                    + #""userVerification":"odd"},"excludeCredentials":[{"type":"other","id":"AA"},"#
                    + #"{"type":"public-key","id":"AQ","transports":["usb"]}],"extensions":{"odd":{"a":1}},"timeout":1"#
            ))
        #expect(sent.parameters.map(\.algorithm) == [.es256, .rs256])
        #expect(sent.excludeList == [.init(id: [1])])
        #expect(sent.extensions.isEmpty)
        #expect(sent.options == RequestOptions(userVerification: true))
    }

    @Test(
        "The requirements become options, as far as the authenticator has them",
        arguments: [
            (#"{"residentKey":"required","userVerification":"required"}"#, true, true),
            (#"{"residentKey":"preferred","userVerification":"discouraged"}"#, true, nil),
            (#"{"residentKey":"discouraged"}"#, nil, true), (#"{"requireResidentKey":true}"#, true, true),
        ] as [(String, Bool?, Bool?)])
    func requirements(selection: String, residentKey: Bool?, userVerification: Bool?) async throws {
        let options = Self.creation(more: #","authenticatorSelection":"# + selection)
        let sent = try await Self.sent(options)
        #expect(sent.options == RequestOptions(residentKey: residentKey, userVerification: userVerification))
        // Discoverable ones have a protection of their own, as Chromium's have.
        #expect(sent.extensions["credProtect"] == (residentKey == true ? 2 : nil))

        let bare = ScriptedAuthenticator(options: [:]) { _ in CTAPResponse(status: .operationDenied) }
        let client = try WebAuthnClient(origin: "https://example.com")
        let seen = await Self.exception { _ = try await client.create(options, with: bare) }
        #expect(seen == (selection.contains("equired\"") || selection.contains("true") ? .constraint : .notAllowed))
    }

    @Test(
        "An authenticator that refuses otherwise verifies its user, whatever the site says",
        arguments: [
            (["uv": true, "makeCredUvNotRqd": true], nil, nil), (["uv": true], true, nil),
            (["uv": true, "makeCredUvNotRqd": true, "alwaysUv": true], true, true), ([:], nil, nil),
        ] as [([String: Bool], Bool?, Bool?)])
    func unwantedVerification(options: [String: Bool], creating: Bool?, signingIn: Bool?) async throws {
        let (seen, asked) = AsyncStream.makeStream(of: Bool?.self)
        let authenticator = ScriptedAuthenticator(options: options) { request in
            switch request {
            case .makeCredential(let request): asked.yield(request.options.userVerification)
            case .getAssertion(let request): asked.yield(request.options.userVerification)
            default: break
            }
            return CTAPResponse(status: .operationDenied)
        }
        let client = try WebAuthnClient(origin: "https://example.com")
        let unwanted = #""userVerification":"discouraged""#
        let creation = Self.creation(more: #","authenticatorSelection":{\#(unwanted)}"#)
        _ = await Self.exception { _ = try await client.create(creation, with: authenticator) }
        _ = await Self.exception { _ = try await client.get(Self.request(",\(unwanted)"), with: authenticator) }
        asked.finish()
        var found: [Bool?] = []
        for await option in seen { found.append(option) }
        #expect(found == [creating, signingIn])
    }

    @Test(
        "An authenticator's refusal is the exception that a page sees",
        arguments: [
            (CTAPStatus.credentialExcluded, WebAuthnExceptionName.invalidState),
            (.unsupportedAlgorithm, .notAllowed), (.operationDenied, .notAllowed), (.noCredentials, .notAllowed),
            (.invalidCBOR, .notAllowed),
        ])
    func statuses(status: CTAPStatus, name: WebAuthnExceptionName) async throws {
        let client = try WebAuthnClient(origin: "https://example.com")
        let authenticator = ScriptedAuthenticator { _ in CTAPResponse(status: status) }
        #expect(await Self.exception { _ = try await client.create(Self.creation(), with: authenticator) } == name)
    }

    @Test("Of a hostile answer nothing reaches the page")
    func hostileAnswers() async throws {
        let client = try WebAuthnClient(origin: "https://example.com")
        var authenticators = Array(repeating: TestAuthenticator(), count: 4)
        authenticators[0].rpID = "example.org"
        authenticators[1].flags = [.userVerified]
        authenticators[2].algorithm = .edDSA
        authenticators[3].trailing = [0]
        let plain = #"{"userVerification":"preferred"}"#
        for wrong in authenticators {
            let scripted = ScriptedAuthenticator { request in
                guard case .makeCredential(let request) = request else { return CTAPResponse(status: .other) }
                return CTAPResponse(status: .ok, payload: try wrong.register(request.clientDataHash).encoded())
            }
            let options = Self.creation(more: #","authenticatorSelection":"# + plain)
            #expect(await Self.exception { _ = try await client.create(options, with: scripted) } == .unknown)
        }
        // Of a passkey that was not asked for, and a blob that says it is as large as memory.
        let asked = #","allowCredentials":[{"type":"public-key","id":"AA"}]"#
        let blob = #","extensions":{"largeBlob":{"read":true}}"#
        for options in [Self.request(asked), Self.request(blob)] {
            let scripted = ScriptedAuthenticator { request in
                guard case .getAssertion(let request) = request else { return CTAPResponse(status: .other) }
                var answer = try TestAuthenticator().signIn(request.clientDataHash)
                answer.unsignedExtensionOutputs = [
                    "largeBlob": ["blob": .bytes([3, 0]), "originalSize": .unsigned(.max)]
                ]
                return CTAPResponse(status: .ok, payload: answer.encoded())
            }
            #expect(await Self.exception { _ = try await client.get(options, with: scripted) } == .unknown)
        }
    }

    @Test("Client data may be the caller's, or its hash alone")
    func clientData() async throws {
        let client = try WebAuthnClient(origin: "https://example.com")
        let own = Array(#"{"type":"webauthn.create"}"#.utf8)
        let hash = SHA256.hash(own.span)
        for (source, shown) in [(ClientDataSource.json(own), true), (.hash(hash), false)] {
            let response = try await client.create(
                Self.creation(), clientData: source,
                with: ScriptedAuthenticator { request in
                    guard case .makeCredential(let request) = request, request.clientDataHash == hash else {
                        return CTAPResponse(status: .other)
                    }
                    return CTAPResponse(status: .ok, payload: try TestAuthenticator().register(hash).encoded())
                })
            let members = try #require(try Self.object(response.description)["response"] as? [String: Any])
            #expect(members["clientDataJSON"] as? String == (shown ? Base64URL.encode(own) : nil))
            // Of an authenticator that names none.
            #expect(members["transports"] as? [String] == ["hybrid", "internal"])
        }
        let short = await Self.exception {
            _ = try await client.create(Self.creation(), clientData: .hash([1]), with: try LocalAuthenticator())
        }
        #expect(short == .type)
    }

    @Test(
        "A site's time is kept within limits", arguments: [("1", 30), ("60000", 60), ("1e9", nil), ("999999999", 600)])
    func timeouts(given: String, seconds: Int?) throws {
        let options = try? AssertionOptions(Self.request(#","timeout":"# + given))
        #expect(options?.timeout == seconds.map { .seconds($0) })
        #expect(try AssertionOptions(Self.request("")).timeout == .seconds(300))
    }

    @Test("A digital credential is asked for by the same door, and a refusal is told")
    func digitalCredential() async throws {
        let client = try WebAuthnClient(origin: "https://shop.example")
        let asked = #"{"requests":[{"protocol":"openid4vp-v1-unsigned","data":{"nonce":"n"}}]}"#
        let credential = DigitalCredential(exchangeProtocol: "openid4vp-v1-unsigned", data: ["vp_token": "t"])
        let wallet = ScriptedAuthenticator { _ in
            CTAPResponse(status: .other)
        } json: { request in
            let asked = try DigitalCredentialRequest(parsing: request)
            #expect(asked.origin == "https://shop.example")
            return DigitalCredentialAnswer.credential(credential).json
        }
        #expect(try await client.digitalCredential(asked, with: wallet) == credential)
        let unwilling = ScriptedAuthenticator { _ in
            CTAPResponse(status: .other)
        } json: { _ in
            DigitalCredentialAnswer.refusal(.userCanceled).json
        }
        let refused = await Self.exception { _ = try await client.digitalCredential(asked, with: unwilling) }
        #expect(refused == .notAllowed)
        #expect(await Self.exception { _ = try await client.digitalCredential("{}", with: wallet) } == .type)
        let faulty = ScriptedAuthenticator { _ in
            CTAPResponse(status: .other)
        } json: { _ in
            "{"
        }
        #expect(await Self.exception { _ = try await client.digitalCredential(asked, with: faulty) } == .unknown)
    }

    /// The request that options become.
    private static func sent(_ options: String) async throws -> MakeCredentialRequest {
        let client = try WebAuthnClient(origin: "https://example.com")
        let (requests, seen) = AsyncStream.makeStream(of: MakeCredentialRequest.self)
        let authenticator = ScriptedAuthenticator { request in
            if case .makeCredential(let request) = request { seen.yield(request) }
            return CTAPResponse(status: .operationDenied)
        }
        _ = await exception { _ = try await client.create(options, with: authenticator) }
        seen.finish()
        for await request in requests { return request }
        throw CancellationError()
    }

    private static func exception(_ body: () async throws -> Void) async -> WebAuthnExceptionName? {
        do {
            try await body()
            return nil
        } catch {
            return WebAuthnExceptionName(of: error)
        }
    }

    static func creation(
        rp: String = #"{"id":"example.com","name":"Example"}"#,
        user: String = #"{"id":"AQID","name":"alice","displayName":"Alice"}"#,
        parameters: String = #"[{"type":"public-key","alg":-7}]"#, more: String = ""
    ) -> String {
        #"{"rp":\#(rp),"user":\#(user),"challenge":"AAAA","pubKeyCredParams":\#(parameters)\#(more)}"#
    }

    static func request(_ more: String) -> String { #"{"challenge":"AAAA"\#(more)}"# }
}

/// An authenticator in this process, which can leave out extensions of its getInfo.
struct LocalAuthenticator: WebAuthnAuthenticator, WebAuthnSession {
    private let authenticator: PasskeyAuthenticator
    let getInfo: [UInt8]?

    /// - Parameter hidden: the extensions that are left out; nil for all, and for an authenticator that keeps no
    ///   passkeys and verifies nobody.
    init(leavingOut hidden: Set<String>? = []) throws {
        authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: hidden != nil))
        let described = authenticator.getInfo()
        var info = try GetInfoResponse(decoding: described.span).fields
        let (extensions, options): (CBORValue, CBORValue) = (2, 4)
        let names = info[extensions]?.arrayValue ?? []
        info[extensions] = .array(names.filter { hidden?.contains($0.textValue ?? "") == false })
        if hidden == nil { info[options] = .map(["up": true]) }
        getInfo = info.encoded()
    }

    func withSession<Value: Sendable>(
        for hint: RequestHint, _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value {
        try await body(self)
    }

    func send(_ command: [UInt8]) async throws -> [UInt8] { await authenticator.respond(to: command) }
    func send(json: String) async throws -> String { throw CancellationError() }
}

/// An authenticator that answers as a test says.
private struct ScriptedAuthenticator: WebAuthnAuthenticator, WebAuthnSession {
    let getInfo: [UInt8]?
    private let answer: @Sendable (CTAPRequest) throws -> CTAPResponse
    private let answerJSON: @Sendable (String) throws -> String

    init(
        options: [String: Bool] = ["rk": true, "uv": true, "makeCredUvNotRqd": true],
        _ answer: @escaping @Sendable (CTAPRequest) throws -> CTAPResponse,
        json: @escaping @Sendable (String) throws -> String = { _ in throw CancellationError() }
    ) {
        getInfo = GetInfoResponse(
            versions: ["FIDO_2_1"], extensions: ["credProtect", "largeBlob"],
            aaguid: [UInt8](repeating: 0, count: AttestedCredential.aaguidByteCount), options: options
        ).encoded()
        self.answer = answer
        answerJSON = json
    }

    func withSession<Value: Sendable>(
        for hint: RequestHint, _ body: @escaping @Sendable (any WebAuthnSession) async throws -> Value
    ) async throws -> Value {
        try await body(self)
    }

    func send(_ command: [UInt8]) async throws -> [UInt8] {
        try answer(try CTAPRequest(decoding: command.span)).encoded()
    }

    func send(json: String) async throws -> String { try answerJSON(json) }
}
