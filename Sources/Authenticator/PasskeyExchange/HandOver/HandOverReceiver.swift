/// A vault that takes passkeys over.
package struct HandOverReceiver: Sendable, Hashable {
    /// The vault's own number: always the same, and no other vault's. 16 bytes.
    package let id: [UInt8]
    /// Its name, for people. It is the peer's text.
    package let name: String

    /// The length of an ID: 16 bytes.
    package static let idByteCount = 16
    /// The longest name: 64 bytes of UTF-8 (PX-HOV-9).
    package static let maxNameByteCount = 64

    /// Names a receiver. The name is cut.
    ///
    /// - Parameters:
    ///   - id: 16 bytes.
    ///   - name: for people.
    package init(id: [UInt8], name: String) {
        self.id = id
        self.name = Self.cut(name)
    }

    /// The beginning of a name that is not too long.
    package static func cut(_ name: String) -> String {
        var kept = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in name.unicodeScalars {
            byteCount += UTF8.width(scalar)
            guard byteCount <= maxNameByteCount else { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
