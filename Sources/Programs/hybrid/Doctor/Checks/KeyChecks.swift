import DesktopAuthenticator
import Glibc
import LinuxSupport
import SecurityKey

/// The places of the parts that a security key of `hybrid key` needs.
struct KeyPlaces: Sendable {
    /// The kernel's interface.
    let kernel: String
    /// The broker's socket.
    let broker: String
    /// The folders of udev's rules.
    let rules: [String]

    static let ofThisMachine = Self(
        kernel: UHIDDevice.path, broker: BrokerReportChannel.socketPath,
        rules: ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"])
}

/// The check of the requirements that `hybrid key` has, and no role. The broker is not called, since it would
/// make a key.
struct KeyChecks: Sendable {
    private static let rule = "69-hybrid-key.rules"

    private let places: KeyPlaces

    init(_ setup: DoctorSetup) { places = setup.keyPlaces }

    var checks: [Check] { [Check(.securityKey, for: [.client, .authenticator]) { examine() }] }

    private func examine() -> CheckResult {
        guard access(places.kernel, F_OK) == 0 else { return .notChecked(.noUHID) }
        let hasBroker = access(places.broker, W_OK) == 0
        guard hasBroker || access(places.kernel, R_OK | W_OK) == 0 else { return .notChecked(.noKeyBroker) }
        guard places.rules.contains(where: { access("\($0)/\(Self.rule)", F_OK) == 0 }) else {
            return .warning(.noKeyRule, .installKeyRule)
        }
        return .fine(hasBroker ? .keyBroker : .keyWithoutBroker)
    }
}
