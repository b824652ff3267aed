import FoundationEssentials

/// The times that are kept and shown with links.
enum LinkTime {
    /// Now, in seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// A time in words: `2026-11-21T18:22:44Z`.
    static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
