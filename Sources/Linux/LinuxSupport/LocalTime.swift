internal import Glibc

/// Times as people read them: in this machine's time zone. Lines for programs have seconds since 1970.
package enum LocalTime {
    /// A time to the minute: `2026-11-21 18:22`.
    ///
    /// - Parameter seconds: seconds since 1970.
    package static func text(_ seconds: Int64) -> String { format(seconds, "%Y-%m-%d %H:%M") }

    /// The day of a time: `2026-11-21`.
    package static func day(_ seconds: Int64) -> String { format(seconds, "%Y-%m-%d") }

    private static let longest = 64

    private static func format(_ seconds: Int64, _ format: String) -> String {
        var time = time_t(seconds)
        var parts = tm()
        // A year that the C library's field cannot hold: damaged, and still no reason to show nothing.
        guard localtime_r(&time, &parts) != nil else { return "\(seconds) s after 1970" }
        return String(unsafeUninitializedCapacity: longest) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, format, &parts) }
        }
    }
}
