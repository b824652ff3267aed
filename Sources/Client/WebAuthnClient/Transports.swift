/// The transports of an authenticator, as in its getInfo and in a page's `getTransports()`. Source: WebAuthn Level 3
/// sections 5.2.1 and 5.8.4.
public enum Transports {
    /// The transports of an authenticator that was reached over the hybrid transport and gives none.
    public static let standard = ["hybrid", "internal"]

    private static let hybrid = "hybrid"
    /// The earlier name of `hybrid` (HT-CTAP-21).
    private static let cable = "cable"

    private static let maxCount = 16
    private static let maxByteCount = 32

    /// Each once, sorted, under their present names; those without the form of a name are left out.
    static func normalized(_ transports: [String]) -> [String] {
        let names = transports.prefix(maxCount).filter { (1...maxByteCount).contains($0.utf8.count) }
            .filter { $0.utf8.allSatisfy { $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") } }
        return Set(names.map { $0 == cable ? hybrid : $0 }).sorted()
    }
}
