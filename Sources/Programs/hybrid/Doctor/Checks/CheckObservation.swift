import BluetoothLE
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport
import UserVerification
import Vault

/// Observation of a check, by its name and in words. Nothing in it is private: no path, address, or name of a user,
/// machine, site or service.
struct CheckObservation: Sendable, Hashable {
    /// The name, for programs: lower case with hyphens.
    let code: String
    /// For people: lower case, one line.
    let text: Sentence
    /// The version of the component found; nil if it has none, or does not tell.
    private(set) var version: String?

    init(_ code: String, _ text: Sentence) {
        self.code = code
        self.text = text
    }
}

// Of any check.
extension CheckObservation {
    static let noAnswer = Self("no-answer", "no answer in time")
    static let otherRadio = Self("other-radio", "does not apply to the chosen radio")
    /// The user wanted no tunnel service contacted.
    static let offline = Self("offline", "--offline: not contacted")
    /// The command was not told which tunnel service is this machine's.
    static let noServiceGiven = Self("no-service-given", "give --tunnel with the address of your service")

    /// Not examined since this other one has no good result.
    static func dependsOn(_ check: CheckName) -> Self {
        Self("depends-on", "depends on: \(check.text)")
    }
}

// Bluetooth.
extension CheckObservation {
    static let noSandbox = Self("no-sandbox", "none")
    static let busAnswers = Self("bus-answers", "the system bus answers")
    static let unblocked = Self("unblocked", "nothing blocks the adapter")
    static let hasLowEnergy = Self("has-low-energy", "the adapter supports it")

    static func sandbox(_ sandbox: SystemSandbox) -> Self { Self(sandbox.rawValue, "this runs in \(sandbox.text)") }

    static func radio(_ code: RadioError.Code) -> Self { Self(code.rawValue, code.text) }

    /// - Parameter version: the version that is installed; nil if that could not be asked.
    static func bluetoothRuns(version: String?) -> Self {
        var seen = Self(
            "bluetooth-runs",
            version.map { "bluetoothd answers; BlueZ \($0) is installed" } ?? "bluetoothd answers")
        seen.version = version
        return seen
    }

    static func adapterOn(name: String, count: Int) -> Self {
        Self("adapter-on", count > 1 ? "\(name) is on, one of \(count)" : "\(name) is on")
    }

    /// - Parameter block: the kind of block; nil where only the fact is known.
    static func blocked(_ block: SystemRadioSwitch.Block?) -> Self {
        switch block {
        case .soft?: Self("soft-blocked", "a program or a key blocks the adapter")
        case .hard?: Self("hard-blocked", "a switch of the machine blocks the adapter")
        case nil: Self("blocked", "the adapter is blocked")
        }
    }

    static func instances(free: Int, active: Int) -> Self {
        Self("instances", "\(free) more adverts can be sent; \(active) are being sent")
    }

    static func scanned(byOthers: Bool) -> Self {
        byOthers
            ? Self("others-scan", "another program also scans, which is no problem") : Self("nobody-scans", "none")
    }

    /// Numbers of senders, by service UUID.
    static func heard(fido: Int, google: Int, nearbyPresence: Int) -> Self {
        guard fido + google + nearbyPresence > 0 else {
            return Self("heard", "none heard in 3 seconds: none is sent, or the adapter hears nothing")
        }
        return Self(
            "heard",
            "heard in 3 seconds: \(fido) senders of FFF9, \(google) of FDE2, and \(nearbyPresence) of FCF1, which is "
                + "Google's Nearby Presence and only looks alike")
    }
}

// Verification and passkeys.
extension CheckObservation {
    static let fingerEnrolled = Self("finger-enrolled", "a reader, and a finger that is enrolled")
    static let polkitAsks = Self("polkit-asks", "polkit knows the action, and would ask you each time")
    static let agentUnknown = Self(
        "agent-unknown",
        "polkit does not tell whether this session has an agent: only its dialogue would show that")
    static let noVaultYet = Self("no-vault-yet", "none yet; the first passkey makes one")
    static let vaultFolderOpen = Self(
        "folder-open", "others may write into its directory, and could replace the file")
    static let nothingVerifies = Self("no-verification", "no method is set up to verify you")

    static func verification(_ code: VerificationError.Code) -> Self { Self(code.rawValue, code.text) }

    static func keyring(_ state: SecretService.State) -> Self { Self("keyring-\(state)", state.text) }

    static func vaultFailed(_ code: VaultError.Code) -> Self { Self(code.rawValue, code.text) }

    static func vault(passphrase: Bool, keyring: Bool) -> Self {
        let key: Sentence = passphrase ? keyring ? "a passphrase or the keyring" : "a passphrase" : "the keyring"
        return Self("vault", "accessible to its owner only; \(key) opens it")
    }

    static func verifiedBy(_ methods: [VerificationMethod]) -> Self {
        Self("verified", "you can be verified by \(methods.map(\.text).joined(", "))")
    }
}

// Pictures and the terminal.
extension CheckObservation {
    static let noPortal = Self("no-portal", "no desktop portal that takes screenshots; none is needed")

    static func programs(_ names: [String]) -> Self {
        let list = list(names)
        return Self("installed", names.count > 1 ? "\(list) are installed" : "\(list) is installed")
    }

    static func missing(_ names: [String]) -> Self {
        let list = list(names)
        return Self("not-installed", names.count > 1 ? "\(list) are not installed" : "\(list) is not installed")
    }

    private static func list(_ names: [String]) -> Sentence {
        let names = names.map(Sentence.init(verbatim:))
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(", ")) and \(last)"
    }

    static func screenshot(_ way: Screenshot.Way) -> Self {
        switch way {
        case .noScreen: Self("no-screen", "there is no screen here: neither DISPLAY nor WAYLAND_DISPLAY is set")
        case .missing(let names):
            Self("not-installed", "none of \(Set(names).sorted().joined(separator: ", ")) is installed")
        case .program(let name): Self("installed", "\(name) takes pictures of it")
        }
    }

    /// - Parameter version: the version of the interface; nil if it could not be asked.
    static func portal(version: Int?) -> Self {
        Self(
            "portal",
            version.map { "the desktop's portal takes screenshots; version \($0) of its interface" }
                ?? "the desktop's portal takes screenshots")
    }

    static func terminal(_ terminal: TerminalState) -> Self {
        guard let columns = terminal.columns, let lines = terminal.lines else {
            return Self("no-terminal", "standard error is not a terminal of a known size")
        }
        guard terminal.showsPictures else {
            return Self("no-pictures", "it cannot show a QR code: its TERM or its locale does not allow it")
        }
        let needed: Sentence = "a QR code needs \(terminal.neededColumns) and \(terminal.neededLines)"
        return Self(
            terminal.fits ? "fits" : "too-small",
            terminal.fits
                ? "\(columns) columns and \(lines) lines, and \(needed)"
                : "\(columns) columns and \(lines) lines, but \(needed)")
    }

    static func openFiles(_ count: Int) -> Self { Self("open-files", "this process may have \(count) open files") }
}

// The requirements of `hybrid key`.
extension CheckObservation {
    static let keyBroker = Self(
        "key-broker", "the broker makes keys for hybrid key, each its user's alone, for users at the screen")
    static let keyWithoutBroker = Self(
        "key-without-broker", "no broker, but you may make keys for hybrid key by /dev/uhid yourself")
    static let noKeyBroker = Self(
        "no-key-broker",
        "only hybrid key needs the package hybrid-key-broker, and sudo systemctl enable --now hybrid-key.socket")
    static let noUHID = Self(
        "no-uhid", "only hybrid key needs /dev/uhid, which the kernel does not offer: sudo modprobe uhid")
    static let noKeyRule = Self(
        "no-key-rule", "no udev rule restricts the key to its user; any local user could use it")
}

extension SystemSandbox {
    fileprivate var text: Sentence {
        switch self {
        case .flatpak: "Flatpak"
        case .snap: "a snap"
        case .podman: "a Podman container"
        case .docker: "a Docker container"
        }
    }
}

// Observations of a tunnel service.

extension CheckObservation {
    static let resolves = Self("resolves", "the name has an address")
    static let unresolved = Self("unresolved", "the name has no address")
    static let nameOfProxy = Self("resolved-by-proxy", "the proxy resolves it")
    static let noProxy = Self("no-proxy", "none: neither https_proxy nor --proxy names one")
    static let noProxyToThisMachine = Self("no-proxy-to-this-machine", "none, since this machine runs the service")
    static let exceptedFromProxy = Self("excepted-from-proxy", "none: no_proxy lists the name")
    static let connects = Self("connects", "something answers at its port")
    static let noTLS = Self("no-tls", "no TLS, which is allowed only for a service on this machine")
    static let otherName = Self("other-name", "it is for another name")
    static let untrusted = Self("untrusted", "no trusted authority has signed it")
    static let noDate = Self("no-date", "the service does not send its time")
    static let notRelayed = Self("not-relayed", "joined, but the message that came through is not the one sent")
    static let contactSide = Self("contact-side", "linked clients can wake an authenticator through it")
    static let noContactSide = Self(
        "no-contact-side", "it wakes no authenticators: a ceremony needs a QR code each time")

    /// - Parameter source: the variable or option that names the proxy.
    static func proxy(from source: String) -> Self { Self("proxy", "that of \(source) connects to it") }

    /// - Parameter source: the variable or option that names the proxy.
    static func malformedProxy(from source: String) -> Self {
        Self("malformed-proxy", "\(source) is not http://[NAME:PASSWORD@]HOST:PORT")
    }

    /// - Parameters:
    ///   - code: the error of the connection.
    ///   - status: the HTTP status that it came with; nil if there was none.
    static func server(_ code: DataChannelError.Code, status: Int?) -> Self {
        Self(code.rawValue, status.map { "\(code.text) (\($0))" } ?? code.text)
    }

    static func certificate(daysLeft: Int) -> Self {
        Self("valid", "trusted, for this name, and valid for \(words(daysLeft))")
    }

    static func expired(days: Int) -> Self { Self("expired", "it expired \(words(days)) ago, by this machine's clock") }

    static func notYetValid(days: Int) -> Self {
        Self("not-yet-valid", "it becomes valid in \(words(days)), by this machine's clock")
    }

    /// - Parameter seconds: the difference of the clocks: the server's minus this machine's.
    static func clock(seconds: Int) -> Self {
        guard seconds != 0 else { return Self("clock", "this machine's clock agrees with the service's") }
        return Self(
            "clock",
            seconds > 0
                ? "this machine's clock is \(seconds.magnitude) s behind the service's"
                : "this machine's clock is \(seconds.magnitude) s ahead of the service's")
    }

    static func opened(milliseconds: Int) -> Self { Self("opened", "a tunnel was opened in \(milliseconds) ms") }

    /// - Parameters:
    ///   - milliseconds: the time until a message had come through.
    ///   - status: the status for a tunnel that is not there; nil if the service took that too.
    static func relayed(milliseconds: Int, unknownTunnel status: Int?) -> Self {
        let unknown: Sentence = status.map { "answered with \($0)" } ?? "taken too"
        return Self(
            "relayed",
            "joined, and a message came through, in \(milliseconds) ms; a nonexistent tunnel is \(unknown)")
    }

    private static func words(_ days: Int) -> Sentence {
        days == 0 ? "less than a day" : Sentence(count: days, one: "\(days) day", other: "\(days) days")
    }
}
