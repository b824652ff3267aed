/// The instant in a Date header, in the form that servers send: `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Source: RFC 9110 section 5.6.7, IMF-fixdate.
package enum HTTPDate {
    private static let byteCount = 29
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// 1970-01-01 was a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let secondsOfDay: Int64 = 86_400
    /// The last second of the year 9999: the form has four digits.
    private static let last: Int64 = 253_402_300_799

    /// The header's value for an instant of 1970 to 9999; other instants are brought into that range.
    package static func text(_ seconds: Int64) -> String {
        let seconds = min(max(seconds, 0), last)
        let days = seconds / secondsOfDay
        let rest = seconds % secondsOfDay
        let (year, month, day) = date(days)
        let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map(padded).joined(separator: ":")
        return "\(weekdays[Int(days % 7)]), \(padded(day)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    /// Seconds since 1970; nil for another form.
    package static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count == byteCount, text.hasSuffix(" GMT") else { return nil }
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 6, let day = number(parts[1]), let month = months.firstIndex(of: parts[2]),
            let year = number(parts[3])
        else { return nil }
        let clock = parts[4].split(separator: ":").map { number(String($0)) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (1...31).contains(day), hour < 24, minute < 60, second <= 60, year >= 1970
        else { return nil }
        return days(year, month + 1, day) * secondsOfDay + hour * 3_600 + minute * 60 + second
    }

    /// Digits only: the standard parser takes a sign.
    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int64(text) : nil
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
    private static func days(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * Int64((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    /// The date of a number of days since 1970-01-01, which is not negative.
    private static func date(_ days: Int64) -> (year: Int64, month: Int, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
