internal import HybridProtocol

/// One thing that a user can do about a failed ceremony. The words for it are the program's.
public enum Advice: Sendable, Hashable {
    /// Start the ceremony again.
    case startAgain
    /// Start again on both devices: the other one left before the session was set up.
    case startBothAgain
    /// Start again on the client: it was cancelled there, or it has lost its network.
    case startClientAgain
    /// Start again on the client: it has sent no command.
    case sendCommand
    /// Start again; a failure that repeats is a fault of the other device's implementation.
    case blameOtherDevice
    /// Scan the QR code again: the text that was read is none.
    case scanAgain
    /// Read the QR code with the program that it is for: it has the scheme of another application.
    case useOtherCommand
    /// Scan the QR code that is on the screen now: only adverts of other sessions were received.
    case scanCurrentCode
    /// Start again with the QR code on the screen: the other side has another one.
    case useSameCode
    /// Check Bluetooth on both devices, and that they are near each other: no advert was received at all.
    case checkBluetooth
    /// Check the client's Bluetooth, its distance, and that its QR code is still shown: no client came.
    case checkClient
    /// Check that the other device is still in the network: it did not go on.
    case checkOtherDevice
    /// Move the devices nearer to each other, or allow the tunnel.
    case moveNearer
    /// Allow the tunnel beside Bluetooth.
    case useTunnel
    /// Allow all channels on both devices.
    case allowAllChannels
    /// Use a tunnel service of a computed domain, 256 or above: the client does not know this one.
    case chooseComputedDomain
    /// Remedy the error of the radio that has this name, such as `powered-off`.
    case checkRadio(_ code: String)
    /// Check the network and the address of the tunnel service.
    case checkNetwork
    /// Check the proxy, its name and password, and that it connects to the tunnel service.
    case checkProxy
    /// Use a local proxy that speaks the authentication scheme which the network's proxy demands, or another network.
    case useLocalProxy
    /// Check this machine's date and the certificate authorities that it trusts.
    case checkTrust
    /// Reach the tunnel service by the name that its certificate is for.
    case checkServiceName
    /// Check the tunnel service's address and port: the server there does not speak the TLS that is needed.
    case checkServicePort
    /// Let the client show a new QR code: another device has taken the tunnel of this one.
    case showNewCode
    /// Correct the form of the tunnel service's address.
    case correctTunnelAddress
    /// Check which tunnel service is used: it does not keep to the protocol.
    case checkTunnelService
    /// Start again; if the tunnel service closes without an answer again, check which one is used.
    case checkSilentService
    /// Wait some minutes: the tunnel service has too much to do, or is being repaired.
    case waitForService
    /// Check the network: the connection broke, and nobody has closed it.
    case checkConnection
    /// Update this program: the other device uses a tunnel service that it does not know.
    case updateProgram
    /// Choose another authenticator: this one does not offer the feature that is asked for.
    case chooseOtherAuthenticator
    /// Send one message at a time, of at least 1 byte and less than 1 MiB.
    case sendOneMessage
    /// Approve the request on the authenticator within the time limit.
    case approveInTime
    /// Check the authenticator: the request was declined or cancelled there, or it has lost its network.
    case checkAuthenticator
    /// Allow a longer time.
    case allowMoreTime
    /// Link a device first, by a QR code: there is no link to use.
    case linkFirst
    /// Start again, or use a QR code: the linked device declined, or was busy.
    case askAgainOrUseCode
    /// Use a QR code: the other device has ended the link.
    case useCode
    /// Let the linked device listen for clients, or use a QR code.
    case listenOrUseCode
    /// Wait some minutes, or use a QR code: the linked device is woken too often.
    case waitOrUseCode
    /// Check the installation of libcrypto.
    case checkCryptography
    /// Report the failure: its cause is not known.
    case report
}

extension Advice {
    /// Advice for a stage that was not reached in time.
    static func timeout(before stage: Stage, as role: Role) -> Self {
        switch (stage, role) {
        case (.advertSeen, _): .checkBluetooth
        case (.advertOpened, _): .scanCurrentCode
        case (.tunnelOpened, _), (.tunnelJoined, _): .checkNetwork
        case (.channelOpened, _): .moveNearer
        case (.handshaken, .authenticator): .checkClient
        case (.handshaken, .client), (.ready, _), (.commandSent, .client): .checkOtherDevice
        case (.commandSent, .authenticator): .sendCommand
        case (.commandAnswered, _): .approveInTime
        default: .allowMoreTime
        }
    }

    /// Advice for a tunnel service whose TLS fails.
    static func tls(_ fault: DataChannelError.TLSFault?) -> Self {
        switch fault {
        case .otherName: .checkServiceName
        case .noHandshake: .checkServicePort
        case .untrusted, nil: .checkTrust
        }
    }

    /// Advice for a session that the other side ended before this stage.
    static func peerClosed(before stage: Stage, as role: Role) -> Self {
        switch (stage, role) {
        case (.commandAnswered, .client): .checkAuthenticator
        case (.commandAnswered, .authenticator), (.commandSent, .authenticator): .startClientAgain
        default: .startBothAgain
        }
    }
}
