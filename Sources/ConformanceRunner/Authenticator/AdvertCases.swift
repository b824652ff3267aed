internal import CBOR
internal import Edges
internal import HybridProtocol

/// Cases of how an authenticator opens its tunnel and advertises it.
enum AuthenticatorAdvertCases {
    private static let tunnel = Group<AuthenticatorStage>(
        role: .authenticator, name: "tunnel", source: "CTAP 2.2 section 11.5.1, the tunnel service")
    private static let advert = Group<AuthenticatorStage>(
        role: .authenticator, name: "advert", source: "CTAP 2.2 section 11.5.1, the BLE advertisement")

    static let all = tunnelCases + routingIDs + badRoutingIDs + advertCases

    private static let routingIDField = UpgradeAnswer.routingIDField

    private static let tunnelCases = [
        tunnel.behaves("path", "a tunnel is opened at /cable/new/ and the tunnel ID, which comes from the QR secret") {
            stage in
            let path = try await stage.atRequest().head.path
            let expected = "/cable/new/" + (try stage.code.secret.tunnelID()).map(hexadecimalDigits).joined()
            try demand(path.lowercased() == expected, "it asks for \(path.prefix(80)), not \(expected)")
        },
        tunnel.behaves("not-before-code", "two codes have two tunnels", .certain) { stage in
            let first = try await stage.atRequest().head.path
            try await stage.peer.start(url: TestCode().url)
            let second = try await stage.request().head.path
            try demand(first != second, "it asks for the same tunnel for two codes")
        },
    ]

    private static let routingIDs: [PlayedCase<AuthenticatorStage>] =
        [
            ("routing-id-lower-case", "a10bc2"), ("routing-id-upper-case", "A10BC2"),
            ("routing-id-mixed-case", "a10Bc2"),
        ].map { name, text in
            tunnel.behaves(name, "a routing ID is read in either case, and advertised") { stage in
                let meeting = try await stage.meet(nil, stage.acceptance.with(routingIDField, text))
                let routingID = Array(meeting.advert.plaintext[11..<14])
                try demand(routingID == AuthenticatorStage.routingID, "it advertises another routing ID")
            }
        } + [
            tunnel.behaves("routing-id-zero", "the routing ID may be zero") { stage in
                _ = try await stage.meet(nil, stage.acceptance.with(routingIDField, "000000"))
            },
            tunnel.behaves("routing-id-field-case", "the name of the routing ID's field has no case") { stage in
                let answer = stage.acceptance.with(routingIDField)
                _ = try await stage.meet(
                    nil, answer.with(routingIDField.lowercased(), AuthenticatorStage.routingIDText))
            },
        ]

    private static let badRoutingIDs = [
        ("routing-id-missing", "an answer names the routing ID", []),
        ("routing-id-empty", "a routing ID has three bytes, not none", [""]),
        ("routing-id-5-digits", "a routing ID has six digits, not five", ["a10bc"]),
        ("routing-id-8-digits", "a routing ID has six digits, not eight", ["a10bc2ff"]),
        ("routing-id-not-hex", "a routing ID is hexadecimal", ["a10bcg"]),
        ("routing-id-twice", "an answer names one routing ID", ["a10bc2", "000000"]),
    ].map { name, rule, values in
        tunnel.refuses(name, rule) { stage in
            var answer = stage.acceptance.with(routingIDField)
            for value in values { answer.fields.append((routingIDField, value)) }
            try await stage.refusesAnswer(answer)
        }
    }

    private static func advertised(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (AuthenticatorStage.Advert) throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        advert.behaves(name, rule, certainty) { stage in try check(try await stage.meet().advert) }
    }

    private static let advertCases = [
        advertised("service", "adverts are sent under the service FFF9") {
            try demand(
                $0.received.service == .fido, "it advertises under \(String($0.received.service.rawValue, radix: 16))")
        },
        advertised("length", "an advert has 20 bytes if the code offers no other channel than the WebSocket") {
            try demand($0.received.serviceData.count == 20, "its advert has \($0.received.serviceData.count) bytes")
        },
        advertised("reserved-byte", "the first byte of an advert's plaintext is zero") {
            try demand($0.plaintext[0] == 0, "the first byte is \($0.plaintext[0])")
        },
        advertised("routing-id", "an advert holds the routing ID that the tunnel service gave") {
            try demand(
                Array($0.plaintext[11..<14]) == AuthenticatorStage.routingID, "it advertises another routing ID")
        },
        advertised("domain", "an advert names a tunnel domain that is assigned, or is computed from its number") {
            let number = UInt16($0.plaintext[14]) | UInt16($0.plaintext[15]) << 8
            try demand((try? TunnelDomain(number)) != nil, "it names the domain \(number)")
        },
        advertised("nonce", "the nonce in an advert is random") {
            try demand(Set($0.plaintext[1..<11]).count > 2, "its nonce is of one or two different bytes")
        },
        advert.behaves("fresh-nonce", "two adverts for one code have two nonces") { stage in
            let first = try await stage.meet()
            try await stage.peer.start(url: stage.code.url)
            _ = try await stage.request().answer(stage.acceptance)
            try await within(stage.peer.patience, "an advert with another nonce") {
                while try await stage.advert(stage.code).plaintext == first.advert.plaintext {}
            }
        },
        advert.behaves("after-tunnel", "nothing is advertised before the tunnel is open") { stage in
            let request = try await stage.atRequest()
            try await Task.sleep(for: UpgradeCases.delay)
            try demand(!stage.hasHeard(stage.code), "it advertises before it has a tunnel")
            _ = try await request.answer(stage.acceptance)
            _ = try await stage.advert(stage.code)
        },
        advert.behaves("repeated", "an advert is repeated until the client has come, and stays the same") { stage in
            let meeting = try await stage.meet()
            let again = try await stage.advert(stage.code)
            try demand(again.plaintext == meeting.advert.plaintext, "its advert changes")
        },
        advert.behaves("off-the-air", "an advert is off the air when the session is over") { stage in
            try await stage.takes(stage.code)
            _ = stage.ear.takeAll()
            try await Task.sleep(for: .seconds(1))
            try demand(!stage.hasHeard(stage.code), "it is still advertising")
        },
        advert.behaves("offers-channel", "a client that offers L2CAP and WebSocket is met by one of them", .secondHand)
        { stage in
            let code = stage.code.with(TestCode.Key.channels, [0, 1])
            let meeting = try await stage.meet(code)
            let suffix = meeting.advert.received.serviceData.dropFirst(20)
            guard !suffix.isEmpty else { return }
            let map = try? CBORValue.decode(Array(suffix).span).mapValue
            try demand(map != nil, "the suffix of its advert is no map of CBOR")
        },
    ]
}

/// A byte as two lower-case hexadecimal digits.
func hexadecimalDigits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
