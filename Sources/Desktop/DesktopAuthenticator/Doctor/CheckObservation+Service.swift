internal import HybridTransport

// Observations of a tunnel service.

extension CheckObservation {
    static let resolves = Self("resolves", "the name has an address")
    static let unresolved = Self("unresolved", "the name has no address")
    static let connects = Self("connects", "something answers at its port")
    static let noTLS = Self("no-tls", "no TLS, which only this machine's own service may lack")
    static let otherName = Self("other-name", "it is for another name")
    static let untrusted = Self("untrusted", "no authority that is trusted here has signed it")
    static let noDate = Self("no-date", "the service does not tell its time")
    static let notRelayed = Self("not-relayed", "joined, but what came through is not what was sent")
    static let contactSide = Self("contact-side", "linked clients can wake an authenticator through it")
    static let noContactSide = Self(
        "no-contact-side", "it wakes no authenticators: a ceremony needs a QR code each time")

    /// - Parameters:
    ///   - code: the error of the connection.
    ///   - status: the HTTP status that it came with; nil if there was none.
    static func server(_ code: DataChannelError.Code, status: Int?) -> Self {
        Self(code.rawValue, code.text + (status.map { " (\($0))" } ?? ""))
    }

    static func certificate(daysLeft: Int) -> Self {
        Self("valid", "trusted, for this name, and good for \(words(daysLeft))")
    }

    static func expired(days: Int) -> Self { Self("expired", "it ended \(words(days)) ago, by this machine's clock") }

    static func notYetValid(days: Int) -> Self {
        Self("not-yet-valid", "it begins in \(words(days)), by this machine's clock")
    }

    /// - Parameter seconds: the difference of the clocks: the server's minus this machine's.
    static func clock(seconds: Int) -> Self {
        guard seconds != 0 else { return Self("clock", "this machine's clock agrees with the service's") }
        return Self(
            "clock",
            "this machine's clock is \(seconds.magnitude) s \(seconds > 0 ? "behind" : "ahead of") the service's")
    }

    static func opened(milliseconds: Int) -> Self { Self("opened", "a tunnel was opened in \(milliseconds) ms") }

    /// - Parameters:
    ///   - milliseconds: the time until a message had come through.
    ///   - status: the status for a tunnel that is not there; nil if the service took that too.
    static func relayed(milliseconds: Int, unknownTunnel status: Int?) -> Self {
        let unknown = status.map { "answered with \($0)" } ?? "taken too"
        return Self(
            "relayed",
            "joined, and a message came through, in \(milliseconds) ms; a tunnel that is not there is \(unknown)")
    }

    private static func words(_ days: Int) -> String {
        days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }
}
