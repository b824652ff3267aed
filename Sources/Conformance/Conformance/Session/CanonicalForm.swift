internal import Encodings

/// The canonical form of CBOR (CTAP 2.2 section 8). CBOR that is well-formed and not canonical breaks a rule of its
/// own; the cases of other rules read it all the same.
enum CanonicalForm {
    /// The fault of CBOR that is well-formed and not canonical; nil of canonical CBOR, and of bytes that are not
    /// CBOR at all.
    static func fault(_ bytes: [UInt8]) -> String? {
        do throws(CBORError) {
            _ = try CBORValue.decode(bytes.span)
            return nil
        } catch {
            return (try? CBORValue.decodeLenient(bytes.span)).map { _ in "\(error.code.rawValue): \(error.reason)" }
        }
    }

    /// The same value in canonical form; the bytes as they are if they are canonical, or not CBOR at all.
    static func of(_ bytes: [UInt8]) -> [UInt8] {
        guard fault(bytes) != nil, let value = try? CBORValue.decodeLenient(bytes.span) else { return bytes }
        return value.encoded()
    }
}
