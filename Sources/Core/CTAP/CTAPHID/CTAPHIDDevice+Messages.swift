// What the host's packets come to.

extension CTAPHIDDevice {
    /// `CTAP2_ERR_KEEPALIVE_CANCEL`.
    private static let keepAliveCancel: UInt8 = 0x2D

    /// Takes the first packet of a message. Every one is judged from the outside in: channel, command, turn, length.
    mutating func begin(_ packet: CTAPHIDPacket.Initialization) -> [Action] {
        if packet.command == .cancel { return cancel(packet.channel) }
        let isAllocation = packet.channel == .broadcast && packet.command == .initialize
        // HT-HID-7
        guard isAllocation || channels.has(packet.channel) else { return [error(.invalidChannel, packet.channel)] }
        if packet.command == .initialize { return initialize(packet) }
        if let refusal = turn(of: packet) { return [error(refusal, packet.channel)] }
        if let refusal = fault(packet) { return [error(refusal, packet.channel)] }
        do throws(CTAPHIDError) {
            return complete(try PartialMessage(packet))
        } catch {
            // HT-HID-5
            return [self.error(.invalidLength, packet.channel)]
        }
    }

    /// Takes a further packet of a message.
    mutating func proceed(_ packet: CTAPHIDPacket.Continuation) -> [Action] {
        // HT-HID-16: what continues nothing is ignored.
        guard var message = receiving, message.channel == packet.channel else { return [] }
        // So that the message is not copied when it grows.
        receiving = nil
        do throws(CTAPHIDError) {
            try message.append(packet)
        } catch {
            // HT-HID-15
            return [self.error(.invalidSequence, packet.channel)]
        }
        return complete(message)
    }

    /// The refusal of a message because of what the device is at; nil if it may begin.
    private mutating func turn(of packet: CTAPHIDPacket.Initialization) -> CTAPHIDErrorCode? {
        let channel = packet.channel
        if let message = receiving {
            // HT-HID-13
            guard message.channel == channel else { return .channelBusy }
            // HT-HID-15: a packet is missing, and what has come is worth nothing.
            receiving = nil
            return .invalidSequence
        }
        // HT-HID-14
        guard !requests.channels.contains(channel), !isLocked(for: channel) else { return .channelBusy }
        // HT-HID-13, HT-HID-36: nothing but a request waits. So there is no lock that was taken while others wait.
        return requests.isEmpty || packet.command == .cbor && requests.hasRoom ? nil : .channelBusy
    }

    /// True if another channel holds the device (HT-HID-27).
    private func isLocked(for channel: CTAPHIDChannel) -> Bool {
        guard let lock, lock.end > now else { return false }
        return lock.channel != channel
    }

    /// The fault of a message by its first packet alone (HT-HID-8, HT-HID-20, HT-HID-25, HT-HID-28); nil if there is
    /// none.
    private func fault(_ packet: CTAPHIDPacket.Initialization) -> CTAPHIDErrorCode? {
        let lengths: ClosedRange<Int>
        switch packet.command {
        case .ping: lengths = 0...packet.byteCount
        // A request has a command byte at least.
        case .cbor: lengths = 1...max(1, packet.byteCount)
        case .lock: lengths = 1...1
        case .wink where capabilities.contains(.wink): lengths = 0...0
        default: return .invalidCommand
        }
        return lengths.contains(packet.byteCount) ? nil : .invalidLength
    }

    /// Allocates a channel, or sets one back (HT-HID-9, HT-HID-18, HT-HID-19).
    private mutating func initialize(_ packet: CTAPHIDPacket.Initialization) -> [Action] {
        guard packet.byteCount == CTAPHIDInitialization.nonceByteCount else {
            return [error(.invalidLength, packet.channel)]
        }
        var actions: [Action] = []
        let channel: CTAPHIDChannel
        if packet.channel == .broadcast {
            channel = channels.allocate(except: inUse)
        } else {
            channel = packet.channel
            actions += setBack(channel)
        }
        let nonce = Array(packet.data.prefix(CTAPHIDInitialization.nonceByteCount))
        let answer = CTAPHIDInitialization(
            nonce: nonce, channel: channel, version: version, capabilities: capabilities)
        return actions + send(CTAPHIDMessage(packet.channel, .initialize, answer.bytes))
    }

    /// Channels that something depends on.
    private var inUse: Set<CTAPHIDChannel> {
        Set([lock?.channel, receiving?.channel].compactMap { $0 } + requests.channels)
    }

    /// Ends what a channel has begun.
    private mutating func setBack(_ channel: CTAPHIDChannel) -> [Action] {
        if receiving?.channel == channel { receiving = nil }
        return requests.drop(channel).map { [.abandon($0)] } ?? []
    }

    /// Cancels the request of a channel, if there is one. That has no answer of its own (HT-HID-21), but a request that
    /// waits has its answer here (HT-HID-36).
    private mutating func cancel(_ channel: CTAPHIDChannel) -> [Action] {
        switch requests.cancel(channel) {
        case .nothing: []
        case .processed(let id): [.cancel(id)]
        case .waiting: send(CTAPHIDMessage(channel, .cbor, [Self.keepAliveCancel]))
        }
    }

    /// Waits for the rest of a message, or carries it out if there is none.
    private mutating func complete(_ message: PartialMessage) -> [Action] {
        guard let whole = message.whole else {
            receiving = message
            receivingDeadline = now + Self.messageTimeout
            return []
        }
        switch whole.command {
        case .cbor: return process(whole)
        case .lock: return take(whole)
        case .wink: return [.wink] + send(CTAPHIDMessage(whole.channel, .wink))
        // CTAPHID_PING: nothing else gets here (HT-HID-8).
        default: return send(whole)
        }
    }

    private mutating func process(_ message: CTAPHIDMessage) -> [Action] {
        requests.append(message, at: now)
        return processNext()
    }

    /// Gives the authenticator the next request, if there is one and it has answered the one before.
    mutating func processNext() -> [Action] { requests.next().map { [.process($0)] } ?? [] }

    /// Takes or gives back the lock (HT-HID-26).
    private mutating func take(_ message: CTAPHIDMessage) -> [Action] {
        guard let seconds = message.payload.first, seconds <= ChannelLock.maximumSeconds else {
            return [error(.invalidParameter, message.channel)]
        }
        lock = seconds == 0 ? nil : ChannelLock(channel: message.channel, end: now + .seconds(Int(seconds)))
        return send(CTAPHIDMessage(message.channel, .lock))
    }

    func send(_ message: CTAPHIDMessage) -> [Action] { message.reports.map { .send($0) } }

    func keepAlive(_ request: RequestQueue.Entry) -> Action {
        short(CTAPHIDMessage(request.channel, .keepAlive, [request.status.rawValue]))
    }

    func error(_ code: CTAPHIDErrorCode, _ channel: CTAPHIDChannel) -> Action {
        short(CTAPHIDMessage(channel, .error, [code.rawValue]))
    }

    /// A message of one report.
    private func short(_ message: CTAPHIDMessage) -> Action { .send(message.reports[0]) }
}
