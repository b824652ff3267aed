internal import CBOR
internal import HybridProtocol

// CBOR as the protocol uses it (PROTOCOL.md 9), and what the sealed frames hold (7); whole sessions (0).

extension Operation {
    static let cbor = [
        Operation("cbor.canonical", "cbor") { input in
            let cbor = try input.bytes("cbor")
            return ["cbor": .hex(try CBORValue.decode(cbor.span).encoded())]
        }
    ]

    static let messages = [
        Operation("message.decode", "message") { input in
            let plaintext = try input.bytes("plaintext")
            let message = try Message(decoding: plaintext.span)
            return ["type": .text(name(of: message.type)), "payload": .hex(message.payload)]
        },
        Operation("first-message.parse", "message") { input in
            let plaintext = try input.bytes("plaintext")
            let message = try FirstMessage(decoding: plaintext.span)
            let features = FirstMessage.Feature.allCases.filter(message.features.contains)
            return [
                "revision": .integer(Int64(message.revision.rawValue)),
                "features": .array(features.map { .text($0.rawValue) }),
                "get_info": .hex(message.getInfo),
                "has_linking": .boolean(message.linking != nil),
            ]
        },
        Operation("first-message.encode", "message") { input in
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
        Operation("revision-0.unpad", "message") { input in
            let plaintext = try input.bytes("plaintext")
            return ["cbor": .hex(try FirstMessage.unpadRevision0(plaintext.span))]
        },
        Operation("update.parse", "message") { input in
            let payload = try input.bytes("payload")
            let update = try Update(decoding: payload.span)
            return ["has_linking": .boolean(update.linking != nil)]
        },
        Operation("update.encode", "message") { input in
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
        Operation("session.authenticator", "session", AuthenticatorReplay.run),
        Operation("session.client", "session", ClientReplay.run),
        Operation("session.linked-authenticator", "session", LinkedAuthenticatorReplay.run),
        Operation("session.linked-client", "session", LinkedClientReplay.run),
    ]
}
