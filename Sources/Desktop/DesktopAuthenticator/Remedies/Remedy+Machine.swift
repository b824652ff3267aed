internal import HybridTransport

// Remedies for what this machine lacks.

extension Remedy {
    /// Remedy for an adapter that cannot be used.
    ///
    /// - Parameter text: the words that all programs have for it.
    static func radio(_ code: RadioError.Code, _ text: String) -> Self { Self("radio-\(code.rawValue)", text) }

    static let unblock = Self("unblock", "end the aeroplane mode, or unblock the adapter: rfkill unblock bluetooth")
    static let flipSwitch = Self("flip-switch", "find the machine's switch or key for radio, and turn it on")

    static let setUpVerification = Self("set-up-verification", setUpText)
    /// For a command that needs a verification.
    package static let setUpAnyVerification = Self("set-up-verification", "set one up: \(setUpText)", for: .usage)
    private static let setUpText =
        "enrol a finger (fprintd-enroll), or \(PolicyInstaller.command), or give the vault a passphrase (hybrid "
        + "passkeys passphrase)"

    static let makeDefaultKeyring = Self(
        "make-default-keyring", "make a keyring in the desktop's program for them, and name it the default")
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
    static let renewCertificate = Self("renew-certificate", "the service's owner has to renew the certificate")
    static let setClock = Self("set-clock", "set this machine's clock: timedatectl set-ntp true")
    static let trustAuthority = Self(
        "trust-authority", "give --ca FILE for a test authority; in a foreign network, mistrust it")
    static let checkService = Self(
        "check-service", "check the address; if it is right, its owner has to mend the service")
    static let addContactSide = Self(
        "add-contact-side", "only links need it: hybrid tunnel-service --contact-secret")
}
