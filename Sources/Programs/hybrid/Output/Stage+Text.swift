import HybridTransport

extension Stage {
    /// The stage in words.
    func text(for role: Role) -> String {
        switch (self, role) {
        case (.qrShown, _): "the QR code can be seen"
        case (.qrScanned, _): "the QR code was read"
        case (.tunnelOpened, _): "opened a tunnel at the tunnel service"
        case (.advertising, _): "advertising that this device is near"
        case (.advertSeen, _): "heard a hybrid advert"
        case (.advertOpened, _): "the advert is of this session"
        case (.tunnelJoined, .client): "joined the authenticator's tunnel"
        case (.tunnelJoined, .authenticator): "joined the tunnel that the client waits in"
        case (.channelOpened, .client): "connected to the authenticator over Bluetooth"
        case (.channelOpened, .authenticator): "the client has connected over Bluetooth"
        case (.handshaken, _): "the handshake is done"
        case (.ready, .client): "the authenticator has said what it can do"
        case (.ready, .authenticator): "ready for commands"
        case (.commandSent, .client): "sent the command"
        case (.commandSent, .authenticator): "a command has come"
        case (.userVerified, _): "the user was verified"
        case (.commandAnswered, .client): "the answer has come"
        case (.commandAnswered, .authenticator): "answered the command"
        case (.linked, .client): "the authenticator can be asked without a QR code from now on"
        case (.linked, .authenticator): "the client can ask without a QR code from now on"
        case (.closed, _): "the session ended normally"
        }
    }

    /// The wait after this stage, in words; nil if there is none, or if a question at the terminal says it.
    func expectation(for role: Role) -> String? {
        switch (self, role) {
        case (.qrShown, _): "for a device that scans the QR code and advertises that it is near"
        case (.qrScanned, _): "for the tunnel service to open a tunnel"
        case (.advertising, _): "for the client to hear the advert and connect"
        case (.advertSeen, _): "for an advert of this session; so far only others are on the air"
        case (.advertOpened, _): "for the connection to the authenticator"
        case (.tunnelJoined, .client), (.channelOpened, .client), (.handshaken, .client):
            "for the authenticator's handshake"
        case (.commandAnswered, .client): "for the session to end, and perhaps for a link; ctrl-c ends it at once"
        case (.commandSent, .client): "for the user at the authenticator to approve"
        case (.ready, .authenticator): "for a command"
        case (.commandAnswered, .authenticator): "for the client to end the session"
        case (.channelOpened, .authenticator), (.tunnelOpened, _), (.handshaken, .authenticator), (.ready, .client),
            (.commandSent, .authenticator),
            (.userVerified, _), (.tunnelJoined, .authenticator), (.linked, _), (.closed, _):
            nil
        }
    }
}
