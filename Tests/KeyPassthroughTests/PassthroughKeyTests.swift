import CTAP
import Cryptography
import Encodings
import KeyPassthrough
import Testing
import UserVerification

@Suite("A key that is passed through", .timeLimit(.minutes(5))) struct PassthroughKeyTests {
    @Test("says what of the key passes: no PIN, since that is typed here, but user verification")
    func info() async throws {
        let info = try await TestContext(ScriptedKey()).info()
        #expect(info.options == ["up": true, "rk": true, "uv": true, "alwaysUv": true, "makeCredUvNotRqd": false])
        #expect(info.extensions == ["credProtect", "prf"])
        #expect(info.aaguid == [UInt8](repeating: 9, count: 16))
        #expect(info.transports == ["hybrid", "nfc", "usb"])
        #expect(info.algorithms.map(\.algorithm) == [.es256, .edDSA])
        #expect(info.fields[0x06] == nil)
    }

    @Test("offers no verification where the key can do none, and no values that need it")
    func infoWithoutPIN() async throws {
        let context = TestContext(ScriptedKey(), .withPIN.with(["clientPin": false]))
        let info = try await context.info()
        #expect(info.options == ["up": true, "rk": true])
        #expect(info.extensions == ["credProtect"])
        #expect(try await context.register().status == .invalidOption)
        #expect(context.key.events.isEmpty)
    }

    @Test("shows a registration first, asks for the PIN, and hands the client data hash over as it is")
    func registration() async throws {
        let context = TestContext(ScriptedKey())
        let response = try await context.register {
            $0.extensions = [.text(ExtensionIdentifier.credProtect): 2, "minPinLength": true]
        }
        #expect(response.status == .ok)
        #expect(
            context.key.events
                == [.asked(.register), .pin(objection: nil), .step(.touch), .registration, .step(nil)])
        let made = try #require(context.key.registrations.first)
        #expect(made.clientDataHash == TestContext.hash)
        #expect(made.rp == .init(id: TestContext.site, name: "Example"))
        #expect(made.user == .init(id: [4, 5], name: "alice", displayName: "Alice"))
        #expect(made.protection == .verificationOptionalIfNamed)
        #expect(made.isDiscoverable && !made.hmacSecret && made.algorithm == .es256)
        guard case .pin = made.verification else { return #expect(Bool(false), "no PIN") }
        let answer = try MakeCredentialResponse(decoding: response.payload.span)
        #expect(answer.format == "packed")
        #expect(answer.attestationStatement == ["alg": -7, "sig": .bytes([1, 2, 3])])
        #expect(answer.unsignedExtensionOutputs == [:])
    }

    @Test("hands over no more of a name than every key takes, in whole characters")
    func names() async throws {
        let context = TestContext(ScriptedKey())
        let long = "a" + String(repeating: "\u{fc}", count: 10_000)
        let response = try await context.register {
            $0.rp.name = long
            $0.user = .init(id: [4], name: long, displayName: long)
        }
        #expect(response.status == .ok)
        let cut = "a" + String(repeating: "\u{fc}", count: 31)
        let made = try #require(context.key.registrations.first)
        #expect(made.rp.name == cut && made.user.name == cut && made.user.displayName == cut)
    }

    @Test("takes the first algorithm of the site's that the key knows")
    func algorithm() async throws {
        let context = TestContext(ScriptedKey())
        let response = try await context.register {
            $0.parameters = [.init(algorithm: .rs256), .init(algorithm: .edDSA), .init(algorithm: .es256)]
        }
        #expect(response.status == .ok)
        #expect(context.key.registrations.first?.algorithm == .edDSA)
        #expect(
            try await context.register { $0.parameters = [.init(algorithm: .rs256)] }.status == .unsupportedAlgorithm)
    }

    @Test(
        "leaves the key alone if the user does not agree",
        arguments: [
            (Approval.Refusal.declined, CTAPStatus.operationDenied), (.timedOut, .userActionTimeout),
            (.unavailable, .operationDenied), (.cancelled, .keepaliveCancel),
        ])
    func refused(refusal: Approval.Refusal, status: CTAPStatus) async throws {
        let context = TestContext(ScriptedKey(), answer: { _ in refusal })
        #expect(try await context.register().status == status)
        #expect(try await context.signIn().status == status)
        #expect(context.key.events == [.asked(.register), .asked(.signIn)])
    }

    @Test(
        "refuses what cannot be handed to the key as it was shown, before anybody is asked",
        arguments: [
            ("exam\u{0}ple.com", "Example", "alice", CTAPStatus.invalidParameter),
            ("example.com", "Exam\u{0}ple", "alice", .invalidParameter),
            ("example.com", "Example", "ali\u{0}ce", .invalidParameter),
            ("", "Example", "alice", .invalidLength),
            (String(repeating: "a", count: 254), "Example", "alice", .invalidLength),
            ("example.com\u{1b}[2J", "Example", "alice", .invalidParameter),
            (".example", "Example", "alice", .invalidParameter),
        ])
    func texts(site: String, name: String, user: String, status: CTAPStatus) async throws {
        let context = TestContext(ScriptedKey())
        let response = try await context.register {
            $0.rp = .init(id: site, name: name)
            $0.user.name = user
        }
        #expect(response.status == status)
        #expect(context.key.events.isEmpty)
    }

    @Test("asks which authenticator it is, and does not reach the key, where a client only wants a touch")
    func touch() async throws {
        for (refusal, status) in [(nil, CTAPStatus.pinNotSet), (Approval.Refusal.declined, .operationDenied)] {
            let context = TestContext(ScriptedKey(), answer: { _ in refusal })
            let response = try await context.register {
                $0.rp = .init(id: ".dummy", name: nil)
                $0.user = .init(id: [1], name: "dummy", displayName: nil)
                $0.options = .init()
            }
            #expect(response.status == status)
            #expect(context.key.events == [.asked(.select)])
        }
    }

    @Test("refuses what clients over hybrid do not ask for")
    func hostileRequests() async throws {
        let context = TestContext(ScriptedKey())
        #expect(try await context.register { $0.options.userPresence = false }.status == .invalidOption)
        #expect(try await context.register { $0.pinUvAuthParam = [1] }.status == .missingParameter)
        #expect(
            try await context.register {
                $0.pinUvAuthParam = [1]
                $0.pinUvAuthProtocol = 1
            }.status == .invalidParameter)
        #expect(try await context.register { $0.enterpriseAttestation = 1 }.status == .invalidParameter)
        #expect(try await context.signIn { $0.options.residentKey = true }.status == .unsupportedOption)
        #expect(
            try await context.respond(.clientPIN(.init(subcommand: 1, pinUvAuthProtocol: 1)))
                .status == .invalidCommand)
        #expect(try await context.respond(.getNextAssertion).status == .notAllowed)
        let long = Array(repeating: [UInt8](repeating: 1, count: 16), count: 65)
        #expect(try await context.signIn(long).status == .limitExceeded)
        #expect(context.key.events.isEmpty)
    }

    @Test("refuses a second request while one is under way, and can be cancelled")
    func cancel() async throws {
        let (waiting, begins) = AsyncStream<Void>.makeStream()
        let key = ScriptedKey { _ throws(KeyFailure) in
            begins.yield()
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
            throw .cancelled
        }
        let context = TestContext(key)
        let running = Task { try await context.register() }
        for await _ in waiting { break }
        #expect(try await context.signIn().status == .channelBusy)
        running.cancel()
        #expect(try await running.value.status == .keepaliveCancel)
        #expect(context.key.events.last == .step(nil))
    }
}
