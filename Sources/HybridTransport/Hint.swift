internal import Edges

/// What a person can do about a failure: one sentence each, lower case, without a full stop.
enum Hint {
    static let startAgain = "start again when you are ready"
    static let scanAgain = "scan the QR code again; its text starts with FIDO:/"
    static let otherAuthenticator = "choose another authenticator"
    static let otherCode = "the other side has another QR code: start again with the code on the screen"
    static let unknownService = "the other device uses a tunnel service that this version does not know"
    static let theirFault = "start again; if it happens again, the other device's implementation is at fault"
    static let checkNetwork = "check the network and the address of the tunnel service, then start again"
    static let checkCertificate = "check the date of this machine; --ca FILE adds a test authority"
    static let tunnelAddress = "give --tunnel as wss://host[:port]"
    static let strangeService = "the tunnel service answered, but not as one should: check --tunnel"
    static let nearby = "bring the devices nearer to each other, or allow the tunnel: --channel any"
    static let noNearby = "allow the tunnel too: --channel any"
    static let oneMessageAtATime = "send one message at a time, of at least 1 byte and less than 1 MiB"
    static let notAnswered = "it was declined on the other device, or that was busy: start again, or use a QR code"
    static let linkIsGone = "use a QR code; the other device has ended the link"
    static let notListening = "let the other device listen for linked clients, or use a QR code"
    static let tooManyWakes = "wait some minutes, or use a QR code"
    static let noLink = "link a device first, by a QR code"
    static let checkOpenSSL = "check the OpenSSL installation"
    static let report = "report this with the whole output"

    static func radio(_ code: RadioError.Code) -> String {
        switch code {
        case .absent: "switch Bluetooth on or plug in an adapter, then start again"
        case .invalidAddress: "check the address given with --radio"
        case .addressInUse: "end the other process that uses this radio, or give another address with --radio"
        case .notPermitted: "run this as a user who may use the radio"
        default: RadioError(code, reason: "").bluetoothHint ?? "switch the radio off and on, then start again"
        }
    }

    static func timeout(_ stage: Stage, _ role: Role) -> String {
        switch (stage, role) {
        case (.advertSeen, _):
            "no hybrid advert was heard at all: check Bluetooth on both devices, and that they are near each other"
        case (.advertOpened, _): "only other sessions' adverts were heard: scan the QR code that is on the screen now"
        case (.tunnelOpened, _), (.tunnelJoined, _): checkNetwork
        case (.channelOpened, _): nearby
        case (.handshaken, .authenticator):
            "no client came: check that its Bluetooth is on, that it is near, and that its QR code is still shown"
        case (.handshaken, .client), (.ready, _), (.commandSent, .client):
            "the other device did not go on: check that it is still in the network, then start again"
        case (.commandSent, .authenticator): "the client asked for nothing: start again on the client"
        case (.commandAnswered, _): "approve the request on the authenticator in time"
        default: "start again; a longer --timeout gives people more time"
        }
    }

    static func peerClosed(_ stage: Stage, _ role: Role) -> String {
        switch (stage, role) {
        case (.commandAnswered, .client): "it was declined or cancelled on the authenticator, or that lost its network"
        case (.commandAnswered, .authenticator), (.commandSent, .authenticator):
            "it was cancelled on the client, or that lost its network: start again there"
        default: "the other side left before the session was set up: start again on both devices"
        }
    }
}
