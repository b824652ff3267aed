/// A part of a case's identifier: lower-case ASCII letters and digits in words, with single hyphens between them.
package struct CaseSlug: Sendable {
    /// The text.
    package let text: String

    /// Makes one of any text: whatever is neither a letter nor a digit of ASCII comes between two words.
    package init(_ text: String) {
        let words = text.lowercased().unicodeScalars.split { !Self.isWordCharacter($0) }
        self.text = words.map { String($0) }.joined(separator: "-")
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
    }
}
