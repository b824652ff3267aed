internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of how an authenticator opens its tunnel and advertises it.
enum AuthenticatorAdvertCases {
    private static let tunnel = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "tunnel", rule: "HT-TUN-5")
    private static let advert = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "advert", rule: "HT-ADV-16")

    static let all = tunnelCases + routingIDs + badRoutingIDs + advertCases

    private static let routingIDField = UpgradeResponse.routingIDField

    private static let tunnelCases = [
        tunnel.behaves(
            "path", "open the tunnel at /cable/new/ with the tunnel ID derived from the QR secret",
            rule: "HT-TUN-5"
        ) {
            context in
            let path = try await context.atRequest().head.path
            let expected = "/cable/new/" + Hexadecimal.encode(context.code.secret.tunnelID())
            try demand(path.lowercased() == expected, "it asks for \(path.prefix(80)), not \(expected)")
        },
        tunnel.behaves(
            "not-before-code", "open different tunnels for different QR codes", rule: "HT-KEY-5"
        ) { context in
            let first = try await context.atRequest().head.path
            try await context.peer.start(url: TestCode().url)
            let second = try await context.request().head.path
            try demand(first != second, "it asks for the same tunnel for two codes")
        },
    ]

    private static let routingIDs: [ScriptedCase<AuthenticatorTestContext>] =
        [
            ("routing-id-lower-case", "a10bc2"), ("routing-id-upper-case", "A10BC2"),
            ("routing-id-mixed-case", "a10Bc2"),
        ].map { name, text in
            tunnel.behaves(name, "accept a routing ID in either case, and advertise it", rule: "HT-TUN-40") {
                context in
                let rendezvous = try await context.rendezvous(nil, context.acceptance.with(routingIDField, text))
                let routingID = Array(rendezvous.advert.plaintext[11..<14])
                try demand(routingID == AuthenticatorTestContext.routingID, "it advertises another routing ID")
            }
        } + [
            tunnel.behaves("routing-id-zero", "accept a routing ID of zero", rule: "HT-TUN-40") { context in
                _ = try await context.rendezvous(nil, context.acceptance.with(routingIDField, "000000"))
            },
            tunnel.behaves(
                "routing-id-field-case", "accept the name X-caBLE-Routing-ID in any case", rule: "HT-TUN-40"
            ) { context in
                let answer = context.acceptance.with(routingIDField)
                _ = try await context.rendezvous(
                    nil, answer.with(routingIDField.lowercased(), AuthenticatorTestContext.routingIDText))
            },
        ]

    private static let badRoutingIDs = [
        ("routing-id-missing", "refuse a response without a routing ID", []),
        ("routing-id-empty", "refuse an empty routing ID", [""]),
        ("routing-id-5-digits", "refuse a routing ID of five digits; it has six", ["a10bc"]),
        ("routing-id-8-digits", "refuse a routing ID of eight digits; it has six", ["a10bc2ff"]),
        ("routing-id-not-hex", "refuse a routing ID that is not hexadecimal", ["a10bcg"]),
        ("routing-id-twice", "refuse a response with two routing IDs", ["a10bc2", "000000"]),
    ].map { name, requirement, values in
        tunnel.refuses(name, requirement, rule: "HT-TUN-41") { context in
            var answer = context.acceptance.with(routingIDField)
            for value in values { answer.fields.append((routingIDField, value)) }
            try await context.refusesAnswer(answer)
        }
    }

    private static func advertised(
        _ name: String, _ requirement: String, rule: String,
        check: @escaping @Sendable (AuthenticatorTestContext.Advert) throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        advert.behaves(name, requirement, rule: rule) { context in
            try check(try await context.rendezvous().advert)
        }
    }

    private static let advertCases = [
        advertised("service", "advertise under the service UUID FFF9", rule: "HT-ADV-16") {
            try demand(
                $0.received.service == .fido, "it advertises under \(String($0.received.service.rawValue, radix: 16))")
        },
        advertised(
            "length", "send an advert of 20 bytes if the QR code offers the WebSocket alone", rule: "HT-ADV-20"
        ) {
            try demand($0.received.serviceData.count == 20, "its advert has \($0.received.serviceData.count) bytes")
        },
        advertised("reserved-byte", "set the first byte of the advert's plaintext to zero", rule: "HT-ADV-1") {
            try demand($0.plaintext[0] == 0, "the first byte of the plaintext is \($0.plaintext[0])")
        },
        advertised("routing-id", "advertise the routing ID that the tunnel service gave", rule: "HT-ADV-3") {
            try demand(
                Array($0.plaintext[11..<14]) == AuthenticatorTestContext.routingID, "it advertises another routing ID")
        },
        advertised("domain", "advertise an assigned or computed tunnel domain", rule: "HT-DOM-3") {
            let number = UInt16($0.plaintext[14]) | UInt16($0.plaintext[15]) << 8
            try demand((try? TunnelDomain(number)) != nil, "it names the domain \(number)")
        },
        advert.behaves(
            "known-domains", "not name an assigned tunnel domain to a client that knows none",
            rule: "HT-DOM-4"
        ) { context in
            let code = context.code.with(InvitationKey.knownDomains, 0)
            guard let advert = try? await context.advert(for: code) else {
                throw ObservedBehaviour("does not advertise")
            }
            throw ObservedBehaviour(
                "names the domain \(UInt16(advert.plaintext[14]) | UInt16(advert.plaintext[15]) << 8)")
        },
        advertised("nonce", "put a random nonce into the advert", rule: "HT-ADV-2") {
            try demand(Set($0.plaintext[1..<11]).count > 2, "its nonce has two different bytes at most")
        },
        advert.behaves(
            "fresh-nonce", "use a new nonce for each advert, also for the same QR code", rule: "HT-ADV-2"
        ) { context in
            let first = try await context.rendezvous()
            try await context.peer.start(url: context.code.url)
            _ = try await context.request().answer(context.acceptance)
            try await within(context.peer.timeout, "an advert with another nonce") {
                while try await context.advert(context.code).plaintext == first.advert.plaintext {}
            }
        },
        advert.behaves("after-tunnel", "not advertise before its tunnel is open", rule: "HT-ADV-21") { context in
            let request = try await context.atRequest()
            try await Task.sleep(for: UpgradeCases.delay)
            try demand(!context.hasHeard(context.code), "it advertises before it has a tunnel")
            _ = try await request.answer(context.acceptance)
            _ = try await context.advert(context.code)
        },
        advert.behaves("repeated", "repeat the same advert until the client has connected", rule: "HT-ADV-22") {
            context in
            let rendezvous = try await context.rendezvous()
            let again = try await context.advert(context.code)
            try demand(again.plaintext == rendezvous.advert.plaintext, "its advert changes")
        },
        advert.behaves("off-the-air", "stop advertising when the session is over", rule: "HT-ADV-23") {
            context in
            try await context.takes(context.code)
            _ = context.receivedAdverts.takeAll()
            try await Task.sleep(for: .seconds(1))
            try demand(!context.hasHeard(context.code), "it is still advertising")
        },
        advert.behaves(
            "offers-channel", "not send a suffix other than a CBOR map to a client that offers both channels",
            rule: "HT-ADV-26"
        ) { context in
            let code = context.code.with(InvitationKey.channels, [0, 1])
            let rendezvous = try await context.rendezvous(code)
            let suffix = rendezvous.advert.received.serviceData.dropFirst(20)
            guard !suffix.isEmpty else { return }
            let map = try? CBORValue.decode(Array(suffix).span).mapValue
            try demand(map != nil, "the suffix of its advert is not a map of CBOR")
        },
    ]
}
