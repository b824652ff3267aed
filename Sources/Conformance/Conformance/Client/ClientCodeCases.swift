internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Cases of the QR code that a client shows, of the adverts that bring it, and of how it comes.
enum ClientCodeCases {
    private typealias Key = InvitationKey

    private static let code = CaseGroup<ClientTestContext>(
        role: .client, name: "code", rule: "HT-QR-11")
    private static let advert = CaseGroup<ClientTestContext>(
        role: .client, name: "advert", rule: "HT-ADV-35")
    private static let tunnel = CaseGroup<ClientTestContext>(
        role: .client, name: "tunnel", rule: "HT-TUN-4")

    static let all = codes + goodAdverts + badAdverts + tunnels

    // MARK: - The code

    private static func shows(
        _ name: String, _ requirement: String, rule: String,
        check: @escaping @Sendable (ScannedCode) throws -> Void
    ) -> ScriptedCase<ClientTestContext> {
        code.behaves(name, requirement, rule: rule) { context in try check(try await context.start()) }
    }

    private static let codes = [
        shows("prefix", "begin its QR code with FIDO:/ in upper case", rule: "HT-QR-1") {
            try demand($0.url.hasPrefix("FIDO:/"), "its QR code begins with \($0.url.prefix(6))")
        },
        shows("canonical", "write the QR code's map in canonical CBOR", rule: "HT-QR-11") { code in
            do throws(CBORError) { _ = try CBORValue.decode(code.contents.span) } catch {
                throw Deviation("its QR code is not canonical CBOR: \(error.reason)")
            }
        },
        shows("public-key", "put a compressed point of 33 bytes under key 0", rule: "HT-QR-20") {
            try demand($0.map[Key.publicKey]?.bytesValue?.count == 33, "key 0 is not 33 bytes long")
        },
        shows("secret", "put a secret of 16 bytes under key 1", rule: "HT-QR-21") {
            try demand($0.secret.bytes.count == 16, "the secret has \($0.secret.bytes.count) bytes")
        },
        shows(
            "known-domains", "put the number of assigned tunnel domains that it knows under key 2",
            rule: "HT-QR-28"
        ) {
            try demand($0.map[Key.knownDomains]?.unsignedValue != nil, "key 2 is missing or not an unsigned integer")
        },
        shows("timestamp", "put the time under key 3, accurate to ten minutes", rule: "HT-QR-32") {
            code in
            // The key is optional; a correct value is not.
            guard let value = code.map[Key.time] else { throw ObservedBehaviour("leaves key 3 out") }
            guard let time = value.unsignedValue else { throw Deviation("key 3 is not an unsigned integer") }
            let now = secondsSince1970()
            try demand(max(time, now) - min(time, now) < 600, "key 3 says \(time), and the time is \(now)")
        },
        shows(
            "linking-stated", "state key 4, without which old authenticators assume caBLE v2.0", rule: "HT-QR-35"
        ) {
            try demand($0.map[Key.linking]?.boolValue != nil, "key 4 is missing or not a bool")
        },
        shows("hint", "put one of the hints ga, mc, dcp and dci under key 5", rule: "HT-QR-39") {
            let hint = $0.map[Key.hint]?.textValue
            try demand(["ga", "mc", "dcp", "dci"].contains(hint), "key 5 is \(hint ?? "missing")")
        },
        shows("channels", "list the WebSocket in key 6, if it sends key 6", rule: "HT-QR-44") {
            guard let channels = $0.map[Key.channels] else { return }
            try demand(channels.arrayValue?.contains(0) == true, "key 6 does not offer the WebSocket")
        },
        shows("short-enough", "show a QR code of 300 characters at most", rule: "HT-QR-52") {
            try demand($0.url.utf8.count <= 300, "its QR code has \($0.url.utf8.count) characters")
        },
        code.behaves("fresh", "use a new secret and a new key for each QR code", rule: "HT-QR-22") { context in
            let first = try await context.start()
            context.peer.kill()
            let second = try await context.start()
            try demand(first.secret.bytes != second.secret.bytes, "two QR codes have the same secret")
            try demand(first.publicKey != second.publicKey, "two QR codes have the same public key")
        },
    ]

    // MARK: - Adverts that count

    /// Adverts to be sent, made from the one that counts, which is sealed.
    private static func takes(
        _ name: String, _ requirement: String, rule: String,
        domain: UInt16? = nil,
        adverts: @escaping @Sendable ([UInt8]) throws -> [TestAdvert] = { [TestAdvert(data: $0)] }
    ) -> ScriptedCase<ClientTestContext> {
        advert.behaves(name, requirement, rule: rule) { context in
            let code = try await context.start()
            let plaintext = context.plaintext(domain: domain)
            try await context.comes(for: adverts(ClientTestContext.seal(plaintext, code)), plaintext, of: code)
        }
    }

    private static func suffixed(
        _ name: String, _ requirement: String, rule: String, suffix: [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        advert.behaves("suffix-\(name)", requirement, rule: rule) { context in
            let code = try await context.start()
            guard code.offersNearby else { throw NotApplicable("its QR code does not offer L2CAP") }
            let plaintext = context.plaintext()
            let advert = TestAdvert(data: try ClientTestContext.seal(plaintext, code) + suffix)
            try await context.comes(for: [advert], plaintext, of: code)
        }
    }

    private static let goodAdverts = [
        takes("service-fff9", "receive adverts under the service UUID FFF9", rule: "HT-ADV-17"),
        takes("service-fde2", "receive adverts under the older service UUID FDE2", rule: "HT-ADV-18") {
            [TestAdvert(service: .google, data: $0)]
        },
        takes("foreign-before", "ignore the advert of another session", rule: "HT-ADV-13") {
            [TestAdvert(data: $0.map { ~$0 }), TestAdvert(data: $0)]
        },
        takes("short-before", "ignore service data shorter than an advert", rule: "HT-ADV-8") {
            [TestAdvert(data: Array($0.prefix(19))), TestAdvert(data: [1]), TestAdvert(data: $0)]
        },
        takes("flood-before", "find its advert among 30 others", rule: "HT-ADV-13") { right in
            (0..<30).map { index in TestAdvert(data: right.map { $0 ^ UInt8(index + 1) }) } + [TestAdvert(data: right)]
        },
        takes("bad-tag-before", "ignore an advert whose tag has a changed bit", rule: "HT-ADV-9") {
            [TestAdvert(data: $0.dropLast() + [$0[19] ^ 1]), TestAdvert(data: $0)]
        },
        takes("duplicates", "accept an advert that it receives many times", rule: "HT-ADV-14") {
            [TestAdvert(data: $0), TestAdvert(data: $0), TestAdvert(service: .google, data: $0)]
        },
        takes("domain-0", "accept the tunnel domain 0", rule: "HT-DOM-1", domain: 0),
        takes("domain-1", "accept the tunnel domain 1", rule: "HT-DOM-1", domain: 1),
        takes("domain-256", "accept a computed tunnel domain, 256", rule: "HT-DOM-5", domain: 256),
        takes(
            "domain-65535", "accept the last tunnel domain, 65535", rule: "HT-DOM-5", domain: 65_535),
        suffixed(
            "psm", "be able to use the tunnel although the suffix offers L2CAP", rule: "HT-ADV-34",
            suffix: [0xA1, 1, 0x18, 0x80]),
        suffixed(
            "empty-map", "accept a suffix that offers nothing", rule: "HT-ADV-30", suffix: [0xA0]),
        suffixed(
            "unknown-channel", "ignore an unknown channel in the suffix", rule: "HT-ADV-32",
            suffix: [0xA1, 7, 1]),
        suffixed(
            "draft-form", "ignore a suffix {0: channel}, the form of Firefox's draft",
            rule: "HT-ADV-33",
            suffix: [0xA1, 0, 1]),
        suffixed(
            "no-map", "ignore a suffix that is not a map, and accept its advert", rule: "HT-ADV-29",
            suffix: [0x83, 1, 2, 3]),
        suffixed(
            "no-cbor", "ignore a suffix that is not CBOR, and accept its advert", rule: "HT-ADV-29",
            suffix: [0xFF, 0xFF]),
        suffixed(
            "psm-text", "ignore a PSM that is text, and accept its advert", rule: "HT-ADV-30",
            suffix: [0xA1, 1, 0x61, 0x41]),
        suffixed(
            "psm-too-large", "ignore a PSM above 65535, and accept its advert", rule: "HT-ADV-30",
            suffix: [0xA1, 1, 0x1A, 0, 1, 0, 0]),
        suffixed(
            "longest", "accept an advert with a suffix of 200 bytes", rule: "HT-ADV-25",
            suffix: [UInt8](repeating: 0, count: 200)),
        advert.behaves("late", "accept an advert two seconds after it has shown the QR code", rule: "HT-ADV-15") {
            context in
            let code = try await context.start()
            try await Task.sleep(for: .seconds(2))
            let plaintext = context.plaintext()
            try await context.comes(
                for: [TestAdvert(data: ClientTestContext.seal(plaintext, code))], plaintext, of: code)
        },
        advert.behaves(
            "second-device", "continue its session when a second advert for the same QR code comes",
            rule: "HT-ADV-14"
        ) {
            context in
            let code = try await context.start()
            let plaintext = context.plaintext()
            let right = TestAdvert(data: try ClientTestContext.seal(plaintext, code))
            let request = try await context.request(sending: [right])
            let other = TestAdvert(data: try ClientTestContext.seal(context.plaintext(), code))
            let rendezvous = ClientTestContext.Rendezvous(code: code, plaintext: plaintext, request: request)
            try await context.transmitter.send([other]) {
                try await context.complete(context.answer(context.receiveHandshake(rendezvous)))
            }
        },
    ]

    // MARK: - Adverts that do not count

    private static func refuses(
        _ name: String, _ requirement: String, rule: String,
        advert: @escaping @Sendable (ClientTestContext, ScannedCode) throws -> TestAdvert
    ) -> ScriptedCase<ClientTestContext> {
        self.advert.refuses(name, requirement, rule: rule) { context in
            let code = try await context.start()
            try await context.staysAway([try advert(context, code)], of: code)
        }
    }

    private static let badAdverts =
        advert.refuses(
            AdvertMalformations.lengths + AdvertMalformations.blocks + AdvertMalformations.forgeries
                + AdvertMalformations.tags + AdvertMalformations.plaintexts
        ) { context, damage in
            let code = try await context.start()
            let honest = try CraftedAdvert(context.plaintext(), eidKey: code.secret.eidKey())
            try await context.staysAway([TestAdvert(data: damage(honest))], of: code)
        } + [
            refuses("other-session", "ignore an advert that does not decrypt", rule: "HT-ADV-9") { context, _ in
                TestAdvert(data: try ClientTestContext.seal(context.plaintext(), ScannedCode(url: TestCode().url)))
            },
            refuses(
                "other-service", "ignore adverts under other service UUIDs than FFF9 and FDE2", rule: "HT-ADV-19"
            ) {
                context, code in
                TestAdvert(
                    service: ServiceUUID(rawValue: 0xFFFD), data: try ClientTestContext.seal(context.plaintext(), code))
            },
            refuses("shifted", "ignore an advert that does not begin with the service data", rule: "HT-ADV-9") {
                context, code in
                TestAdvert(data: [0] + (try ClientTestContext.seal(context.plaintext(), code)))
            },
        ]

    // MARK: - The tunnel

    /// The plainest ceremony of a client.
    static let plain = tunnel.behaves("session", "complete a session that its QR code starts", rule: "HT-HS-1") {
        context in
        try await context.complete(context.connected())
    }

    private static let tunnels = [
        tunnel.behaves(
            "path", "join the tunnel at /cable/connect/ with the advert's routing ID and the tunnel ID",
            rule: "HT-TUN-4"
        ) {
            context in
            let rendezvous = try await context.rendezvous()
            let digits = Hexadecimal.encode(ClientTestContext.routingID)
            let expected =
                "/cable/connect/\(digits)/" + Hexadecimal.encode(rendezvous.code.secret.tunnelID())
            let path = rendezvous.request.head.path
            try demand(path.lowercased() == expected, "it asks for \(path.prefix(90)), not \(expected)")
        },
        tunnel.behaves(
            "not-before-advert", "not join a tunnel before it has received the advert", rule: "HT-ADV-36"
        ) { context in
            let code = try await context.start()
            try await context.staysAway([], of: code)
        },
        tunnel.behaves("handshake-first", "send its handshake message, of 81 bytes, first", rule: "HT-HS-12") {
            context in
            _ = try await context.answer(context.receiveHandshake(context.rendezvous()))
        },
        plain,
    ]
}
