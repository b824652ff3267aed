internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// Cases of the updates that an authenticator sends, and of the links that it offers in them.
enum AuthenticatorLinkCases {
    private static let update = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "update", rule: "HT-LNK-15")
    private static let link = CaseGroup<AuthenticatorTestContext>(
        role: .authenticator, name: "link", rule: "HT-LNK-2", profile: .linked)

    static let all = updates + offers + sessions + faults.map { withFault($0.name, $0.requirement, $0.fault) }

    /// The length of an update with its type byte, before its frame is padded or, as some may read it, after that.
    private static let updateByteCounts = [512, 512 + Direction.blockByteCount]

    // MARK: - Updates

    /// The updates of a session.
    private static func sends(
        _ name: String, _ requirement: String, rule: String? = nil,
        linking: CBORValue? = false,
        check: @escaping @Sendable (AuthenticatorTestContext.LinkingSession) throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        update.behaves(name, requirement, rule: rule) { context in
            try check(try await context.withContactService { try await context.links(linking, $0) })
        }
    }

    /// Each update of a session, if there is one.
    private static func each(
        _ name: String, _ requirement: String, rule: String? = nil,
        linking: CBORValue? = false,
        check: @escaping @Sendable (TunnelSession.Update, CBORMap) throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        sends(name, requirement, rule: rule, linking: linking) { scripted in
            guard !scripted.updates.isEmpty else { throw NotApplicable("it sends no update") }
            for update in scripted.updates {
                guard let map = try? CBORValue.decode(update.payload.span).mapValue else {
                    throw Deviation("its update is not a map of canonical CBOR")
                }
                try check(update, map)
            }
        }
    }

    private static let updates = [
        sends(
            "not-offered-false", "not offer a link to a client whose QR code has key 4 false",
            rule: "HT-LNK-1"
        ) {
            scripted in
            try demand(try scripted.linking().isEmpty, "it offers a link")
        },
        sends(
            "not-offered-absent", "not offer a link to a client whose QR code has no key 4",
            rule: "HT-LNK-1",
            linking: nil
        ) { scripted in
            try demand(try scripted.linking().isEmpty, "it offers a link")
        },
        sends("success", "complete a session in which it sends updates", rule: "HT-MSG-22", linking: true) {
            scripted in
            try demand(scripted.status == 0, "it ends with exit status \(scripted.status)")
        },
        each("map", "send an update that is a map of canonical CBOR", rule: "HT-LNK-7") { _, _ in },
        each("512-bytes", "pad an update without linking data to 512 bytes", rule: "HT-LNK-17") {
            update, _ in
            try demand(
                updateByteCounts.contains(update.paddedByteCount),
                "its padded update has \(update.paddedByteCount) bytes")
        },
        each("keys", "not send an update with keys other than 0 and 1", rule: "HT-LNK-19") {
            _, map in
            try demand(
                map.entries.allSatisfy { [0, 1].contains($0.key.unsignedValue ?? 9) },
                "its update has keys other than 0 and 1")
        },
        each("filler", "fill an update with zeros under key 0", rule: "HT-LNK-18") { _, map in
            guard let filler = map[0] else { return }
            guard let bytes = filler.bytesValue else { throw Deviation("key 0 of its update is not bytes") }
            try demand(bytes.allSatisfy { $0 == 0 }, "its filler is not all zeros")
        },
        sends("always", "send one update in every session from a QR code", rule: "HT-LNK-15") {
            scripted in
            throw ObservedBehaviour("number of updates: \(scripted.updates.count)")
        },
        sends(
            "moment", "send its update right after the first message", rule: "HT-LNK-16",
            linking: true
        ) { scripted in
            guard let update = scripted.updates.first else { throw ObservedBehaviour("sends no update") }
            throw ObservedBehaviour(update.position == 1 ? "sends it before the answer" : "sends it after the answer")
        },
    ]

    // MARK: - The offered link

    /// The link that the authenticator offers.
    private static func offers(
        _ name: String, _ requirement: String, rule: String? = nil,
        check: @escaping @Sendable (ReceivedLink) throws -> Void
    ) -> ScriptedCase<AuthenticatorTestContext> {
        link.behaves(name, requirement, rule: rule) { context in try check(try await context.link()) }
    }

    private static func length(_ name: String, _ key: Int, _ byteCount: Int) -> ScriptedCase<AuthenticatorTestContext> {
        offers(
            "\(name)-length",
            "send a \(name.words) of \(byteCount) bytes", rule: "HT-LNK-3"
        ) { link in
            let bytes = try link.bytes(key)
            try demand(bytes.count == byteCount, "its \(name.words) has \(bytes.count) bytes")
        }
    }

    private static let offers = [
        offers("complete", "send linking data with the keys 1 to 6", rule: "HT-LNK-2") { link in
            for key in LinkingKey.contactID...LinkingKey.signature {
                try demand(link.map[key] != nil, "key \(key) of its linking data is missing")
            }
        },
        offers("contact-id", "send a contact ID that is a byte string and not empty", rule: "HT-LNK-4") { link in
            try demand(try !link.contactID.isEmpty, "its contact ID is empty")
        },
        length("link-id", LinkingKey.linkID, LinkID.byteCount),
        length("secret", LinkingKey.secret, 32),
        length("public-key", LinkingKey.publicKey, P256.uncompressedByteCount),
        length("signature", LinkingKey.signature, HMACSHA256.byteCount),
        offers(
            "public-key-point", "send a public key that is an uncompressed point of the curve", rule: "HT-LNK-5"
        ) { link in
            let publicKey = try link.publicKey
            try demand(
                try publicKey.uncompressed == link.bytes(LinkingKey.publicKey),
                "its public key is not in uncompressed form")
        },
        offers("name", "send a name that is text", rule: "HT-LNK-2") { link in
            try demand(link.map[LinkingKey.name]?.textValue != nil, "the name in its linking data is not text")
        },
        offers("secret-random", "send a random secret", rule: "HT-LNK-8") { link in
            try demand(Set(try link.bytes(LinkingKey.secret)).count > 4, "its secret has four different bytes or fewer")
        },
        offers(
            "signature", "sign linking data with the key they name, for this client and session", rule: "HT-LNK-6"
        ) { link in
            let right = try LinkableSession.signature(link.client, link.publicKey, link.handshakeHash)
            try demand(try link.bytes(LinkingKey.signature) == right, "the signature is wrong")
        },
        offers("canonical", "send linking data in canonical CBOR", rule: "HT-LNK-7") { link in
            do throws(CBORError) { _ = try CBORValue.decode(link.update.payload.span) } catch {
                throw Deviation("its update is not canonical CBOR: \(error.reason)")
            }
        },
        offers(
            "512-bytes", "send linking data in an update of 512 bytes, unless the contact ID exceeds 128 bytes",
            rule: "HT-LNK-17"
        ) {
            link in
            let byteCount = link.update.paddedByteCount
            let isLong = try link.contactID.count > 128
            try demand(updateByteCounts.contains(byteCount) || isLong, "its padded update has \(byteCount) bytes")
        },
        link.behaves(
            "as-long", "send updates of the same length with and without linking data",
            rule: "HT-LNK-17"
        ) {
            context in
            let link = try await context.link()
            let other = try await context.withContactService { try await context.links(false, $0) }
            guard let filler = other.updates.first else { throw Deviation("without linking data it sends no update") }
            try demand(
                filler.paddedByteCount == link.update.paddedByteCount,
                "the updates have \(link.update.paddedByteCount) and \(filler.paddedByteCount) bytes")
        },
        offers("once", "offer one link in a session, in one update", rule: "HT-LNK-10") { link in
            try demand(link.updateCount == 1, "it sends \(link.updateCount) updates")
        },
        offers(
            "registered", "offer the contact ID that the tunnel service gave for the link ID",
            rule: "HT-LNK-11"
        ) {
            link in
            guard !link.registered.isEmpty else { throw NotApplicable("it does not use this kind of tunnel service") }
            try demand(
                try link.registered[link.linkID] == link.contactID,
                "it offers another contact ID than was given for the link ID")
        },
    ]

    // MARK: - Sessions

    private static let sessions = [
        link.behaves(
            "second", "use a new link ID, secret and signature for each session, and the same public key",
            rule: "HT-LNK-9"
        ) {
            context in
            let first = try await context.link()
            let second = try await context.withContactService { try await context.makeLink($0) }
            try demand(try first.linkID != second.linkID, "it uses a link ID twice")
            try demand(try first.secret.bytes != second.secret.bytes, "it uses a secret twice")
            try demand(try first.publicKey == second.publicKey, "it uses two public keys")
            let signature = LinkingKey.signature
            try demand(try first.bytes(signature) != second.bytes(signature), "it uses a signature twice")
        },
        link.survives(
            "client-leaves", "end in bounded time when the client closes before the link was offered",
            rule: "HT-LNK-13"
        ) {
            context in
            try await context.withContactService { contactService in
                let code = try TestCode().with(InvitationKey.linking, true)
                try await context.peer.start(context.links.link, url: code.url)
                guard
                    let request = try await context.peer.awaits(
                        "its request", { try await contactService.requests.next() })
                else {
                    return
                }
                let session = try await context.connected(context.rendezvous(request, code))
                await session.socket.close()
                try await context.peer.ended()
            }
        },
    ]

    private static let faults: [(name: String, requirement: String, fault: ScriptedContactService.Fault)] = [
        ("404", "the tunnel service has no contact service (404)", .status(404)),
        ("503", "the contact service is unavailable (503)", .status(503)),
        ("silent", "the contact service sends nothing", .silent),
        (
            "text", "the contact service sends a text frame",
            .begins(WireFrame(opcode: WireFrame.Opcode.text, payload: [0x61]))
        ),
        (
            "no-hello", "the contact service does not begin with a hello",
            .begins(WireFrame(payload: [0xA0]))
        ),
        ("closed", "the contact service closes with code 4401", .begins(.close(4401))),
        ("no-contact-id", "the contact service gives no contact ID", .gives([])),
        ("two-contact-ids", "the contact service gives two contact IDs for one label", .gives([[1], [2]])),
        ("empty-contact-id", "the contact service gives an empty contact ID", .gives([[]])),
    ]

    /// A contact service with a fault: there is no link, and the session completes.
    private static func withFault(
        _ name: String, _ requirement: String, _ fault: ScriptedContactService.Fault
    ) -> ScriptedCase<AuthenticatorTestContext> {
        link.survives(
            "service-\(name)", "complete the session although \(requirement)", rule: "HT-LNK-12"
        ) { context in
            let scripted = try await context.withContactService(fault) { try await context.links(true, $0) }
            try demand(scripted.status == 0, "it ends with exit status \(scripted.status)")
            let contactIDs = try scripted.linking().map { $0.map[LinkingKey.contactID]?.bytesValue }
            if case .gives(let given) = fault {
                try demand(!contactIDs.contains { given.contains($0 ?? []) }, "it offers the invalid contact ID")
            }
        }
    }
}
