internal import CBOR
internal import Edges
internal import HybridProtocol

/// Cases of the QR code that a client shows, of the adverts that bring it, and of how it comes.
enum ClientCodeCases {
    private typealias Key = TestCode.Key

    private static let code = Group<ClientStage>(
        role: .client, name: "code", source: "CTAP 2.2 section 11.5.1, the QR code")
    private static let advert = Group<ClientStage>(
        role: .client, name: "advert", source: "CTAP 2.2 section 11.5.1, the BLE advertisement")
    private static let tunnel = Group<ClientStage>(
        role: .client, name: "tunnel", source: "CTAP 2.2 section 11.5.1, the tunnel service")

    static let all = codes + goodAdverts + badAdverts + tunnels

    // MARK: - The code

    private static func shows(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (ScannedCode) throws -> Void
    ) -> PlayedCase<ClientStage> {
        code.behaves(name, rule, certainty) { stage in try check(try await stage.start()) }
    }

    private static let codes = [
        shows("prefix", "a code begins with FIDO:/ in upper case, which suits the QR code's alphanumeric mode") {
            try demand($0.url.hasPrefix("FIDO:/"), "it begins with \($0.url.prefix(6))")
        },
        shows("canonical", "the code's map is canonical CBOR") { code in
            do throws(CBORError) { _ = try CBORValue.decode(code.contents.span) } catch {
                throw Deviation("it is not: \(error.reason)")
            }
        },
        shows("public-key", "key 0 is a compressed point of 33 bytes") {
            try demand($0.map[Key.publicKey]?.bytesValue?.count == 33, "key 0 has another length")
        },
        shows("secret", "key 1 is a secret of 16 bytes") {
            try demand($0.secret.bytes.count == 16, "the secret has \($0.secret.bytes.count) bytes")
        },
        shows("known-domains", "key 2 says how many assigned tunnel domains the client knows", .secondHand) {
            try demand($0.map[Key.knownDomains]?.unsignedValue != nil, "key 2 is missing, or no number")
        },
        shows("timestamp", "key 3 is the time, within ten minutes", .secondHand) { code in
            guard let time = code.map[Key.timestamp]?.unsignedValue else {
                throw Deviation("key 3 is missing, or no number")
            }
            let now = secondsSince1970()
            try demand(max(time, now) - min(time, now) < 600, "it says \(time), and it is \(now)")
        },
        shows("linking-stated", "key 4 is always stated, or old authenticators take the client for one of caBLE v2.0") {
            try demand($0.map[Key.linking]?.boolValue != nil, "key 4 is missing, or no bool")
        },
        shows("hint", "key 5 is a hint that authenticators know", .secondHand) {
            let hint = $0.map[Key.hint]?.textValue
            try demand(["ga", "mc", "dcp", "dci"].contains(hint), "key 5 is \(hint ?? "missing")")
        },
        shows("channels", "key 6, if it is there, is a list that offers the WebSocket", .secondHand) {
            guard let channels = $0.map[Key.channels] else { return }
            try demand(channels.arrayValue?.contains(0) == true, "key 6 does not offer the WebSocket")
        },
        shows("short-enough", "a code is short enough to be scanned: 300 characters at most", .secondHand) {
            try demand($0.url.utf8.count <= 300, "it has \($0.url.utf8.count) characters")
        },
        code.behaves("fresh", "two codes share neither secret nor key") { stage in
            let first = try await stage.start()
            stage.peer.kill()
            let second = try await stage.start()
            try demand(first.secret.bytes != second.secret.bytes, "two codes have one secret")
            try demand(first.publicKey != second.publicKey, "two codes have one key")
        },
    ]

    // MARK: - Adverts that count

    /// Adverts to be sent, made from the one that counts, which is sealed.
    private static func takes(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain, domain: UInt16? = nil,
        _ adverts: @escaping @Sendable ([UInt8]) throws -> [TestAdvert] = { [TestAdvert(data: $0)] }
    ) -> PlayedCase<ClientStage> {
        advert.behaves(name, rule, certainty) { stage in
            let code = try await stage.start()
            let plaintext = try stage.plaintext(domain: domain)
            try await stage.comes(for: adverts(ClientStage.seal(plaintext, code)), plaintext, of: code)
        }
    }

    private static func suffixed(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty, _ suffix: [UInt8]
    ) -> PlayedCase<ClientStage> {
        takes("suffix-\(name)", rule, certainty) { [TestAdvert(data: $0 + suffix)] }
    }

    private static let goodAdverts = [
        takes("service-fff9", "adverts under the service FFF9 are heard"),
        takes("service-fde2", "adverts under the older service FDE2 are heard") {
            [TestAdvert(service: .google, data: $0)]
        },
        takes("foreign-before", "an advert of another session is passed over in silence") {
            [TestAdvert(data: $0.map { ~$0 }), TestAdvert(data: $0)]
        },
        takes("short-before", "service data shorter than an advert are passed over") {
            [TestAdvert(data: Array($0.prefix(19))), TestAdvert(data: [1]), TestAdvert(data: $0)]
        },
        takes("flood-before", "thirty foreign adverts do not hide the right one") { right in
            (0..<30).map { index in TestAdvert(data: right.map { $0 ^ UInt8(index + 1) }) } + [TestAdvert(data: right)]
        },
        takes("bad-tag-before", "an advert whose tag is wrong in one bit is passed over") {
            [TestAdvert(data: $0.dropLast() + [$0[19] ^ 1]), TestAdvert(data: $0)]
        },
        takes("duplicates", "an advert that is heard many times counts once") {
            [TestAdvert(data: $0), TestAdvert(data: $0), TestAdvert(service: .google, data: $0)]
        },
        takes("domain-0", "an advert may name the domain 0", domain: 0),
        takes("domain-1", "an advert may name the domain 1", .secondHand, domain: 1),
        takes("domain-256", "an advert may name a domain that is computed from its number", .secondHand, domain: 256),
        takes("domain-65535", "an advert may name the last domain number", .secondHand, domain: 65_535),
        suffixed(
            "psm", "a suffix that offers L2CAP does not keep a client from the tunnel", .secondHand,
            [0xA1, 1, 0x18, 0x80]),
        suffixed("empty-map", "a suffix may offer nothing", .secondHand, [0xA0]),
        suffixed("unknown-channel", "a suffix of a channel that nobody knows is ignored", .secondHand, [0xA1, 7, 1]),
        suffixed("draft-form", "a suffix {0: channel}, as in Firefox's draft, is ignored", .disputed, [0xA1, 0, 1]),
        suffixed("no-map", "a suffix that is no map is ignored, and its advert is not", .secondHand, [0x83, 1, 2, 3]),
        suffixed("no-cbor", "a suffix that is no CBOR is ignored, and its advert is not", .secondHand, [0xFF, 0xFF]),
        suffixed("psm-text", "a PSM that is text is none", .secondHand, [0xA1, 1, 0x61, 0x41]),
        suffixed("psm-too-large", "a PSM above 65535 is none", .secondHand, [0xA1, 1, 0x1A, 0, 1, 0, 0]),
        suffixed("longest", "a suffix of 200 bytes does no harm", .secondHand, [UInt8](repeating: 0, count: 200)),
        advert.behaves("late", "an advert may come two seconds after the code") { stage in
            let code = try await stage.start()
            try await Task.sleep(for: .seconds(2))
            let plaintext = try stage.plaintext()
            try await stage.comes(for: [TestAdvert(data: ClientStage.seal(plaintext, code))], plaintext, of: code)
        },
        advert.behaves("second-device", "a second advert for one code does not disturb the session with the first") {
            stage in
            let code = try await stage.start()
            let plaintext = try stage.plaintext()
            let right = TestAdvert(data: try ClientStage.seal(plaintext, code))
            let request = try await stage.request(sending: [right])
            let other = TestAdvert(data: try ClientStage.seal(stage.plaintext(), code))
            let meeting = ClientStage.Meeting(code: code, plaintext: plaintext, request: request)
            try await stage.air.send([other]) { try await stage.complete(stage.answer(stage.greet(meeting))) }
        },
    ]

    // MARK: - Adverts that do not count

    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ advert: @escaping @Sendable (ClientStage, ScannedCode) throws -> TestAdvert
    ) -> PlayedCase<ClientStage> {
        self.advert.refuses(name, rule, certainty) { stage in
            let code = try await stage.start()
            try await stage.staysAway([try advert(stage, code)], of: code)
        }
    }

    private static let badAdverts =
        ([2, 3, 127, 255] as [UInt16]).map { number in
            refuses("domain-\(number)", "the tunnel domain \(number) is nobody's") { stage, code in
                TestAdvert(data: try ClientStage.seal(stage.plaintext(domain: number), code))
            }
        }
        + ([1, 0x80, 0xFF] as [UInt8]).map { byte in
            refuses("reserved-\(byte)", "an advert whose reserved byte is \(byte) is refused") { stage, code in
                TestAdvert(data: try ClientStage.seal(stage.plaintext(reserved: byte), code))
            }
        } + [
            refuses("19-bytes", "an advert has 20 bytes at least") { stage, code in
                TestAdvert(data: try ClientStage.seal(stage.plaintext(), code).dropLast())
            },
            refuses("other-session", "an advert for another code is nobody's business") { stage, _ in
                TestAdvert(data: try ClientStage.seal(stage.plaintext(), ScannedCode(url: TestCode().url)))
            },
            refuses("unsealed", "an advert is sealed") { stage, _ in
                TestAdvert(data: try stage.plaintext() + [0, 0, 0, 0])
            },
            refuses("zero-tag", "a tag of zeros does not fit") { stage, code in
                TestAdvert(data: try ClientStage.seal(stage.plaintext(), code).prefix(16) + [0, 0, 0, 0])
            },
            refuses("flipped-block", "a tag covers the whole block") { stage, code in
                var data = try ClientStage.seal(stage.plaintext(), code)
                data[0] ^= 1
                return TestAdvert(data: data)
            },
            refuses("other-service", "adverts under another service than FFF9 and FDE2 are not heard") { stage, code in
                TestAdvert(
                    service: ServiceUUID(rawValue: 0xFFFD), data: try ClientStage.seal(stage.plaintext(), code))
            },
            refuses("shifted", "an advert begins where the service data begin") { stage, code in
                TestAdvert(data: [0] + (try ClientStage.seal(stage.plaintext(), code)))
            },
        ]

    // MARK: - The tunnel

    private static let tunnels = [
        tunnel.behaves("path", "a tunnel is joined at /cable/connect/, the advert's routing ID and the tunnel ID") {
            stage in
            let meeting = try await stage.meet()
            let digits = ClientStage.routingID.map(hexadecimalDigits).joined()
            let expected =
                try "/cable/connect/\(digits)/" + meeting.code.secret.tunnelID().map(hexadecimalDigits).joined()
            let path = meeting.request.head.path
            try demand(path.lowercased() == expected, "it asks for \(path.prefix(90)), not \(expected)")
        },
        tunnel.behaves("not-before-advert", "a client comes to no tunnel before it has heard the advert") { stage in
            let code = try await stage.start()
            try await stage.staysAway([], of: code)
        },
        tunnel.behaves("handshake-first", "a client's first message is its handshake message, of 81 bytes, and opens") {
            stage in
            _ = try await stage.answer(stage.greet(stage.meet()))
        },
        tunnel.behaves("session", "a code of a client leads to a session that ends well") { stage in
            try await stage.complete(stage.connected())
        },
    ]
}
