internal import LinuxSupport

/// State of the agent, as its properties tell it.
package struct AgentStatus: Sendable, Equatable {
    /// The version of the interface.
    package var protocolVersion = AgentBus.protocolVersion
    /// The version of the program.
    package var version: String
    /// The path of the vault, without symbolic links.
    package var vault: String
    /// True while the vault is held open.
    package var isUnlocked: Bool
    /// Seconds until it is locked; 0 if it is.
    package var secondsLeft: UInt32
    /// True while the user is asked something or a session runs.
    package var isBusy: Bool
    /// The number of linked clients that can ask this machine now; 0 if it waits for none.
    package var reachableClients: UInt32

    package init(
        version: String, vault: String, isUnlocked: Bool, secondsLeft: UInt32, isBusy: Bool, reachableClients: UInt32
    ) {
        self.version = version
        self.vault = vault
        self.isUnlocked = isUnlocked
        self.secondsLeft = secondsLeft
        self.isBusy = isBusy
        self.reachableClients = reachableClients
    }

    /// Reads the properties.
    ///
    /// - Throws: ``AgentRefusal`` `other-version`.
    init(_ properties: [String: DBusValue]) throws(AgentRefusal) {
        guard let protocolVersion = properties["ProtocolVersion"]?.uint32Value else {
            throw AgentRefusal(.otherVersion, reason: "the running agent does not report its version")
        }
        guard protocolVersion == AgentBus.protocolVersion,
            let version = properties["Version"]?.stringValue, let vault = properties["Vault"]?.stringValue,
            let isUnlocked = properties["Unlocked"]?.boolValue,
            let secondsLeft = properties["SecondsLeft"]?.uint32Value, let isBusy = properties["Busy"]?.boolValue,
            let reachableClients = properties["ReachableClients"]?.uint32Value
        else {
            throw AgentRefusal(
                .otherVersion, reason: "the running agent is of another version (interface \(protocolVersion))")
        }
        self.init(
            version: version, vault: vault, isUnlocked: isUnlocked, secondsLeft: secondsLeft, isBusy: isBusy,
            reachableClients: reachableClients)
    }

    /// The properties, each with its type.
    var properties: [(name: String, value: DBusValue)] {
        [
            ("ProtocolVersion", .uint32(protocolVersion)), ("Version", .string(version)), ("Vault", .string(vault)),
            ("Unlocked", .bool(isUnlocked)), ("SecondsLeft", .uint32(secondsLeft)), ("Busy", .bool(isBusy)),
            ("ReachableClients", .uint32(reachableClients)),
        ]
    }
}
