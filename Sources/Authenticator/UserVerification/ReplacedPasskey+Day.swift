internal import Glibc

extension ApprovalQuestion.ReplacedPasskey {
    /// The day on which it was made, as in " made on 2026-11-22", in UTC; empty if it is not known.
    var madeOn: String {
        guard let created, var time = time_t(exactly: created) else { return "" }
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "" }
        return " made on \(parts.tm_year + 1900)-\(Self.twoDigits(parts.tm_mon + 1))-\(Self.twoDigits(parts.tm_mday))"
    }

    private static func twoDigits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
