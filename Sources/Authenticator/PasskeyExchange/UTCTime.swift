/// Times of day in UTC as texts (RFC 3339), in seconds since 1970.
enum UTCTime {
    private static let secondsPerDay: Int64 = 86_400
    /// The years that are written and read.
    private static let years: ClosedRange<Int64> = 1...9999
    private static let daysPerMonth: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    /// The days from the first day of year 1 to that of 1970.
    private static let epoch = days(beforeYear: 1970)

    /// The seconds of a text such as `2026-11-24T05:36:22.123Z`, without the fraction; nil for another form.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        for (index, byte) in [4: "-", 7: "-", 10: "T", 13: ":", 16: ":"] as [Int: Unicode.Scalar]
        where bytes[index] != UInt8(ascii: byte) { return nil }
        let fraction = bytes[19..<bytes.count - 1]
        guard fraction.isEmpty || fraction.count > 1 && fraction.first == UInt8(ascii: "."),
            fraction.dropFirst().allSatisfy(isDigit)
        else { return nil }
        guard let year = number(bytes[0..<4]), years.contains(year), let month = number(bytes[5..<7]),
            (1...12).contains(month), let day = number(bytes[8..<10]), (1...length(month, year)).contains(day),
            let hour = number(bytes[11..<13]), hour < 24, let minute = number(bytes[14..<16]), minute < 60,
            let second = number(bytes[17..<19]), second <= 60
        else { return nil }
        let days = days(beforeYear: year) - epoch + (1..<month).reduce(0) { $0 + length($1, year) } + day - 1
        return days * secondsPerDay + hour * 3600 + minute * 60 + second
    }

    /// The text of a time; those outside of the years 1 to 9999 are written as the nearest year's beginning.
    static func text(_ seconds: Int64) -> String {
        let latest = (days(beforeYear: years.upperBound) - epoch) * secondsPerDay
        let seconds = min(max(seconds, -epoch * secondsPerDay), latest)
        var days = (seconds >= 0 ? seconds : seconds - secondsPerDay + 1) / secondsPerDay
        let ofDay = seconds - days * secondsPerDay
        days += epoch
        var year = days / 366 + 1
        while self.days(beforeYear: year + 1) <= days { year += 1 }
        days -= self.days(beforeYear: year)
        var month: Int64 = 1
        while days >= length(month, year) {
            days -= length(month, year)
            month += 1
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(days + 1, 2))"
        return "\(date)T\(padded(ofDay / 3600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2)).000Z"
    }

    private static func days(beforeYear year: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }

    private static func length(_ month: Int64, _ year: Int64) -> Int64 {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return daysPerMonth[Int(month) - 1] + (month == 2 && isLeap ? 1 : 0)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.allSatisfy(isDigit) ? digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } : nil
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
