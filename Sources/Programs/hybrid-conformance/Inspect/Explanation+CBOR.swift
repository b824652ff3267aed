import CommandLine
import Encodings
import HybridProtocol

extension Explanation {
    private static let indent = 2
    /// The length up to which a notation stays on one line.
    private static let lineLength = 80

    /// Explains bytes as a CBOR item: in diagnostic notation, and whether CTAP2 would take it.
    ///
    /// - Throws: ``Failure`` for bytes that are not an item, or one and something behind it.
    static func cbor(_ bytes: [UInt8]) throws -> Self {
        let value: CBORValue
        do throws(CBORError) {
            value = try .decodeLenient(bytes.span)
        } catch {
            throw Failure(
                .protocolViolation, code: error.code.rawValue, cause: "no CBOR item: \(error.reason)",
                hint: "check that nothing is missing and nothing follows; --as says it if it is something else")
        }
        let shown = discreet(value)
        let line = shown.diagnostic()
        return Self(
            .cbor, title(value), [("length", "\(bytes.count) bytes"), ("canonical", canonical(bytes))],
            notation: line.count <= lineLength ? line : shown.diagnostic(indent: indent))
    }

    private static func canonical(_ bytes: [UInt8]) -> String {
        do throws(CBORError) {
            _ = try CBORValue.decode(bytes.span)
            return "yes, as CTAP2 wants it"
        } catch {
            return "no: \(error.reason) (\(error.code.rawValue))"
        }
    }

    private static func title(_ value: CBORValue) -> String {
        switch value {
        case .map(let map): "a CBOR map with \(entries(map.count))"
        case .array(let elements): "a CBOR array with \(entries(elements.count))"
        case .bytes(let bytes): "a CBOR byte string of \(bytes.count) bytes"
        case .text(let text): "a CBOR text string of \(text.utf8.count) bytes"
        default: "a CBOR item"
        }
    }

    private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

    /// The item without the secret that it holds if it is the contents of a QR code.
    private static func discreet(_ value: CBORValue) -> CBORValue {
        guard var map = value.mapValue, Invitation.isLikelyContents(map) else { return value }
        map[1] = .text("the QR secret, not shown")
        return .map(map)
    }
}
