/// How an authenticator can be reached, as its getInfo and a page's `getTransports()` say. Source: WebAuthn Level 3
/// sections 5.2.1 and 5.8.4.
public enum Transports {
    /// What is said of an authenticator that was reached over the hybrid transport and says nothing itself.
    public static let standard = ["hybrid", "internal"]

    private static let hybrid = "hybrid"
    /// What `hybrid` was called before (PROTOCOL.md 9).
    private static let cable = "cable"

    private static let maxCount = 16
    private static let maxByteCount = 32

    /// Each once, sorted, under today's names; those that have not the form of a name are left out.
    static func normalized(_ transports: [String]) -> [String] {
        let names = transports.prefix(maxCount).filter { (1...maxByteCount).contains($0.utf8.count) }
            .filter { $0.utf8.allSatisfy { $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") } }
        return Set(names.map { $0 == cable ? hybrid : $0 }).sorted()
    }
}
