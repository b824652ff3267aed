internal import Encodings
internal import HybridProtocol

// CBOR as the protocol uses it, what the sealed frames hold, and whole sessions (the articles CanonicalCBOR, Messages
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
