import CTAP
import Captures
import CommandLine
import Encodings
import HybridProtocol

/// A message of a session in words.
struct MessageText {
    let summary: String
    /// The contents in a notation; nil where there are none, or they are not shown.
    var notation: String?
    /// The decrypted bytes; nil where they hold a link secret, or may do so, or values of `prf`.
    var bytes: [UInt8]?
    /// The kind, for programs.
    let kind: String

    init(_ message: CapturedMessage) {
        switch message.contents {
        case .handshake(let bytes):
            self.init("handshake message, \(bytes.count) bytes", bytes: bytes, kind: "handshake")
        case .sealed(let count): self.init("\(count) encrypted bytes", kind: "sealed")
        case .first(let bytes): self = Self.first(bytes)
        case .message(let bytes, isTyped: true): self = Self.typed(bytes, message.isFromClient)
        case .message(let bytes, isTyped: false): self = Self.ctap(bytes, message.isFromClient, all: bytes)
        }
    }

    private init(_ summary: String, notation: String? = nil, bytes: [UInt8]? = nil, kind: String) {
        self.summary = summary
        self.notation = notation
        self.bytes = bytes
        self.kind = kind
    }

    private static func first(_ bytes: [UInt8]) -> Self {
        do throws(HybridProtocolError) {
            let received = try ReceivedFirstMessage(decoding: bytes.span)
            let features = received.message.features.map(\.rawValue).sorted().joined(separator: ", ")
            let isLinked = received.hasLinking
            return Self(
                "first message, features \(features)\(isLinked ? ", with linking data, not shown" : "")",
                notation: received.message.getInfo.flatMap(diagnostic), bytes: isLinked ? nil : bytes, kind: "first")
        } catch {
            return Self("first message that cannot be read: \(error.reason)", kind: "first")
        }
    }

    private static func typed(_ bytes: [UInt8], _ isFromClient: Bool) -> Self {
        if bytes.first == MessageType.update.rawValue { return update(bytes) }
        do throws(HybridProtocolError) {
            switch try Message(decoding: bytes.span) {
            case .shutdown: return Self("shutdown", bytes: bytes, kind: "shutdown")
            case .payload(.ctap(let contents)): return ctap(contents, isFromClient, all: bytes)
            case .payload(.json(let text)):
                let what = isFromClient ? "digital-credential request" : "digital-credential answer"
                return Self("\(what), \(text.utf8.count) bytes", notation: quoted(text), bytes: bytes, kind: "json")
            case .update: return update(bytes)
            }
        } catch {
            return Self(
                "message of \(bytes.count) bytes that cannot be read: \(error.reason)", bytes: bytes, kind: "unreadable"
            )
        }
    }

    private static func update(_ bytes: [UInt8]) -> Self {
        do throws(HybridProtocolError) {
            let update = try Update(decoding: bytes.span.extracting(droppingFirst: 1))
            if update.hasLinking {
                return Self("update with linking data, not shown: it has the secret of the link", kind: "update")
            }
            return Self("update that says nothing", bytes: bytes, kind: "update")
        } catch {
            return Self("update that cannot be read, not shown: \(error.reason)", kind: "update")
        }
    }

    private static func ctap(_ contents: [UInt8], _ isFromClient: Bool, all bytes: [UInt8]) -> Self {
        guard let code = contents.first else { return Self("CTAP message without contents", kind: "ctap") }
        let name: String
        if isFromClient {
            name = CTAPCommand(rawValue: code).map { "\($0)" } ?? "CTAP command \(code), which hybrid does not carry"
        } else {
            name = CTAPStatus(rawValue: code).description
        }
        let rest = Array(contents.dropFirst())
        if !isFromClient, let value = try? CBORValue.decodeLenient(rest.span), let hidden = hidingPRF(value) {
            return Self("\(name), with values of prf, not shown", notation: hidden.diagnostic(), kind: "ctap")
        }
        return Self(name, notation: diagnostic(rest), bytes: bytes, kind: "ctap")
    }

    /// A response without its values of `prf`, with which sites derive keys; nil if it has none.
    private static func hidingPRF(_ response: CBORValue) -> CBORValue? {
        for key in [6, 8] {
            guard let outputs = response.mapValue?[key]?.mapValue, let prf = outputs[ExtensionIdentifier.prf],
                prf.mapValue?.entries.contains(where: { $0.key != .text("enabled") }) ?? true
            else { continue }
            let hidden = replacing(.text(ExtensionIdentifier.prf), in: outputs, by: .text("not shown"))
            return response.mapValue.map { replacing(.unsigned(UInt64(key)), in: $0, by: hidden) }
        }
        return nil
    }

    private static func replacing(_ key: CBORValue, in map: CBORMap, by value: CBORValue) -> CBORValue {
        .map(CBORMap(map.entries.map { CBORMap.Entry(key: $0.key, value: $0.key == key ? value : $0.value) }))
    }

    private static func diagnostic(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        guard let value = try? CBORValue.decodeLenient(bytes.span) else {
            return "\(bytes.count) bytes that are not a CBOR item"
        }
        return value.diagnostic()
    }
}
