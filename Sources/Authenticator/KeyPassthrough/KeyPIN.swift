package import Cryptography

/// A PIN that was typed, on its way to the key. It has no description, and is wiped when nothing holds it any more.
package final class KeyPIN: Sendable {
    /// The shortest PIN, in characters, and the longest, in bytes of UTF-8 (CTAP 2.2 section 6.5.1).
    package static let minCharacterCount = 4
    package static let maxByteCount = 63

    /// The PIN in UTF-8, and a zero byte.
    private let terminated: SecretBytes
    /// True if no key has such a PIN: it is not one character of text, too short or too long.
    package let isImpossible: Bool

    /// Takes the typed bytes: UTF-8.
    package init(_ typed: borrowing SecretBytes) {
        // With room for the zero byte: an array that grows leaves its old memory behind unwiped.
        var text = SecretArray(capacity: typed.count + 1)
        text.append(typed.span)
        // A continuation byte begins no character.
        let characterCount = text.bytes.count { $0 & 0xC0 != 0x80 }
        isImpossible =
            characterCount < Self.minCharacterCount || text.count > Self.maxByteCount || text.bytes.contains(0)
        text.bytes.append(0)
        terminated = SecretBytes(copying: text.span)
    }

    /// Runs `body` with the PIN as a C string, which lives as long as that.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value { Self.withCString(terminated, body) }

    private static func withCString<Value>(
        _ terminated: borrowing SecretBytes, _ body: (UnsafePointer<CChar>) -> Value
    ) -> Value {
        terminated.span.withUnsafeBufferPointer { buffer in
            // It has its zero byte at least; without memory it would be the empty PIN, which no key has.
            guard let start = buffer.baseAddress else { return "".withCString(body) }
            return start.withMemoryRebound(to: CChar.self, capacity: buffer.count) { body($0) }
        }
    }
}
