import ArgumentParser
import DesktopAuthenticator

/// The time for which the agent holds a vault open: `90s`, `15m`, `2h`, or a number of seconds.
struct HoldTime: ExpressibleByArgument, Sendable {
    /// 1 second to a day.
    let seconds: UInt32

    /// A quarter of an hour.
    static let usual = Self(seconds: 900)

    private static let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3_600]

    var defaultValueDescription: String { "15m" }

    private init(seconds: UInt32) { self.seconds = seconds }

    init?(argument text: String) {
        var digits = text[...]
        let unit = digits.last.flatMap { Self.units[$0] }
        if unit != nil { digits.removeLast() }
        guard digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = UInt32(digits)
        else { return nil }
        let (seconds, isTooMuch) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !isTooMuch, (1...AgentBus.longestHold).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// The time in words.
    static func words(_ seconds: UInt32) -> String {
        let (hours, minutes) = (seconds / 3_600, seconds % 3_600 / 60)
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }
}
