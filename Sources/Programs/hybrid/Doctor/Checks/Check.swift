import DesktopAuthenticator
import LinuxSupport

/// One thing that a role needs.
struct Check: Sendable {
    let name: CheckName
    /// The roles that need it.
    let roles: Set<DoctorRole>
    /// The tunnel service that is examined; nil for a check of this machine.
    let service: TunnelTarget.Name?
    let examine: @Sendable () async -> CheckResult

    /// The longest time of a check. Results that several checks share have shorter limits of their own.
    private static let limit = Duration.seconds(14)

    init(
        _ name: CheckName, for roles: Set<DoctorRole>, of service: TunnelTarget.Name? = nil,
        _ examine: @escaping @Sendable () async -> CheckResult
    ) {
        self.name = name
        self.roles = roles
        self.service = service
        self.examine = examine
    }

    /// Runs the check, and no longer than its time limit.
    func result() async -> CheckResult {
        await within(Self.limit) { await examine() } ?? .broken(.noAnswer, .startAgain)
    }
}

/// Runs `body`, and cancels it when the time is over.
///
/// - Returns: nil if it was cancelled.
func within<Value: Sendable>(
    _ limit: Duration, on timer: DeadlineTimer = .continuous, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    try? await timer.withTimeout(limit, body)
}
