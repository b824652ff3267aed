import CommandLine
import HybridTransport
import LinuxSupport

extension CeremonyEvent: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .stage(let stage):
            guard let role else { return .nothing }
            let expectation = stage.expectation(for: role).map { stage.advised($0, for: role) }
            return .stage(
                Line("stage", ["role": role.rawValue, "stage": stage.rawValue]),
                "\(role.rawValue): \(stage.text(for: role))", waitingFor: expectation)
        case .notice(let notice): return .warning(notice.rawValue, notice.text, role)
        }
    }
}

extension Reporter {
    /// Runs a ceremony, reports its events, and no longer says what is waited for when it is over.
    ///
    /// - Parameter isHandOver: true for a ceremony whose handshake is followed by questions to people, and by no
    ///   request.
    func during<Value: Sendable>(
        _ role: Role, isHandOver: Bool = false, _ ceremony: (@escaping EventListener) async throws -> Value
    ) async rethrows -> Value {
        defer { wait(for: nil, as: role) }
        return try await ceremony { [self] event in
            report(event, as: role)
            if isHandOver, case CeremonyEvent.stage(.handshaken) = event { wait(for: nil, as: role) }
        }
    }
}

extension Stage {
    /// The stage in words.
    fileprivate func text(for role: Role) -> Sentence {
        switch (self, role) {
        case (.qrShown, _): "the QR code is shown"
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
        case (.ready, .client): "the authenticator has sent its capabilities"
        case (.ready, .authenticator): "ready for commands"
        case (.commandSent, .client): "sent the command"
        case (.commandSent, .authenticator): "received a command"
        case (.userVerified, _): "the user was verified"
        case (.commandAnswered, .client): "received the answer"
        case (.commandAnswered, .authenticator): "answered the command"
        case (.linked, .client): "the authenticator can be asked without a QR code from now on"
        case (.linked, .authenticator): "the client can ask without a QR code from now on"
        case (.closed, _): "the session ended normally"
        }
    }

    /// An expectation, with the advice to a user at a terminal.
    fileprivate func advised(_ expectation: Sentence, for role: Role) -> Sentence {
        (self, role) == (.commandAnswered, .client) ? "\(expectation); ctrl-c ends it at once" : expectation
    }

    /// The wait after this stage, in words; nil if there is none, or if a question at the terminal says it.
    func expectation(for role: Role) -> Sentence? {
        switch (self, role) {
        case (.qrShown, _): "for a device that scans the QR code and is near"
        case (.qrScanned, _): "for the tunnel service to open a tunnel"
        case (.advertising, _): "for the client to hear the advert and connect"
        case (.advertSeen, _): "for an advert of this session; so far only other adverts were heard"
        case (.advertOpened, _): "for the connection to the authenticator"
        case (.tunnelJoined, .client), (.channelOpened, .client): "for the authenticator's handshake"
        case (.handshaken, .client): "for the authenticator's capabilities"
        case (.commandAnswered, .client): "for the session to end, and perhaps for a link"
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

extension CeremonyEvent.Notice {
    /// The notice in words: lower case, one line.
    fileprivate var text: Sentence {
        switch self {
        case .unauthenticatedDevice:
            "a device that is not the client of this QR code connected over Bluetooth; it was turned away"
        case .furtherRequest: "the client sent a further request in the same session; it was not served"
        case .tunnelInstead: "the devices cannot be connected over Bluetooth; the tunnel service is used instead"
        case .bluetoothOnly: "the tunnel service cannot be used; the devices can be connected over Bluetooth only"
        case .tunnelTaken:
            "another device has taken this QR code's tunnel; the devices can be connected over Bluetooth only. "
                + "if it is not yours, another person can see the client's screen"
        case .secondDevice:
            "a second device holds this QR code and answered it too; the first one was taken. "
                + "if you scanned the code only once, another person can see your screen"
        }
    }
}
