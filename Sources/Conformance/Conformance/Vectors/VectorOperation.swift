internal import Cryptography
internal import Encodings
internal import HybridProtocol

/// Something that a case can ask for: a layer's function, from named inputs to named outputs.
struct VectorOperation: Sendable {
    /// From a case's input to the fields that are compared with its expectation, in the order of the project's files.
    /// Errors of the implementation are refusals.
    typealias Body = @Sendable (CaseFields) throws -> CaseFields

    let name: String
    let layer: String
    /// Nil for an operation that this implementation knows of but does not have.
    let perform: Body?

    init(_ name: String, _ layer: String, _ perform: Body?) {
        self.name = name
        self.layer = layer
        self.perform = perform
    }

    /// Every operation that vectors may name.
    static let all: [VectorOperation] =
        digits + invitations + tunnels + contacts + keys + linkedKeys + adverts + cbor + noise + transport + messages
        + linking + sessions + l2cap + ctaphid + handOvers

    static func named(_ name: String) -> VectorOperation? { byName[name] }

    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}

// Requests of a linked client to a tunnel service for its authenticator (the article StateAssistedTransactions of
// HybridProtocol).

extension VectorOperation {
    static let contacts = [
        VectorOperation("tunnel.contact-url", "tunnel-domain") { input in
            let service = try service(input)
            return ["url": .string(TunnelURL.contact(try ContactID(try input.bytes("contact_id")), at: service).text)]
        },
        VectorOperation("contact-id.parse", "tunnel-domain") { input in
            ["contact_id": .hex(try ContactID(base64URL: try input.text("text")).bytes)]
        },
        VectorOperation("contact-request.encode", "tunnel-domain") { input in
            let request = try ContactRequest(
                linkID: LinkID(try input.bytes("link_id")), nonce: ClientNonce(try input.bytes("nonce")),
                hint: try hint(input))
            return ["payload": .hex(request.encoded()), "header": .string(request.headerValue)]
        },
        VectorOperation("contact-request.parse", "tunnel-domain") { input in
            let request = try ContactRequest(headerValue: try input.text("header"))
            return [
                "link_id": .hex(request.linkID.bytes), "nonce": .hex(request.nonce.bytes),
                "hint": .string(request.hint.rawValue),
            ]
        },
    ]

    static func hint(_ input: CaseFields) throws(VectorError) -> RequestHint {
        guard let hint = RequestHint(rawValue: try input.text("hint")) else { throw input.mistyped("hint", "a hint") }
        return hint
    }
}

// Messages on an L2CAP channel (the article L2CAP of HybridProtocol).

extension VectorOperation {
    static let l2cap = [
        VectorOperation("l2cap.split", "l2cap") { input in
            // A stream without pieces, in which whatever stands before a terminator is a message.
            var assembler = MessageAssembler(piecesAreMessages: false)
            let buffer = try input.bytes("buffer")
            try assembler.append(buffer, mayEnd: false)
            var messages: [JSONValue] = []
            while let message = try assembler.next(where: { _ in true }, { (bytes, _) in bytes }) {
                messages.append(.hex(message))
            }
            return ["messages": .array(messages), "rest": .hex(assembler.rest)]
        },
        VectorOperation("l2cap.receive", "l2cap") { input in
            var assembler = MessageAssembler(piecesAreMessages: false)
            let key = try input.bytes("key")
            var opener = try FrameOpener(key: key.span)
            var handshakesLeft: Int = try input.integer("handshake_messages")
            var messages: [JSONValue] = []
            for piece in try input.byteStrings("pieces") {
                try assembler.append(piece)
                if handshakesLeft > 0 {
                    guard let message = assembler.nextHandshakeMessage() else { continue }
                    handshakesLeft -= 1
                    messages.append(.hex(message))
                }
                while let message = try assembler.next({ (bytes, _) throws(HybridProtocolError) in
                    try opener.openIfFrame(bytes)
                }) {
                    messages.append(.hex(message))
                }
            }
            return [
                "messages": .array(messages), "rest": .hex(assembler.isBetweenMessages ? [] : assembler.rest),
            ]
        },
    ]
}

// The QR code: its digits, its text and its contents (the article QRCode of HybridProtocol).

extension VectorOperation {
    static let digits = [
        VectorOperation("digits.encode", "qr-digits") { input in
            let bytes = try input.bytes("bytes")
            return ["digits": .string(QRDigits.encode(bytes.span))]
        },
        VectorOperation("digits.decode", "qr-digits") { input in
            let digits = Array(try input.text("digits").utf8)
            return ["bytes": .hex(try QRDigits.decode(digits.span))]
        },
    ]

    static let invitations = [
        VectorOperation("invitation.parse", "qr-contents") { input in
            let url = try input.text("url")
            return try contents(of: Invitation(url: url))
        },
        VectorOperation("invitation.decode", "qr-contents") { input in
            let cbor = try input.bytes("cbor")
            return try contents(of: Invitation(cbor: cbor.span))
        },
        VectorOperation("invitation.encode", "qr-contents") { input in
            let (point, secret) = (try input.bytes("public_key"), try input.bytes("secret"))
            let invitation = try Invitation(
                clientPublicKey: try P256.PublicKey(x963: point.span), secret: SecretBytes(copying: secret.span),
                details: try details(input))
            return ["cbor": .hex(invitation.encodedCBOR()), "url": .string(invitation.url())]
        },
    ]

    /// The secret's key in the encoded map: an invitation does not show it otherwise.
    private static let secretKey = 1

    private static func contents(of invitation: borrowing Invitation) throws -> CaseFields {
        let details = invitation.details
        return [
            "public_key": .hex(invitation.clientPublicKey.compressed),
            "secret": .hex(try secret(of: invitation)),
            "known_domains": .integer(Int64(clamping: details.knownDomainCount ?? 0)),
            "timestamp": details.timestamp.map { .integer(Int64(clamping: $0)) } ?? .null,
            "linking": details.supportsLinking.map { .bool($0) } ?? .null,
            "hint": .string(details.hint.rawValue),
            "channels": .array(details.channels.map { .integer(Int64(clamping: $0.rawValue)) }),
        ]
    }

    static func secret(of invitation: borrowing Invitation) throws -> [UInt8] {
        try CBORValue.decode(invitation.encodedCBOR().span).mapValue?[secretKey]?.bytesValue ?? []
    }

    private static func details(_ input: CaseFields) throws(VectorError) -> Invitation.Details {
        guard let hint = RequestHint(rawValue: try input.text("hint")) else { throw input.mistyped("hint", "a hint") }
        var channels: [ChannelIdentifier] = []
        for value in try input.array("channels") {
            let number: UInt64? = value.integer()
            guard let known = number.flatMap(ChannelIdentifier.init) else {
                throw input.mistyped("channels", "known channels")
            }
            channels.append(known)
        }
        return Invitation.Details(
            knownDomainCount: try input.integer("known_domains"),
            timestamp: try input.integerIfAny("timestamp"),
            supportsLinking: try input.booleanIfAny("linking"),
            hint: hint,
            channels: channels)
    }
}

// CBOR as the protocol uses it, the messages in sealed frames, and whole sessions (the articles CanonicalCBOR, Messages
// and Ceremony of HybridProtocol).

extension VectorOperation {
    static let cbor = [
        VectorOperation("cbor.canonical", "cbor") { input in
            let cbor = try input.bytes("cbor")
            return ["cbor": .hex(try CBORValue.decode(cbor.span).encoded())]
        }
    ]

    static let messages = [
        VectorOperation("message.decode", "message") { input in
            let plaintext = try input.bytes("plaintext")
            let message = try Message(decoding: plaintext.span)
            return ["type": .string(name(of: message.type)), "payload": .hex(message.contents)]
        },
        VectorOperation("first-message.parse", "message") { input in
            let plaintext = try input.bytes("plaintext")
            let received = try ReceivedFirstMessage(decoding: plaintext.span)
            let message = received.message
            let features = FirstMessage.Feature.allCases.filter(message.features.contains)
            return [
                "revision": .integer(Int64(message.revision.rawValue)),
                "features": .array(features.map { .string($0.rawValue) }),
                "get_info": .hex(message.getInfo),
                "has_linking": .bool(received.linking != nil),
            ]
        },
        VectorOperation("first-message.encode", "message") { input in
            var features: Set<FirstMessage.Feature> = []
            for name in try input.texts("features") {
                guard let feature = FirstMessage.Feature(rawValue: name) else {
                    throw input.mistyped("features", "known features")
                }
                features.insert(feature)
            }
            let message = try FirstMessage(getInfo: try input.bytesIfAny("get_info"), features: features)
            return ["plaintext": .hex(message.encoded())]
        },
        VectorOperation("revision-0.unpad", "message") { input in
            let plaintext = try input.bytes("plaintext")
            return ["cbor": .hex(try FirstMessage.unpadRevision0(plaintext.span))]
        },
        VectorOperation("update.parse", "message") { input in
            let payload = try input.bytes("payload")
            let update = try Update(decoding: payload.span)
            return ["has_linking": .bool(update.linking != nil)]
        },
        VectorOperation("update.encode", "message") { input in
            guard let linking = try input.bytesIfAny("linking") else {
                return ["plaintext": .hex(Message.update(Update.encoded()).plaintext)]
            }
            guard let map = try CBORValue.decode(linking.span).mapValue else {
                throw input.mistyped("linking", "a map")
            }
            return ["plaintext": .hex(Message.update(Update.encoded(linking: map)).plaintext)]
        },
    ]

    private static func name(of type: MessageType) -> String {
        switch type {
        case .shutdown: "shutdown"
        case .ctap: "ctap"
        case .update: "update"
        case .json: "json"
        }
    }

    static let sessions = [
        VectorOperation("session.authenticator", "session", AuthenticatorReplay.run),
        VectorOperation("session.client", "session", ClientReplay.run),
        VectorOperation("session.linked-authenticator", "session", LinkedAuthenticatorReplay.run),
        VectorOperation("session.linked-client", "session", LinkedClientReplay.run),
    ]
}

/// The authenticator's side of a whole state-assisted session, by the types that it uses (the article
/// StateAssistedTransactions of HybridProtocol).
enum LinkedAuthenticatorReplay {
    static func run(_ input: CaseFields) throws -> CaseFields {
        let frames = try SessionFrame.all(input, me: "authenticator")
        return try CaseSteps.run(count: frames.count + 1) { steps in
            var fields: CaseFields = [:]
            let connected = try handshake(input, &fields)
            steps.advance()
            fields["results"] = .hexes(
                try AuthenticatorReplay.play(frames, after: connected, input: input, steps: &steps, fields: &fields))
            return SessionKeys.ordered(fields)
        }
    }

    private static func handshake(
        _ input: CaseFields,
        _ fields: inout CaseFields
    ) throws -> ConnectedAuthenticator {
        let (payload, messageIn) = (try input.bytes("payload"), try input.bytes("message_1"))
        let request = try ContactRequest(decoding: payload.span)
        let contactID = try ContactID(try input.bytes("contact_id"))
        let root = try VectorOperation.root(input)
        let secret = try root.linkSecret(contactID: contactID, linkID: request.linkID).bytes.copiedBytes
        let woken = try WokenSession(request, contactID: contactID, root: root)
        let plaintext = try LinkedAdvertPlaintext(random: try input.bytes("advert_random"))
        fields["link_secret"] = .hex(secret)
        fields["identity_private"] = .hex(try root.identityKey().scalar().copiedBytes)
        fields["plaintext"] = .hex(plaintext.bytes)
        var advertKey = try woken.advertKey()
        fields["advert"] = .hex(try advertKey.seal(plaintext))
        let keys = SessionKeys.fields(secret: secret, salt: request.nonce.bytes, plaintext.bytes)
        fields.add(keys)
        let connected = try Responder(woken, advert: plaintext)
            .answer(messageIn.span, ephemeralKey: try VectorOperation.key(input, "ephemeral_private"))
        fields["message_2"] = .hex(connected.response)
        let presharedKey = SessionKeys.presharedKey(secret, plaintext.bytes)
        let again = try SessionKeys.responder(
            Handshake(
                .nkPSK0, role: .responder, staticKey: try root.identityKey(), presharedKey: presharedKey), input)
        fields.add(VectorOperation.fields(of: again))
        return connected
    }
}
