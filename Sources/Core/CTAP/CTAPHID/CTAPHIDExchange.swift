/// The host's side of one message and its answer (CTAP 2.1 section 11.2; the article USBHID of HybridProtocol).
///
/// It has no clock: how long a device may take to answer, or between two keep-alives, is the caller's to say.
package struct CTAPHIDExchange: Sendable {
    /// The outcome of a report.
    package enum Event: Sendable, Equatable {
        /// The device is still at work; more will come.
        case keepAlive(CTAPHIDKeepAliveStatus)
        /// The answer's payload, 0 to 7,609 bytes: the exchange is over.
        case response([UInt8])
        /// The device has refused the message: the exchange is over.
        case refused(CTAPHIDErrorCode)
    }

    private let message: CTAPHIDMessage
    private var partial: PartialMessage?
    private var isOver = false

    /// Begins an exchange.
    ///
    /// - Parameters:
    ///   - channel: the channel that the device has allocated.
    ///   - command: the command; the answer has the same.
    ///   - payload: 0 to 7,609 bytes.
    /// - Throws: `tooLong`.
    package init(channel: CTAPHIDChannel, command: CTAPHIDCommand, payload: [UInt8]) throws(CTAPHIDError) {
        message = try CTAPHIDMessage(channel: channel, command: command, payload: payload)
    }

    /// Asks for a channel, or sets one back; ``CTAPHIDInitialization/init(_:)`` reads the answer.
    ///
    /// - Parameters:
    ///   - channel: the broadcast channel for a new one, or the one to be set back.
    ///   - nonce: 8 random bytes.
    /// - Throws: `wrongLength` if the nonce does not have 8 bytes.
    package init(initializing channel: CTAPHIDChannel, nonce: [UInt8]) throws(CTAPHIDError) {
        guard nonce.count == CTAPHIDInitialization.nonceByteCount else {
            throw CTAPHIDError(
                .wrongLength, reason: "a nonce of \(nonce.count) bytes, not \(CTAPHIDInitialization.nonceByteCount)")
        }
        message = CTAPHIDMessage(channel, .initialize, nonce)
    }

    /// The reports of the message, 64 bytes each, to be sent first.
    package var reports: [[UInt8]] { message.reports }

    /// The report that asks the device to cancel the request; the answer still comes.
    package var cancelReport: [UInt8] { CTAPHIDMessage(message.channel, .cancel).reports[0] }

    /// Takes a report of the device.
    ///
    /// - Returns: nil for a report that is another program's, or a part of the answer.
    /// - Throws: `wrongSequence`, `tooLong` or `unexpectedMessage` for an answer that is none; the exchange is over
    ///   then.
    package mutating func receive(_ report: [UInt8]) throws(CTAPHIDError) -> Event? {
        guard !isOver else { return nil }
        do throws(CTAPHIDError) {
            switch CTAPHIDPacket(report) {
            case .initialization(let packet)? where packet.channel == message.channel: return try begin(packet)
            case .continuation(let packet)? where packet.channel == message.channel: return try proceed(packet)
            // HT-HID-29: all programs hear all reports.
            default: return nil
            }
        } catch {
            isOver = true
            throw error
        }
    }

    private mutating func begin(_ packet: CTAPHIDPacket.Initialization) throws(CTAPHIDError) -> Event? {
        switch packet.command {
        case .keepAlive: return .keepAlive(CTAPHIDKeepAliveStatus(rawValue: try code(packet)))
        case .error:
            let code = CTAPHIDErrorCode(rawValue: try code(packet))
            isOver = true
            return .refused(code)
        case message.command:
            guard partial == nil else {
                throw CTAPHIDError(.wrongSequence, reason: "an answer begins inside another")
            }
            return complete(try PartialMessage(packet))
        // The device answers with the command of the message (HT-HID-30).
        default:
            throw CTAPHIDError(.unexpectedMessage, reason: "an answer with the command \(packet.command.rawValue)")
        }
    }

    /// The one byte of a keep-alive or an error.
    private func code(_ packet: CTAPHIDPacket.Initialization) throws(CTAPHIDError) -> UInt8 {
        guard packet.byteCount == 1, let code = packet.data.first else {
            throw CTAPHIDError(
                .wrongLength, reason: "\(packet.byteCount) bytes for the command \(packet.command.rawValue)")
        }
        return code
    }

    private mutating func proceed(_ packet: CTAPHIDPacket.Continuation) throws(CTAPHIDError) -> Event? {
        // The rest of the answer to an earlier message is no part of this one.
        guard var message = partial.take() else { return nil }
        try message.append(packet)
        return complete(message)
    }

    private mutating func complete(_ answer: PartialMessage) -> Event? {
        guard let whole = answer.whole else {
            partial = answer
            return nil
        }
        partial = nil
        // HT-HID-31: another program's channel has another nonce.
        if message.command == .initialize, !whole.payload.starts(with: message.payload) { return nil }
        isOver = true
        return .response(whole.payload)
    }
}
