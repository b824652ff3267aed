package import BluetoothLE
package import HybridTransport
package import UserVerification
package import Vault

/// Observation of a check. Nothing in it is private: no path, address, or name of a user, machine, site or service.
package enum CheckObservation: Sendable, Hashable {
    // Of any check.
    case noAnswer
    /// Not examined since this other one has no good result.
    case dependsOn(CheckName)
    /// The radio that was chosen has no such thing.
    case otherRadio
    /// No tunnel service was to be contacted.
    case offline
    /// The command was not told which tunnel service is this machine's.
    case noServiceGiven

    // Bluetooth.
    case noSandbox
    case sandbox(SystemSandbox)
    case busAnswers
    case radio(RadioError.Code)
    /// The version that is installed; nil if that could not be asked.
    case bluetoothRuns(version: String?)
    case adapterOn(name: String, count: Int)
    case unblocked
    /// Nil where only the fact is known.
    case blocked(SystemRadioSwitch.Block?)
    case hasLowEnergy
    case instances(free: Int, active: Int)
    case scanned(byOthers: Bool)
    /// Numbers of senders, by service UUID.
    case heard(fido: Int, google: Int, nearbyPresence: Int)

    // Verification and passkeys.
    case fingerEnrolled
    case polkitAsks
    case verification(VerificationError.Code)
    case agentUnknown
    case keyring(SecretService.State)
    case noVaultYet
    case vault(passphrase: Bool, keyring: Bool)
    case vaultFailed(VaultError.Code)
    case vaultFolderOpen
    case verifiedBy([VerificationWay])
    case nothingVerifies

    // Pictures and the terminal.
    case programs([String])
    case missing([String])
    case screenshot(Screenshot.Way)
    /// The version of the interface; nil if it could not be asked.
    case portal(version: Int?)
    case noPortal
    case terminal(TerminalState)
    case openFiles(Int)

    // What `hybrid key` needs.
    /// The broker makes keys, and their nodes are their users' alone.
    case keyBroker
    /// Without the broker, but this user may use the kernel's interface.
    case keyWithoutBroker
    case noKeyBroker
    case noUHID
    /// No udev rule keeps others from a key's node.
    case noKeyRule

    // The tunnel service.
    case resolves
    case unresolved
    case connects
    case server(DataChannelError.Code, status: Int?)
    case noTLS
    case certificate(daysLeft: Int)
    case expired(days: Int)
    case notYetValid(days: Int)
    case otherName
    case untrusted
    /// The difference of the clocks in seconds: the server's minus this machine's.
    case clock(seconds: Int)
    case noDate
    case opened(milliseconds: Int)
    /// The status that it answered with for a tunnel that is not there; nil if it took that too.
    case relayed(milliseconds: Int, unknownTunnel: Int?)
    case notRelayed
    case contactSide
    case noContactSide
}

/// A way in which the user can be verified.
package enum VerificationWay: String, Sendable, CaseIterable {
    case fprintd, polkit, passphrase
}

/// The terminal's room for a QR code.
package struct TerminalState: Sendable, Hashable {
    package let columns: Int?
    package let lines: Int?
    /// False if it shows no black and white blocks.
    package let showsPictures: Bool
    package let neededColumns: Int
    package let neededLines: Int

    package init(
        size: (columns: Int, lines: Int)?, showsPictures: Bool, needed: (columns: Int, lines: Int)
    ) {
        columns = size?.columns
        lines = size?.lines
        self.showsPictures = showsPictures
        neededColumns = needed.columns
        neededLines = needed.lines
    }

    /// True if a code fits.
    package var fits: Bool {
        guard let columns, let lines else { return false }
        return columns >= neededColumns && lines >= neededLines
    }
}
