import CommandLine
import DesktopAuthenticator
import HybridTransport
import UserVerification
import Vault

extension Remedy {
    /// The remedy in words: one thing to do.
    var text: String {
        switch self {
        case .startAgain: Hint.startAgain
        case .radio(let code): Hint.bluetooth(code) ?? Hint.radio
        case .unblock: "end the aeroplane mode, or unblock the adapter: rfkill unblock bluetooth"
        case .flipSwitch: "find the machine's switch or key for radio, and turn it on"
        case .verification(.timeout): "restart it: systemctl restart fprintd polkit"
        case .verification(.tooManyAttempts): "wait, or open the vault with its passphrase"
        case .verification(let code): code.hint
        case .setUpVerification:
            "enrol a finger (fprintd-enroll), or \(PolicyInstaller.command), or give the vault a passphrase (hybrid "
                + "passkeys passphrase)"
        case .makeDefaultKeyring: "make a keyring in the desktop's program for them, and name it the default"
        case .unlockKeyring: "unlock it in the desktop, or answer when it asks"
        case .startKeyring: "start the desktop's keyring, such as gnome-keyring-daemon or KWallet"
        case .vault(.exposed): "chmod 600 the vault, and ask whether its passphrase is still secret"
        case .vault(.wrongOwner): "give the file back to its user with chown, or another one with --vault"
        case .vault(.newerVersion): "update this program"
        case .vault(.noDirectory): "set HOME, or say where with --vault"
        case .vault(.costly): "do not use this file"
        case .vault: "put a copy of the file back, or import an export into a new vault"
        case .closeFolder: "chmod 700 the vault's directory"
        case .install("import"): "install ImageMagick, whose import it is"
        case .install(let program): "install \(program)"
        case .useDesktopSession: "run this in a desktop session"
        case .enlargeTerminal: "make it larger, or give --qr png:FILE"
        case .useOtherTerminal: "use another terminal or a UTF-8 locale, or give --qr png:FILE"
        case .raiseOpenFiles: "raise the limit, with LimitNOFILE= of the systemd unit or ulimit -Hn"
        case .installKeyRule:
            "sudo install -m 0644 tools/installed/udev/69-hybrid-key.rules /etc/udev/rules.d "
                + "&& sudo udevadm control --reload"
        case .checkName: "check the network, the DNS server, and the name"
        case .checkNetwork: "check the network, a firewall, and the port"
        case .renewCertificate: "the service's owner has to renew the certificate"
        case .setClock: "set this machine's clock: timedatectl set-ntp true"
        case .trustAuthority: "give --ca FILE for a test authority; in a foreign network, mistrust it"
        case .checkService: "check the address; if it is right, its owner has to mend the service"
        case .addContactSide: "only links need it: hybrid tunnel-service --contact-secret"
        }
    }
}
