internal import CBOR
internal import Cryptography
internal import HybridProtocol

/// Cases of the updates that an authenticator sends, and of the links that it offers in them.
enum AuthenticatorLinkCases {
    private static let update = Group<AuthenticatorStage>(
        role: .authenticator, name: "update", source: "CTAP 2.2 section 11.5.1, updates and linking data")
    private static let link = Group<AuthenticatorStage>(
        role: .authenticator, name: "link", source: "CTAP 2.2 section 11.5.1, updates and linking data")

    static let all = updates + offers + sessions + faults.map { disturbed($0.name, $0.rule, $0.fault) }

    /// The length of an update with its type byte, before its frame is padded or, as some may read it, after that.
    private static let updateByteCounts = [512, 512 + Direction.blockByteCount]

    // MARK: - Updates

    /// The updates of a session.
    private static func sends(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain, linking: CBORValue? = false,
        _ check: @escaping @Sendable (AuthenticatorStage.LinkingSession) throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        update.behaves(name, rule, certainty) { stage in
            try check(try await stage.withContactSide { try await stage.links(linking, $0) })
        }
    }

    /// Each update of a session, if there is one.
    private static func each(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain, linking: CBORValue? = false,
        _ check: @escaping @Sendable (PlayedSession.Update, CBORMap) throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        sends(name, rule, certainty, linking: linking) { played in
            guard !played.updates.isEmpty else { throw NotApplicable("it sends no update") }
            for update in played.updates {
                guard let map = try? CBORValue.decode(update.payload.span).mapValue else {
                    throw Deviation("its update is no map of canonical CBOR")
                }
                try check(update, map)
            }
        }
    }

    private static let updates = [
        sends("not-offered-false", "no link is offered to a client whose code has key 4 false", .secondHand) { played in
            try demand(try played.linking().isEmpty, "it offers a link")
        },
        sends("not-offered-absent", "no link is offered to a client whose code has no key 4", .secondHand, linking: nil)
        { played in
            try demand(try played.linking().isEmpty, "it offers a link")
        },
        sends("success", "a session with updates goes well", linking: true) { played in
            try demand(played.status == 0, "it ends with exit status \(played.status)")
        },
        each("map", "an update is a map of canonical CBOR", .secondHand) { _, _ in },
        each("512-bytes", "an update without linking data has 512 bytes, as many as one with them", .secondHand) {
            update, _ in
            try demand(updateByteCounts.contains(update.paddedByteCount), "it has \(update.paddedByteCount), padded")
        },
        each("keys", "an update has the keys 0 and 1 alone", .secondHand) { _, map in
            try demand(
                map.entries.allSatisfy { [0, 1].contains($0.key.unsignedValue ?? 9) }, "its update has other keys")
        },
        each("filler", "what fills an update is zeros under key 0", .secondHand) { _, map in
            guard let filler = map[0] else { return }
            guard let bytes = filler.bytesValue else { throw Deviation("key 0 of its update is no bytes") }
            try demand(bytes.allSatisfy { $0 == 0 }, "its filler is not all zeros")
        },
        sends("always", "every session from a QR code has one update, whether there is a link or not", .disputed) {
            played in
            throw Observation("sends \(played.updates.count)")
        },
        sends("moment", "an update follows the first message at once", .disputed, linking: true) { played in
            guard let update = played.updates.first else { throw Observation("sends none") }
            throw Observation(update.position == 1 ? "before the answer" : "after the answer")
        },
    ]

    // MARK: - What is offered

    /// The link that the authenticator offers.
    private static func offers(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ check: @escaping @Sendable (ReceivedLink) throws -> Void
    ) -> PlayedCase<AuthenticatorStage> {
        link.behaves(name, rule, certainty) { stage in try check(try await stage.link()) }
    }

    private static func length(_ name: String, _ key: Int, _ byteCount: Int) -> PlayedCase<AuthenticatorStage> {
        offers("\(name)-length", "a \(name.replacing("-", with: " ")) has \(byteCount) bytes") { link in
            let bytes = try link.bytes(key)
            try demand(bytes.count == byteCount, "it has \(bytes.count) bytes")
        }
    }

    private static let offers = [
        offers("complete", "linking data have the keys 1 to 6") { link in
            for key in LinkingKey.contactID...LinkingKey.signature {
                try demand(link.map[key] != nil, "key \(key) is missing")
            }
        },
        offers("contact-id", "a contact ID is bytes, and not empty") { link in
            try demand(try !link.contactID.isEmpty, "it is empty")
        },
        length("link-id", LinkingKey.linkID, LinkID.byteCount),
        length("secret", LinkingKey.secret, 32),
        length("public-key", LinkingKey.publicKey, P256.uncompressedByteCount),
        length("signature", LinkingKey.signature, HMACSHA256.byteCount),
        offers("public-key-point", "a public key is an uncompressed point of the curve") { link in
            let publicKey = try link.publicKey
            try demand(try publicKey.uncompressed == link.bytes(LinkingKey.publicKey), "it has another form")
        },
        offers("name", "a name is text") { link in
            try demand(link.map[LinkingKey.name]?.textValue != nil, "it is none")
        },
        offers("secret-random", "a secret is random") { link in
            try demand(Set(try link.bytes(LinkingKey.secret)).count > 4, "it has four different bytes or less")
        },
        offers("signature", "a signature proves the public key's owner, for this client and session") { link in
            let right = try LinkableSession.signature(link.client, link.publicKey, link.handshakeHash)
            try demand(try link.bytes(LinkingKey.signature) == right, "it is wrong")
        },
        offers("canonical", "an update with linking data is canonical CBOR", .secondHand) { link in
            do throws(CBORError) { _ = try CBORValue.decode(link.update.payload.span) } catch {
                throw Deviation("its update is not: \(error.reason)")
            }
        },
        offers("512-bytes", "an update with linking data has 512 bytes, unless its contact ID is too long", .secondHand)
        {
            link in
            let byteCount = link.update.paddedByteCount
            let isLong = try link.contactID.count > 128
            try demand(updateByteCounts.contains(byteCount) || isLong, "it has \(byteCount), padded")
        },
        link.behaves("as-long", "an update with linking data is as long as one without", .secondHand) { stage in
            let link = try await stage.link()
            let other = try await stage.withContactSide { try await stage.links(false, $0) }
            guard let filler = other.updates.first else { throw Deviation("without linking data it sends no update") }
            try demand(
                filler.paddedByteCount == link.update.paddedByteCount,
                "they have \(link.update.paddedByteCount) and \(filler.paddedByteCount) bytes")
        },
        offers("once", "a session offers one link, in one update", .secondHand) { link in
            try demand(link.updateCount == 1, "it sends \(link.updateCount) updates")
        },
        offers("registered", "a contact ID is known to the tunnel service before the client is told", .secondHand) {
            link in
            guard !link.registered.isEmpty else { throw NotApplicable("it does not use this kind of tunnel service") }
            try demand(
                try link.registered[link.linkID] == link.contactID,
                "it offers another contact ID than was given for the link ID")
        },
    ]

    // MARK: - Sessions

    private static let sessions = [
        link.behaves("second", "two sessions have two links, by two secrets, of one public key", .secondHand) { stage in
            let first = try await stage.link()
            let second = try await stage.withContactSide { try await stage.makeLink($0) }
            try demand(try first.linkID != second.linkID, "it uses a link ID twice")
            try demand(try first.secret.bytes != second.secret.bytes, "it uses a secret twice")
            try demand(try first.publicKey == second.publicKey, "it has two public keys")
            let signature = LinkingKey.signature
            try demand(try first.bytes(signature) != second.bytes(signature), "it uses a signature twice")
        },
        link.survives("client-leaves", "a client may leave before it is offered a link") { stage in
            try await stage.withContactSide { side in
                let code = try TestCode().with(TestCode.Key.linking, true)
                try await stage.peer.start(stage.links.link, url: code.url)
                guard let request = try await stage.peer.awaits("its request", { try await side.requests.next() })
                else {
                    return
                }
                let session = try await stage.connected(stage.meet(request, code))
                await session.socket.close()
                try await stage.peer.ended()
            }
        },
    ]

    private static let faults: [(name: String, rule: String, fault: ContactSide.Fault)] = [
        ("404", "a tunnel service without a contact side", .status(404)),
        ("503", "a contact side that is not available", .status(503)),
        ("silent", "a contact side that says nothing", .silent),
        ("text", "a contact side that sends text", .begins(WireFrame(opcode: WireFrame.Opcode.text, payload: [0x61]))),
        ("no-hello", "a contact side that begins with nonsense", .begins(WireFrame(payload: [0xA0]))),
        ("closed", "a contact side that closes", .begins(.close(4401))),
        ("no-contact-id", "a contact side that gives no contact ID", .gives([])),
        ("two-contact-ids", "a contact side that gives more than it was asked for", .gives([[1], [2]])),
        ("empty-contact-id", "a contact side that gives an empty contact ID", .gives([[]])),
    ]

    /// A contact side with a fault: there is no link, and the session does not suffer.
    private static func disturbed(
        _ name: String, _ rule: String, _ fault: ContactSide.Fault
    ) -> PlayedCase<AuthenticatorStage> {
        link.survives(
            "service-\(name)", "\(rule) does not disturb the session", .secondHand,
            source: "the contact side of this project's tunnel service"
        ) { stage in
            let played = try await stage.withContactSide(fault) { try await stage.links(true, $0) }
            try demand(played.status == 0, "it ends with exit status \(played.status)")
            let contactIDs = try played.linking().map { $0.map[LinkingKey.contactID]?.bytesValue }
            if case .gives(let given) = fault {
                try demand(!contactIDs.contains { given.contains($0 ?? []) }, "it offers what the contact side gave")
            }
        }
    }
}
