/// A stage of a ceremony. Both roles use the same stages, each those that it passes through.
public enum Stage: String, Sendable, CaseIterable {
    /// Client: the QR code can be seen.
    case qrShown
    /// Authenticator: the QR code was parsed. The ceremony itself begins after this stage, so that its parser
    /// reports it.
    case qrScanned
    /// Authenticator: the tunnel service has opened a tunnel.
    case tunnelOpened
    /// Authenticator: the advert is on the air.
    case advertising
    /// Client: a hybrid advert was received, from any sender. Its absence means that the radio receives nothing.
    case advertSeen
    /// Client: an advert decrypts: the authenticator that read our QR code is near.
    case advertOpened
    /// Client: joined the authenticator's tunnel.
    case tunnelJoined
    /// Both, instead of the tunnel: the devices are connected to each other over Bluetooth.
    case channelOpened
    /// Both: the handshake is done, each has proved to know the QR secret and the advert.
    case handshaken
    /// Both: the authenticator has said what it can do.
    case ready
    /// Client: sent a command. Authenticator: received one.
    case commandSent
    /// Authenticator: the user was verified.
    case userVerified
    /// Client: received the answer. Authenticator: sent it.
    case commandAnswered
    /// Both: the client can reach the authenticator without a QR code from now on.
    case linked
    /// Both: the session was closed cleanly and nothing of it is left.
    case closed
}

/// An end of a session.
package enum Role: String, Sendable, CaseIterable {
    /// The client platform: shows the QR code.
    case client
    /// The authenticator: reads it.
    case authenticator
}

/// Something that happened in a ceremony.
public enum CeremonyEvent: Sendable, Equatable, CustomStringConvertible {
    /// A stage was reached.
    case stage(Stage)
    /// Something that the user should know although the ceremony goes on.
    case notice(Notice)

    /// Something that the user should know although the ceremony goes on.
    public enum Notice: String, Sendable, CaseIterable {
        /// A second advert decrypts: another device has read the same QR code. The first one keeps the session.
        case secondDevice
        /// The devices could not be connected over Bluetooth; the tunnel is used instead.
        case tunnelInstead
        /// There is no tunnel; the devices can only be connected over Bluetooth.
        case bluetoothOnly
        /// Another device has taken the tunnel of this QR code; the devices can only be connected over Bluetooth.
        case tunnelTaken
        /// A device connected over Bluetooth that is not the client: it sent no handshake message of this session.
        /// `--json` has the raw value.
        case unauthenticatedDevice = "strangerNearby"
        /// The client has asked for something more when its session was complete: it was not served.
        case furtherRequest
    }

    /// The name of the stage or the notice.
    public var description: String {
        switch self {
        case .stage(let stage): stage.rawValue
        case .notice(let notice): notice.rawValue
        }
    }
}

/// Gets a ceremony's events as they happen, in order. It must return quickly.
package typealias CeremonyObserver = @Sendable (CeremonyEvent) -> Void

/// Something that happened in a ceremony or around it, which a program may tell its user.
///
/// The events of each module are a type of its own, and pass from there to the program as they are.
package protocol Event: Sendable {}

/// Receives events as they happen, in order. It must return quickly. It can be given wherever events of one type are
/// received.
package typealias EventListener = @Sendable (any Event) -> Void

extension CeremonyEvent: Event {}
extension ContactEvent: Event {}
extension ClientLinking.Event: HybridTransport.Event {}
