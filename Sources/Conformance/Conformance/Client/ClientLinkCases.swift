internal import Cryptography
internal import Encodings

/// Cases of the linking data that a client takes, and of those that it must not keep.
enum ClientLinkCases {
    private static let link = CaseGroup<ClientTestContext>(
        role: .client, name: "link", rule: "HT-LNK-30", profile: .linked)

    static let all = kept + moments + dropped + several

    // MARK: - Kept linking data

    /// Linking data that are kept: the next time the client sends a contact request.
    private static func keeps(
        _ name: String, _ requirement: String, rule: String? = nil,
        at moment: ClientTestContext.UpdateMoment = .beforeAnswer, contactID: [UInt8]? = nil,
        messages: @escaping @Sendable (TestLink, LinkableSession) throws -> [[UInt8]]
    ) -> ScriptedCase<ClientTestContext> {
        link.behaves(name, requirement, rule: rule) { context in
            let link = try TestLink(contactID: contactID)
            let status = try await context.links(at: moment) { try messages(link, $0) }
            try demand(status == 0, "its session ends with exit status \(status)")
            _ = try await context.sendsContactRequest(
                link, isPlain: "client/link/\(name)" == ClientTestContext.plainLinkCase)
        }
    }

    private static let longName = String(repeating: "name", count: 250)

    private static let kept = [
        keeps("kept", "send a contact request in its next session, once it is linked", rule: "HT-STA-14") {
            link, session in
            [TestLink.update(try link.map(session))]
        },
        keeps(
            "update-unpadded", "accept an update of other lengths than 512 bytes", rule: "HT-LNK-20"
        ) {
            link, session in
            [[TunnelSession.MessageType.update] + ([1: .map(try link.map(session))] as CBORMap).encoded()]
        },
        keeps("update-4-kib", "accept an update of more than 4 KiB", rule: "HT-LNK-20") {
            link, session in
            let map: CBORMap = [0: .bytes([UInt8](repeating: 0, count: 4_096)), 1: .map(try link.map(session))]
            return [[TunnelSession.MessageType.update] + map.encoded()]
        },
        keeps("key-999", "ignore key 999, which Play Services send", rule: "HT-LNK-21") { link, session in
            [TestLink.update(try link.map(session, with: 999, true))]
        },
        keeps("unknown-key", "ignore an unknown key in linking data", rule: "HT-LNK-21") {
            link, session in
            [TestLink.update(try link.map(session, with: 77, ["future": 1]))]
        },
        keeps(
            "unknown-update-key", "ignore an unknown key beside the linking data", rule: "HT-LNK-21"
        ) {
            link, session in
            let map: CBORMap = [1: .map(try link.map(session)), 7: "future"]
            return [[TunnelSession.MessageType.update] + map.encoded()]
        },
        keeps("name-empty", "accept an empty name", rule: "HT-LNK-32") { link, session in
            [TestLink.update(try link.map(session, with: LinkingKey.name, ""))]
        },
        keeps("name-long", "accept a name of 1,000 bytes", rule: "HT-LNK-32") { link, session in
            [TestLink.update(try link.map(session, with: LinkingKey.name, .text(longName)))]
        },
        keeps("after-filler", "accept linking data in a second update", rule: "HT-MSG-27") {
            link, session in
            [TestLink.update(nil), TestLink.update(try link.map(session))]
        },
        link.behaves(
            "key-2", "accept linking data in the first message, under key 2", rule: "HT-MSG-47"
        ) {
            context in
            let link = try TestLink()
            let code = try await context.offer()
            let session = try await context.answer(context.receiveHandshake(context.rendezvous(code)))
            var first = ClientTestContext.firstMessage
            first[2] = .map(
                try link.map(
                    LinkableSession(client: code.publicKey, handshakeHash: session.keys.handshakeHash)))
            try await context.complete(session, firstMessage: first.encoded())
            _ = try await context.sendsContactRequest(link)
        },
    ]

    private static let moments = [
        keeps("before-request", "accept linking data before its request", rule: "HT-MSG-27", at: .beforeRequest) {
            link, session in
            [TestLink.update(try link.map(session))]
        },
        keeps("after-answer", "accept linking data after the answer", rule: "HT-MSG-27", at: .afterAnswer) {
            link, session in
            [TestLink.update(try link.map(session))]
        },
        keeps("late", "accept linking data after its shutdown", rule: "HT-MSG-49", at: .late) {
            link, session in
            [TestLink.update(try link.map(session))]
        },
        link.behaves("never", "end normally when no update comes", rule: "HT-LNK-22") { context in
            let status = try await context.links(at: .beforeRequest) { _ in [] }
            try demand(status == 0, "its session ends with exit status \(status)")
        },
    ]

    // MARK: - Dropped linking data

    /// Linking data that are dropped, whatever the session's end: the next time the client sends no contact request.
    private static func drops(
        _ name: String, _ requirement: String, rule: String? = nil,
        map: @escaping @Sendable (TestLink, LinkableSession) throws -> CBORMap
    ) -> ScriptedCase<ClientTestContext> {
        link.refuses(name, requirement, rule: rule) { try await drops($0, map) }
    }

    private static func drops(
        _ context: ClientTestContext, _ map: @escaping @Sendable (TestLink, LinkableSession) throws -> CBORMap
    ) async throws {
        let link = try TestLink()
        try await context.links { [TestLink.update(try map(link, $0))] }
        try await context.sendsNoContactRequest("it has kept the link")
    }

    private static let malformed = link.refuses(
        LinkingMalformations.fields + LinkingMalformations.points + LinkingMalformations.signatures
            + LinkingMalformations.mistakes
    ) { context, damage in
        try await drops(context) { link, session in try damage(link.honest(session)) }
    }

    /// Another key or signature than the right one.
    private static func drops(
        _ name: String, _ requirement: String, rule: String? = nil, key: Int,
        value: @escaping @Sendable (TestLink, LinkableSession) throws -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        drops(name, requirement, rule: rule) { link, session in
            try link.map(session, with: key, .bytes(value(link, session)))
        }
    }

    private static let points = [
        drops(
            "public-key-compressed", "drop linking data with a compressed public key", rule: "HT-LNK-25",
            key: LinkingKey.publicKey
        ) { link, _ in link.publicKey.compressed },
        drops(
            "public-key-at-infinity", "drop linking data whose public key is the point at infinity",
            rule: "HT-LNK-25",
            key: LinkingKey.publicKey
        ) { _, _ in [0] },
    ]

    /// A signature that is not that of the public key's owner for this session.
    private static func unsigned(
        _ name: String, _ requirement: String,
        _ signature: @escaping @Sendable (TestLink, LinkableSession) throws -> [UInt8]
    ) -> ScriptedCase<ClientTestContext> {
        drops("signature-\(name)", requirement, key: LinkingKey.signature, value: signature)
    }

    private static let signatures = [
        unsigned("other-session", "drop linking data signed for another handshake hash") { link, session in
            let hash = randomBytes(count: 32)
            return try LinkableSession(client: session.client, handshakeHash: hash).signature(link.scalar)
        },
        unsigned("other-client", "drop linking data signed for another client's key") { link, session in
            let other = try P256.PrivateKey.generate().publicKey
            return try LinkableSession(client: other, handshakeHash: session.handshakeHash).signature(link.scalar)
        },
        unsigned("other-authenticator", "drop linking data signed with a key that does not match their public key") {
            _, session in
            try session.signature(P256.PrivateKey.generate().scalar().copied())
        },
        unsigned("hash", "drop linking data whose signature is the handshake hash itself") { _, session in
            session.handshakeHash
        },
    ]

    private static let dropped =
        malformed + points + signatures + [
            drops("secret-of-16", "drop linking data with a secret of 16 bytes; it has 32", rule: "HT-LNK-26") {
                link, session in
                try link.map(session, with: LinkingKey.secret, .bytes(Array(link.secret.bytes.prefix(16))))
            },
            drops(
                "contact-id-1-mib", "drop linking data with a contact ID of 1 MB", rule: "HT-TUN-15"
            ) {
                try $0.map($1, with: LinkingKey.contactID, .bytes([UInt8](repeating: 0x55, count: 1_000_000)))
            },
            link.behaves(
                "wrong-goes-on", "continue a session whose linking data it drops", rule: "HT-LNK-33"
            ) {
                context in
                let link = try TestLink()
                let status = try await context.links {
                    [TestLink.update(try link.map($0, with: LinkingKey.signature, nil))]
                }
                throw ObservedBehaviour(status == 0 ? "goes on" : "ends the session, with exit status \(status)")
            },
        ]

    // MARK: - Several

    private static let several = [
        link.behaves(
            "two-authenticators", "send contact requests to both authenticators that it is linked with",
            rule: "HT-STA-13"
        ) { context in
            let first = try TestLink(), second = try TestLink()
            try await context.makeLink(first)
            let paths = try await askedPaths(context, second)
            let both = Set([first, second].map(LinkedClientTestContext.path))
            throw ObservedBehaviour(Set(paths) == both ? "asks both" : "asks \(paths.count) of two")
        },
        link.behaves("replaced", "replace a link by a later one of the same public key", rule: "HT-LNK-38") {
            context in
            let first = try TestLink()
            let second = try TestLink(scalar: first.scalar)
            try await context.makeLink(first)
            let paths = try await askedPaths(context, second)
            try demand(
                paths == [LinkedClientTestContext.path(of: second)],
                "it sends contact requests for \(paths.count) links, or for the old one")
        },
        link.behaves(
            "second-in-session", "keep the first linking data of a session, and drop the second",
            rule: "HT-LNK-35"
        ) {
            context in
            let first = try TestLink(), second = try TestLink()
            try await context.links { [TestLink.update(try first.map($0)), TestLink.update(try second.map($0))] }
            let paths = try await paths(context)
            let isFirst = paths.contains(LinkedClientTestContext.path(of: first))
            let isSecond = paths.contains(LinkedClientTestContext.path(of: second))
            throw ObservedBehaviour(
                isFirst ? isSecond ? "keeps both" : "keeps the first" : isSecond ? "keeps the second" : "keeps none")
        }.observed,
        link.refuses(
            "wrong-after-right", "not replace valid linking data with invalid data", rule: "HT-LNK-36"
        ) {
            context in
            let link = try TestLink()
            let other = try TestLink(scalar: link.scalar)
            try await context.links {
                [
                    TestLink.update(try link.map($0)),
                    TestLink.update(
                        try other.map($0, with: LinkingKey.signature, .bytes([UInt8](repeating: 0, count: 32)))),
                ]
            }
            guard let request = try await context.asks() else { return }
            let path = LinkedClientTestContext.path(of: link)
            try demand(request.head.path == path, "its contact request names the wrong link")
        },
        link.refuses(
            "unasked", "not keep linking data if its QR code has key 4 false", rule: "HT-LNK-34"
        ) { context in
            let code = try await context.start()
            guard code.map[InvitationKey.linking] != true else { throw NotApplicable("its code offers to be linked") }
            let session = try await context.answer(context.receiveHandshake(context.rendezvous(code)))
            let link = try TestLink()
            let map = try link.map(
                LinkableSession(client: code.publicKey, handshakeHash: session.keys.handshakeHash))
            try await session.send(ClientTestContext.firstMessage.encoded())
            try await session.send(TestLink.update(map))
            try? await context.serve(session)
            try await context.sendsNoContactRequest("it has kept the link")
        },
    ]

    /// Makes a second link, and lists the paths of the client's contact requests then.
    private static func askedPaths(_ context: ClientTestContext, _ link: TestLink) async throws -> [String] {
        try await context.makeLink(link)
        return try await paths(context)
    }

    private static func paths(_ context: ClientTestContext) async throws -> [String] {
        guard let first = try await context.asks() else { return [] }
        var paths = [first.head.path]
        while let more = try? await within(
            ClientTestContext.absenceTimeout, "another request", { try await context.request() })
        {
            paths.append(more.head.path)
        }
        return paths
    }
}
