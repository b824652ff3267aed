@_exported public import Encodings
internal import LinuxSupport

/// Failure to verify the user.
public typealias VerificationError = CodedError<VerificationErrorCode>

/// Kind of error.
public struct VerificationErrorCode: ErrorCode {
    /// The name.
    public let rawValue: String

    /// Makes a code from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension VerificationError {
    /// The refusal with which the question ends.
    public var refusal: Approval.Refusal {
        switch code {
        case .declined: .declined
        case .timeout: .timedOut
        case .cancelled: .cancelled
        case .notEnrolled: .notEnrolled
        case .noMatch: .failed
        case .tooManyAttempts: .blocked
        default: .unavailable
        }
    }
}

extension VerificationErrorCode {
    /// The user refused, or closed the dialogue.
    public static let declined = Self(rawValue: "declined")
    /// Nobody answered in time.
    public static let timeout = Self(rawValue: "timeout")
    /// The task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The user has not set up this method of verification, for instance no finger.
    public static let notEnrolled = Self(rawValue: "not-enrolled")
    /// It was another's finger, or a wrong password.
    public static let noMatch = Self(rawValue: "no-match")
    /// It failed too often.
    public static let tooManyAttempts = Self(rawValue: "too-many-attempts")
    /// The desktop has no authentication agent, which would show the question.
    public static let noAgent = Self(rawValue: "no-agent")
    /// The desktop does not know our question: its policy file is not installed.
    public static let notInstalled = Self(rawValue: "not-installed")
    /// The service would say yes without asking anybody.
    public static let notAsked = Self(rawValue: "not-asked")
    /// The service refuses us.
    public static let notPermitted = Self(rawValue: "not-permitted")
    /// The service on the bus is run by a user who is not to be believed.
    public static let untrustedService = Self(rawValue: "untrusted-service")
    /// There is no such service on this machine, or no message bus.
    public static let noService = Self(rawValue: "no-service")
    /// There is no device to verify with.
    public static let noDevice = Self(rawValue: "no-device")
    /// Another program uses the device.
    public static let deviceBusy = Self(rawValue: "device-busy")
    /// The service or its device went away in the middle.
    public static let lost = Self(rawValue: "lost")
    /// The question is longer than the service's dialogue can show, and nothing else can show it.
    public static let tooLong = Self(rawValue: "too-long")
    /// The service failed, or does not keep to its interface.
    public static let serviceFailed = Self(rawValue: "service-failed")
    /// The count of failed verifications cannot be kept, and so nobody is verified.
    package static let countNotKept = Self(rawValue: "count-not-kept")
}

extension VerificationError {
    /// Maps an error of the message bus, where the service gives it no meaning of its own.
    ///
    /// - Parameters:
    ///   - error: the bus's or the peer's error.
    ///   - service: the service's name.
    init(_ error: DBusError, of service: String) {
        let code: Code =
            switch (error.code, error.name) {
            case (.cancelled, _): .cancelled
            case (.timeout, _), (_, DBusError.Name.timeout): .serviceFailed
            case (.noBus, _), (.invalidAddress, _), (_, DBusError.Name.serviceUnknown),
                (_, DBusError.Name.nameHasNoOwner):
                .noService
            case (.notPermitted, _), (_, DBusError.Name.accessDenied): .notPermitted
            case (.disconnected, _), (_, DBusError.Name.noReply), (_, DBusError.Name.disconnected): .lost
            default: .serviceFailed
            }
        self.init(code, reason: "\(service): \(error.reason)")
    }

    /// A message of the service's does not fit its interface.
    static func wrongType(_ member: String, of service: String) -> Self {
        Self(.serviceFailed, reason: "\(service): \(member) returned an unexpected type")
    }
}

extension DBusConnection {
    /// Calls a method whatever becomes of the calling task: to tidy up. The service's answer makes no difference.
    func tidy(_ call: DBusCall) async {
        _ = await Task { try? await self.call(call, within: tidyingLimit) }.value
    }
}

/// Longest time for a call that tidies up.
private let tidyingLimit = Duration.seconds(3)
