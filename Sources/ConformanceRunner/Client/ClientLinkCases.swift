internal import CBOR
internal import Cryptography

/// Cases of the linking data that a client takes, and of those that it must not keep.
enum ClientLinkCases {
    private static let link = Group<ClientStage>(
        role: .client, name: "link", source: "CTAP 2.2 section 11.5.1, updates and linking data")

    static let all = kept + moments + dropped + several

    // MARK: - What is kept

    /// Linking data that are kept: the next time the client asks.
    private static func keeps(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        at moment: ClientStage.UpdateMoment = .beforeAnswer, contactID: [UInt8]? = nil,
        _ messages: @escaping @Sendable (TestLink, LinkableSession) throws -> [[UInt8]]
    ) -> PlayedCase<ClientStage> {
        link.behaves(name, rule, certainty) { stage in
            let link = try TestLink(contactID: contactID)
            let status = try await stage.links(at: moment) { try messages(link, $0) }
            try demand(status == 0, "its session ends with exit status \(status)")
            _ = try await stage.asksAgain(link)
        }
    }

    private static let longName = String(repeating: "name", count: 250)

    private static let kept = [
        keeps("kept", "an authenticator that is linked is asked the next time") { link, session in
            [TestLink.update(try link.map(session))]
        },
        keeps("update-unpadded", "an update need not have 512 bytes", .secondHand) { link, session in
            [[PlayedSession.MessageType.update] + ([1: .map(try link.map(session))] as CBORMap).encoded()]
        },
        keeps("update-4-kib", "an update may be longer than 512 bytes", .secondHand) { link, session in
            let map: CBORMap = [0: .bytes([UInt8](repeating: 0, count: 4_096)), 1: .map(try link.map(session))]
            return [[PlayedSession.MessageType.update] + map.encoded()]
        },
        keeps("key-999", "the mark of Play Services under key 999 is ignored") { link, session in
            [TestLink.update(try link.map(session, with: 999, true))]
        },
        keeps("unknown-key", "a key that nobody knows is ignored", .secondHand) { link, session in
            [TestLink.update(try link.map(session, with: 77, ["future": 1]))]
        },
        keeps("unknown-update-key", "a key that nobody knows beside the linking data is ignored", .secondHand) {
            link, session in
            let map: CBORMap = [1: .map(try link.map(session)), 7: "future"]
            return [[PlayedSession.MessageType.update] + map.encoded()]
        },
        keeps("name-empty", "a name may be empty", .secondHand) { link, session in
            [TestLink.update(try link.map(session, with: LinkingKey.name, ""))]
        },
        keeps("name-long", "a name of a thousand bytes does no harm", .secondHand) { link, session in
            [TestLink.update(try link.map(session, with: LinkingKey.name, .text(longName)))]
        },
        keeps("after-filler", "an update of filler alone may come before that with the linking data", .secondHand) {
            link, session in
            [TestLink.update(nil), TestLink.update(try link.map(session))]
        },
        link.behaves("key-2", "linking data may stand in the first message, under key 2, the older place", .secondHand)
        {
            stage in
            let link = try TestLink()
            let code = try await stage.offer()
            let session = try await stage.answer(stage.greet(stage.meet(code)))
            var first = ClientStage.firstMessage
            first[2] = .map(
                try link.map(
                    LinkableSession(client: code.publicKey, handshakeHash: session.keys.handshakeHash)))
            try await stage.complete(session, firstMessage: first.encoded())
            _ = try await stage.asksAgain(link)
        },
    ]

    private static let moments = [
        keeps("before-request", "linking data may come before the request", at: .beforeRequest) { link, session in
            [TestLink.update(try link.map(session))]
        },
        keeps("after-answer", "linking data may come after the answer", at: .afterAnswer) { link, session in
            [TestLink.update(try link.map(session))]
        },
        keeps("late", "a client that can be linked waits for an update after its shutdown", .secondHand, at: .late) {
            link, session in
            [TestLink.update(try link.map(session))]
        },
        link.behaves("never", "a client that can be linked is done without an update too") { stage in
            let status = try await stage.links(at: .beforeRequest) { _ in [] }
            try demand(status == 0, "its session ends with exit status \(status)")
        },
    ]

    // MARK: - What is not kept

    /// Linking data that are dropped, whatever becomes of the session: the next time the client asks nobody.
    private static func drops(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ map: @escaping @Sendable (TestLink, LinkableSession) throws -> CBORMap
    ) -> PlayedCase<ClientStage> {
        link.refuses(name, rule, certainty) { stage in
            let link = try TestLink()
            try await stage.links { [TestLink.update(try map(link, $0))] }
            try await stage.asksNobody("it keeps the link")
        }
    }

    private static let fields: [(key: Int, name: String, what: String)] = [
        (LinkingKey.contactID, "contact-id", "a contact ID"), (LinkingKey.linkID, "link-id", "a link ID"),
        (LinkingKey.secret, "secret", "a secret"), (LinkingKey.publicKey, "public-key", "a public key"),
        (LinkingKey.name, "name", "a name"), (LinkingKey.signature, "signature", "a signature"),
    ]

    private static let missing = fields.map { field in
        drops("\(field.name)-missing", "linking data have \(field.what)") { try $0.map($1, with: field.key, nil) }
    }

    private static let mistyped = fields.map { field in
        let isName = field.key == LinkingKey.name
        return drops("\(field.name)-type", "\(field.what) is \(isName ? "text" : "bytes"), nothing else") {
            link, session in
            let map = try link.map(session)
            let other: CBORValue =
                isName
                ? .bytes(Array("name".utf8))
                : .text(String(repeating: "a", count: map[field.key]?.bytesValue?.count ?? 1))
            return try link.map(session, with: field.key, other)
        }
    }

    /// Fields of another length, of what they had or more of the same.
    private static let lengths = [
        (LinkingKey.linkID, "link-id", 8, [0, 7, 9]), (LinkingKey.secret, "secret", 32, [0, 16, 31, 33]),
        (LinkingKey.publicKey, "public-key", 65, [0, 64, 66]),
        (LinkingKey.signature, "signature", 32, [0, 16, 31, 33]),
    ].flatMap { key, name, right, lengths in
        lengths.map { length in
            drops("\(name)-of-\(length)", "a \(name.replacing("-", with: " ")) has \(right) bytes, not \(length)") {
                link, session in
                let bytes = try link.map(session)[key]?.bytesValue ?? []
                return try link.map(session, with: key, .bytes((bytes + bytes).prefix(length).map { $0 }))
            }
        }
    }

    /// A public key that is none, with a signature that would be right for its owner.
    private static func point(
        _ name: String, _ rule: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        drops("public-key-\(name)", rule) { link, session in
            try link.map(session, with: LinkingKey.publicKey, .bytes(change(link.publicKey.uncompressed)))
        }
    }

    private static let points = [
        point("compressed", "a public key is in uncompressed form") { [2 | $0[64] & 1] + $0[1...32] },
        point("hybrid-form", "the hybrid form 06 is no uncompressed point") { [6 | $0[64] & 1] + $0.dropFirst() },
        point("off-curve", "a public key is a point of the curve") { $0.dropLast() + [$0[64] ^ 1] },
        point("at-infinity", "the point at infinity is no public key") { _ in [0] },
        point("zero", "the coordinates 0, 0 are no point of the curve") { [4] + $0.dropFirst().map { _ in 0 } },
    ]

    /// A signature that is not that of the public key's owner for this session.
    private static func unsigned(
        _ name: String, _ rule: String, _ signature: @escaping @Sendable (TestLink, LinkableSession) throws -> [UInt8]
    ) -> PlayedCase<ClientStage> {
        drops("signature-\(name)", rule) { link, session in
            try link.map(session, with: LinkingKey.signature, .bytes(signature(link, session)))
        }
    }

    private static let signatures = [
        unsigned("first-bit", "every bit of a signature counts: the first") { link, session in
            let right = try session.signature(link.scalar)
            return [right[0] ^ 0x80] + right.dropFirst()
        },
        unsigned("last-bit", "every bit of a signature counts: the last") { link, session in
            let right = try session.signature(link.scalar)
            return right.dropLast() + [right[31] ^ 1]
        },
        unsigned("zero", "32 zero bytes are no signature") { _, _ in [UInt8](repeating: 0, count: 32) },
        unsigned("other-session", "a signature is for this session's handshake hash, not another's") { link, session in
            let hash = try randomBytes(count: 32)
            return try LinkableSession(client: session.client, handshakeHash: hash).signature(link.scalar)
        },
        unsigned("other-client", "a signature is for this client's key, not another's") { link, session in
            let other = try P256.PrivateKey.generate().publicKey
            return try LinkableSession(client: other, handshakeHash: session.handshakeHash).signature(link.scalar)
        },
        unsigned("other-authenticator", "a signature is by the owner of the public key") { _, session in
            try session.signature(P256.PrivateKey.generate().scalar().copied())
        },
        unsigned("by-secret", "a signature is made with the static keys, not with the link's secret") { link, session in
            var code = try HMACSHA256(key: link.secret.bytes.span)
            return try code.authenticationCode(for: session.handshakeHash.span)
        },
        unsigned("hash", "the handshake hash itself is no signature") { _, session in session.handshakeHash },
        unsigned("empty-hash", "a signature covers the handshake hash") { link, session in
            try LinkableSession(client: session.client, handshakeHash: []).signature(link.scalar)
        },
    ]

    private static let dropped =
        missing + mistyped + lengths + points + signatures + [
            drops("contact-id-empty", "a contact ID is not empty", .secondHand) {
                try $0.map($1, with: LinkingKey.contactID, .bytes([]))
            },
            drops("contact-id-1-mib", "a contact ID has a bound", .disputed) {
                try $0.map($1, with: LinkingKey.contactID, .bytes([UInt8](repeating: 0x55, count: 1_000_000)))
            },
            link.behaves("wrong-goes-on", "a session whose linking data are wrong goes on without them", .disputed) {
                stage in
                let link = try TestLink()
                let status = try await stage.links {
                    [TestLink.update(try link.map($0, with: LinkingKey.signature, nil))]
                }
                throw Observation(status == 0 ? "goes on" : "ends the session, with exit status \(status)")
            },
        ]

    // MARK: - Several

    private static let several = [
        link.behaves("two-authenticators", "the authenticators of two sessions are both asked", .disputed) { stage in
            let first = try TestLink(), second = try TestLink()
            try await stage.makeLink(first)
            let paths = try await askedPaths(stage, second)
            let both = Set([first, second].map(LinkedClientStage.path))
            throw Observation(Set(paths) == both ? "asks both" : "asks \(paths.count) of two")
        },
        link.behaves("replaced", "a new link of an authenticator, known by its public key, replaces the old one") {
            stage in
            let first = try TestLink()
            let second = try TestLink(scalar: first.scalar)
            try await stage.makeLink(first)
            let paths = try await askedPaths(stage, second)
            try demand(
                paths == [LinkedClientStage.path(of: second)], "it asks by \(paths.count) links, or by the old one")
        },
        link.behaves("second-in-session", "the second linking data of a session are kept beside the first", .disputed) {
            stage in
            let first = try TestLink(), second = try TestLink()
            try await stage.links { [TestLink.update(try first.map($0)), TestLink.update(try second.map($0))] }
            let paths = try await paths(stage)
            let isFirst = paths.contains(LinkedClientStage.path(of: first))
            let isSecond = paths.contains(LinkedClientStage.path(of: second))
            throw Observation(
                isFirst ? isSecond ? "keeps both" : "keeps the first" : isSecond ? "keeps the second" : "keeps none")
        },
        link.refuses("wrong-after-right", "wrong linking data do not take the place of right ones", .secondHand) {
            stage in
            let link = try TestLink()
            let other = try TestLink(scalar: link.scalar)
            try await stage.links {
                [
                    TestLink.update(try link.map($0)),
                    TestLink.update(
                        try other.map($0, with: LinkingKey.signature, .bytes([UInt8](repeating: 0, count: 32)))),
                ]
            }
            guard let request = try await stage.asks() else { return }
            let path = LinkedClientStage.path(of: link)
            try demand(request.head.path == path, "it asks by the wrong link")
        },
        link.refuses("unasked", "a client whose code does not offer it is not linked", .disputed) { stage in
            let code = try await stage.start()
            guard code.map[TestCode.Key.linking] != true else { throw NotApplicable("its code offers to be linked") }
            let session = try await stage.answer(stage.greet(stage.meet(code)))
            let link = try TestLink()
            let map = try link.map(
                LinkableSession(client: code.publicKey, handshakeHash: session.keys.handshakeHash))
            try await session.send(ClientStage.firstMessage.encoded())
            try await session.send(TestLink.update(map))
            try? await stage.serve(session)
            try await stage.asksNobody("it keeps the link")
        },
    ]

    /// Makes a second link, and says by which ones the client asks then.
    private static func askedPaths(_ stage: ClientStage, _ link: TestLink) async throws -> [String] {
        try await stage.makeLink(link)
        return try await paths(stage)
    }

    private static func paths(_ stage: ClientStage) async throws -> [String] {
        guard let first = try await stage.asks() else { return [] }
        var paths = [first.head.path]
        while let more = try? await within(ClientStage.vigil, "another request", { try await stage.request() }) {
            paths.append(more.head.path)
        }
        return paths
    }
}
