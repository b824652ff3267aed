/// Kind of program that a relying party's identifier belongs to.
package enum RelyingPartyKind {
    /// A site in a browser, whose identifier is a domain name, as clients send it: in ASCII (WebAuthn Level 3 section
    /// 5.1.3).
    case site
    /// A program of the client's machine, whose identifier is a URI: `ssh:` and any suffix for OpenSSH, `pam://HOST`
    /// for pam-u2f. An AppID of U2F is one, too.
    case localProgram

    /// Kind of an identifier; nil if it is neither a domain name nor a URI. Its length is not looked at.
    package init?(_ rpID: String) {
        let parts = rpID.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 1, Self.isDomain(parts[0]) {
            self = .site
        } else if parts.count > 1, Self.isScheme(parts[0]), parts[1].allSatisfy(Self.printable.contains) {
            self = .localProgram
        } else {
            return nil
        }
    }

    /// The longest label of a domain name, in bytes (RFC 1035 section 2.3.4).
    private static let maxLabelByteCount = 63
    private static let printable: ClosedRange<UInt8> = 0x20...0x7E
    /// Bytes of a label beside letters and digits; `_` is not in the names of hosts, but in use.
    private static let labelMarks = Array("-_".utf8)
    /// Bytes of a URI's scheme beside letters and digits (RFC 3986 section 3.1).
    private static let schemeMarks = Array("+-.".utf8)

    private static func isDomain(_ text: Substring.UTF8View) -> Bool {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...maxLabelByteCount).contains(label.count)
                && label.allSatisfy { isLetter($0) || isDigit($0) || labelMarks.contains($0) }
        }
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy { isLetter($0) || isDigit($0) || schemeMarks.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
