import CommandLine
import DesktopAuthenticator
import HybridProtocol
import LinuxSupport
import UserVerification

// Remedies for the faults that doctor finds.

extension Remedy {
    /// Remedy for an adapter that cannot be used.
    static func radio(_ code: RadioError.Code) -> Self {
        Self("radio-\(code.rawValue)", Hint.bluetooth(code) ?? Hint.radio)
    }

    /// Remedy for a way of verification that cannot be used, while nobody is asked.
    static func verificationSetUp(_ code: VerificationError.Code) -> Self {
        let text: Sentence =
            switch code {
            case .timeout: "restart it: systemctl restart fprintd polkit"
            case .tooManyAttempts: "wait, or open the vault with its passphrase"
            default: verification(code).text
            }
        return Self("verification-\(code.rawValue)", text)
    }

    static let unblock = Self("unblock", "turn off aeroplane mode, or unblock the adapter: rfkill unblock bluetooth")
    static let flipSwitch = Self("flip-switch", "turn on the machine's switch or key for wireless devices")

    static let makeDefaultKeyring = Self(
        "make-default-keyring", "create a keyring in the desktop's keyring program, and make it the default")
    static let unlockKeyring = Self("unlock-keyring", "unlock it in the desktop, or answer when it asks")
    static let startKeyring = Self(
        "start-keyring", "start the desktop's keyring, such as gnome-keyring-daemon or KWallet")
    static let closeFolder = Self("close-folder", "chmod 700 the vault's directory")
    static let useDesktopSession = Self("use-desktop-session", "run this in a desktop session")
    static let enlargeTerminal = Self("enlarge-terminal", "make it larger, or give --qr png:FILE")
    static let useOtherTerminal = Self(
        "use-other-terminal", "use another terminal or a UTF-8 locale, or give --qr png:FILE")
    static let raiseOpenFiles = Self(
        "raise-open-files", "raise the limit, with LimitNOFILE= of the systemd unit or ulimit -Hn")
    static let installKeyRule = Self(
        "install-key-rule",
        "sudo install -m 0644 tools/installed/udev/69-hybrid-key.rules /etc/udev/rules.d "
            + "&& sudo udevadm control --reload")

    static func install(_ program: String) -> Self {
        Self(
            "install-\(program)", program == "import" ? "install ImageMagick, whose import it is" : "install \(program)"
        )
    }
}

extension Remedy {
    static let checkName = Self("check-name", "check the network, the DNS server, and the name")
    static let checkNetwork = Self("check-network", "check the network, a firewall, and the port")
    static let checkProxy = Self(
        "check-proxy", "check https_proxy and no_proxy, or --proxy: http://[NAME:PASSWORD@]HOST:PORT, or none")
    static let useLocalProxy = Self(
        "use-local-proxy",
        "the proxy demands an authentication scheme that is not supported: run a local proxy that speaks it, such as "
            + "px, or cntlm for NTLM, and give its address with --proxy; or use another network")
    static let signIn = Self(
        "sign-in-to-network", "behind a captive portal, sign in to it in a browser first; otherwise check the address")
    static let renewCertificate = Self("renew-certificate", "the service's owner must renew the certificate")
    static let setClock = Self("set-clock", "set this machine's clock: timedatectl set-ntp true")
    static let trustAuthority = Self(
        "trust-authority", "give --ca FILE for a test authority; on an untrusted network, do not trust it")
    static let checkService = Self(
        "check-service", "check the address; if it is right, the service's owner must repair the service")
    static let addContactSide = Self(
        "add-contact-side", "only links need it: hybrid tunnel-service --contact-secret")
}
