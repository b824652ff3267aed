import FoundationEssentials

/// The times that are kept with links.
enum LinkTime {
    /// Now, in seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
