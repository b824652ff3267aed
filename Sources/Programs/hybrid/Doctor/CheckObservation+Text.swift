import BluetoothLE
import CommandLine
import DesktopAuthenticator
import HybridTransport
import UserVerification
import Vault

extension CheckObservation {
    /// The observation in words: lower case, one line, nothing private.
    var text: String {
        switch self {
        case .noAnswer: "no answer in time"
        case .dependsOn(let check): "depends on: \(check.rawValue.replacing("-", with: " "))"
        case .otherRadio: "the radio that was chosen has no such thing"
        case .offline: "--offline: not contacted"
        case .noServiceGiven: "give --tunnel with the address of your service"
        case .noSandbox: "none"
        case .sandbox(let sandbox): "this runs in \(sandbox.text)"
        case .busAnswers: "the system bus answers"
        case .radio(let code): code.text
        case .bluetoothRuns(let version):
            "bluetoothd answers" + (version.map { "; BlueZ \($0) is installed" } ?? "")
        case .adapterOn(let name, let count): "\(name) is on" + (count > 1 ? ", one of \(count)" : "")
        case .unblocked: "nothing blocks the adapter"
        case .blocked(.soft): "a program or a key blocks the adapter"
        case .blocked(.hard): "a switch of the machine blocks the adapter"
        case .blocked(nil): "the adapter is blocked"
        case .hasLowEnergy: "the adapter knows it"
        case .instances(let free, let active): "\(free) more adverts can be sent; \(active) are sent now"
        case .scanned(true): "another program scans too, which is not an obstacle"
        case .scanned(false): "none"
        case .heard(0, 0, 0): "none heard in 3 seconds: none is sent, or the adapter hears nothing"
        case .heard(let fido, let google, let nearby):
            "heard in 3 seconds: \(fido) senders of FFF9, \(google) of FDE2, and \(nearby) of FCF1, which is Google's "
                + "Nearby Presence and only looks alike"
        case .fingerEnrolled: "a reader, and a finger that is enrolled"
        case .polkitAsks: "polkit knows the action, and would ask you each time"
        case .verification(let code): code.text
        case .agentUnknown:
            "polkit does not tell whether this session has an agent: it is seen when the dialogue comes, or does not"
        case .keyring(let state): state.text
        case .noVaultYet: "none yet; the first passkey makes one"
        case .vault(true, true): "for its owner alone; a passphrase or the keyring opens it"
        case .vault(true, false): "for its owner alone; a passphrase opens it"
        case .vault(false, _): "for its owner alone; the keyring opens it"
        case .vaultFailed(let code): code.text
        case .vaultFolderOpen: "others may write into its directory, and put another file in its place"
        case .verifiedBy(let ways): "you can be verified by \(ways.map(\.text).joined(separator: ", "))"
        case .nothingVerifies: "nothing is set up to verify you by"
        case .programs(let names): "\(names.joined(separator: " and ")) \(names.count > 1 ? "are" : "is") installed"
        case .missing(let names): "\(names.joined(separator: " and ")) \(names.count > 1 ? "are" : "is") not installed"
        case .screenshot(.noScreen): "there is no screen here: neither DISPLAY nor WAYLAND_DISPLAY is set"
        case .screenshot(.missing(let names)): "none of \(Set(names).sorted().joined(separator: ", ")) is installed"
        case .screenshot(.program(let name)): "\(name) takes pictures of it"
        case .portal(let version):
            "the desktop's portal takes screenshots" + (version.map { "; version \($0) of its interface" } ?? "")
        case .noPortal: "no desktop's portal that takes screenshots; none is needed"
        case .terminal(let terminal): terminal.text
        case .openFiles(let count): "this process may have \(count) open files"
        case .keyBroker: "the broker makes keys for hybrid key, each its user's alone"
        case .keyWithoutBroker: "no broker, but you may make keys for hybrid key by /dev/uhid yourself"
        case .noKeyBroker: "only hybrid key needs its broker: sudo systemctl enable --now hybrid-key.socket"
        case .noUHID: "only hybrid key needs /dev/uhid, which the kernel does not offer: sudo modprobe uhid"
        case .noKeyRule: "no udev rule restricts the key to its user; any local user could use it"
        default: serviceText
        }
    }

    /// The observation of a tunnel service, in words.
    private var serviceText: String {
        switch self {
        case .resolves: "the name has an address"
        case .unresolved: "the name has no address"
        case .connects: "something answers at its port"
        case .server(let code, let status): code.text + (status.map { " (\($0))" } ?? "")
        case .noTLS: "no TLS, which only this machine's own service may lack"
        case .certificate(let days): "trusted, for this name, and good for \(Self.words(days))"
        case .expired(let days): "it ended \(Self.words(days)) ago, by this machine's clock"
        case .notYetValid(let days): "it begins in \(Self.words(days)), by this machine's clock"
        case .otherName: "it is for another name"
        case .untrusted: "no authority that is trusted here has signed it"
        case .clock(0): "this machine's clock agrees with the service's"
        case .clock(let seconds):
            "this machine's clock is \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the service's"
        case .noDate: "the service does not tell its time"
        case .opened(let milliseconds): "a tunnel was opened in \(milliseconds) ms"
        case .relayed(let milliseconds, let status):
            "joined, and a message came through, in \(milliseconds) ms"
                + (status.map { "; a tunnel that is not there is answered with \($0)" }
                    ?? "; a tunnel that is not there is taken too")
        case .notRelayed: "joined, but what came through is not what was sent"
        case .contactSide: "linked clients can wake an authenticator through it"
        case .noContactSide: "it wakes no authenticators: a ceremony needs a QR code each time"
        default: code
        }
    }

    private static func words(_ days: Int) -> String {
        days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }
}

extension SystemSandbox {
    fileprivate var text: String {
        switch self {
        case .flatpak: "Flatpak"
        case .snap: "a snap"
        case .podman: "a Podman container"
        case .docker: "a container of Docker's"
        }
    }
}

extension VerificationWay {
    fileprivate var text: String { VerificationMethod(rawValue: rawValue)?.text ?? rawValue }
}

extension TerminalState {
    fileprivate var text: String {
        guard let columns, let lines else { return "standard error is not a terminal of a known size" }
        let size = "\(columns) columns and \(lines) lines"
        guard showsPictures else { return "it shows no picture of a QR code: its TERM or its locale has none" }
        return fits
            ? "\(size), and a QR code needs \(neededColumns) and \(neededLines)"
            : "\(size), but a QR code needs \(neededColumns) and \(neededLines)"
    }
}
