import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport

/// The age of a QR code, by its own timestamp (HT-QR-32).
///
/// No other implementation checks it. Here it tells a code that was just shown from one that was photographed, printed
/// or sent around, as an attacker would do (CVE-2024-9956). A code need not have a timestamp.
struct CodeAge {
    /// The longest timeout of a WebAuthn ceremony: 10 minutes (WebAuthn 3, section 15.1; HT-QR-55).
    static let limit: UInt64 = 600
    /// The largest difference between the clocks of two machines, in seconds.
    static let tolerance: UInt64 = 120

    /// Refuses a code that is too old, or from the future. Anyone who makes a code writes its time: the check tells old
    /// codes from new ones, and stops no attacker.
    ///
    /// - Parameters:
    ///   - details: the details in the code.
    ///   - now: seconds since 1970.
    /// - Returns: false for a code that does not say when it was made.
    /// - Throws: ``Failure``.
    static func check(_ details: Invitation.Details, now: UInt64) throws -> Bool {
        guard let made = details.timestamp else { return false }
        if made > now {
            let ahead = made - now
            guard ahead > tolerance else { return true }
            throw Failure(
                .timeout, code: "future-code", stage: .qrScanned,
                cause: "the QR code is dated \(words(ahead)) from now", hint: clockHint)
        }
        let age = now - made
        guard age > limit + tolerance else { return true }
        throw Failure(
            .timeout, code: "old-code", stage: .qrScanned, cause: "the QR code was made \(words(age)) ago",
            hint: "let the client show a new one; \(clockHint)")
    }

    private static let clockHint: Sentence = "if only the clocks are wrong, give --allow-old"

    private static let units: [(seconds: UInt64, words: @Sendable (Int) -> Sentence)] = [
        (31_557_600, { Sentence(count: $0, one: "\($0) year", other: "\($0) years") }),
        (86_400, { Sentence(count: $0, one: "\($0) day", other: "\($0) days") }),
        (3_600, { Sentence(count: $0, one: "\($0) hour", other: "\($0) hours") }),
        (60, { Sentence(count: $0, one: "\($0) minute", other: "\($0) minutes") }),
        (1, { Sentence(count: $0, one: "\($0) second", other: "\($0) seconds") }),
    ]

    /// A time in its largest unit.
    static func words(_ seconds: UInt64) -> Sentence {
        for unit in units where seconds >= unit.seconds {
            return unit.words(Int(clamping: seconds / unit.seconds))
        }
        return "less than a second"
    }
}
