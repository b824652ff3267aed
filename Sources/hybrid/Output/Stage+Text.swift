import HybridTransport

extension Stage {
    /// The stage in words.
    var text: String {
        switch self {
        case .qrShown: "the QR code can be seen"
        case .qrScanned: "the QR code was read"
        case .tunnelOpened: "opened a tunnel at the tunnel service"
        case .advertising: "advertising that we are near"
        case .advertSeen: "heard a hybrid advert"
        case .advertOpened: "the advert is of our session"
        case .tunnelJoined: "joined the authenticator's tunnel"
        case .handshaken: "the handshake is done"
        case .ready: "ready for commands"
        case .commandSent: "the command is with the authenticator"
        case .userVerified: "the user was verified"
        case .commandAnswered: "the command was answered"
        case .linked: "the devices are linked"
        case .closed: "the session ended in good order"
        }
    }
}
