/// The device's side of CTAPHID (CTAP 2.1 section 11.2; the article USBHID of HybridProtocol): reports of the host in,
/// things to do out.
///
/// It processes one request at a time. Of the commands it answers CTAPHID_INIT, PING, WINK and LOCK itself; requests of
/// CTAP go to an authenticator by ``Action/process(_:)``, whose answer comes back by ``answer(_:with:at:)``. Requests
/// of other channels meanwhile are refused, or so many wait as it was made for (HT-HID-36). It has no clock: each call
/// says what time it is, on any clock that does not jump, and ``deadline`` when ``advance(to:)`` must be called at the
/// latest. It holds at most one message more than may wait, each of at most 7,609 bytes.
package struct CTAPHIDDevice: Sendable {
    /// Action for the caller, to be taken in this order.
    package enum Action: Sendable, Equatable {
        /// Send this report of 64 bytes to the host.
        case send([UInt8])
        /// Let the authenticator process this request, and pass on its answer.
        case process(Request)
        /// The host cancels the request: the authenticator must answer it with CTAP2_ERR_KEEPALIVE_CANCEL, soon.
        case cancel(Request.ID)
        /// Nobody waits for the answer any more: the authenticator must stop, and its answer will be dropped. Where
        /// requests may wait, none is processed before that answer.
        case abandon(Request.ID)
        /// Show the user which device this is.
        case wink
    }

    /// A request of CTAP.
    package struct Request: Sendable, Equatable, Identifiable {
        /// The number of the request: 1 for the first that is processed, and so on.
        package let id: UInt64
        /// The channel that it came on.
        package let channel: CTAPHIDChannel
        /// The command byte and its parameters, 1 to 7,609 bytes.
        package let payload: [UInt8]
    }

    /// The time that the next packet of a message may take (HT-HID-17).
    package static let messageTimeout = Duration.milliseconds(500)
    /// The time between two keep-alives (HT-HID-22).
    package static let keepAliveInterval = Duration.milliseconds(100)

    let version: CTAPHIDDeviceVersion
    let capabilities: CTAPHIDCapabilities
    var channels: ChannelAllocator
    var lock: ChannelLock?
    /// The message of which a part has come.
    var receiving: PartialMessage?
    /// The time at which it is given up.
    var receivingDeadline = Duration.zero
    var requests: RequestQueue
    /// The latest time that was heard of.
    var now = Duration.zero

    /// Makes a device that nobody has used.
    ///
    /// - Parameters:
    ///   - version: the version that programs are told.
    ///   - canWink: true if ``Action/wink`` shows something to the user.
    ///   - maxWaitingCount: how many requests of other channels may wait while one is processed. With 0 they are
    ///     refused, as section 11.2.5.1 has it, and a request that follows one that was abandoned is processed at once.
    package init(version: CTAPHIDDeviceVersion, canWink: Bool, maxWaitingCount: Int = 0) {
        self.init(
            version: version, canWink: canWink, maxWaitingCount: maxWaitingCount, channels: ChannelAllocator())
    }

    init(version: CTAPHIDDeviceVersion, canWink: Bool, maxWaitingCount: Int, channels: ChannelAllocator) {
        self.version = version
        capabilities = canWink ? [.wink, .cbor, .noMessage] : [.cbor, .noMessage]
        self.channels = channels
        requests = RequestQueue(maxWaitingCount: maxWaitingCount)
    }

    /// The time at which ``advance(to:)`` must be called at the latest; nil if only reports and answers matter.
    package var deadline: Duration? {
        // Swift 6.3's optimiser stops where it has put this into a loop of another module.
        @inline(never) get {
            [messageDeadline, requests.deadline].compactMap { $0 }.min()
        }
    }

    /// The time at which the message that is being received is given up; nil if there is none.
    package var messageDeadline: Duration? { receiving == nil ? nil : receivingDeadline }

    /// The bytes of the message that is being received, and of the requests that wait.
    package var heldByteCount: Int { (receiving?.heldByteCount ?? 0) + requests.heldByteCount }

    /// Lets time pass: a message whose rest does not come is given up (HT-HID-17), and requests that have no answer
    /// have their keep-alives (HT-HID-22, HT-HID-36). A time before the latest one counts as that.
    package mutating func advance(to time: Duration) -> [Action] {
        now = max(now, time)
        var actions: [Action] = []
        if let message = receiving, receivingDeadline <= now {
            receiving = nil
            actions = [error(.messageTimeout, message.channel)]
        }
        return actions + requests.takeKeepAlives(at: now).map { keepAlive($0) }
    }

    /// Takes a report of the host. One that does not have 64 bytes is ignored (HT-HID-1).
    package mutating func receive(_ report: [UInt8], at time: Duration) -> [Action] {
        let actions = advance(to: time)
        switch CTAPHIDPacket(report) {
        case .initialization(let packet)?: return actions + begin(packet)
        case .continuation(let packet)?: return actions + proceed(packet)
        case nil: return actions
        }
    }

    /// Sends the authenticator's answer. That of a request that was abandoned is dropped (HT-HID-19).
    ///
    /// - Parameters:
    ///   - id: the request.
    ///   - response: the status byte of CTAP and its response, 1 to 7,609 bytes; for any other length the host is told
    ///     ERR_OTHER (HT-HID-24).
    ///   - time: the time.
    package mutating func answer(_ id: Request.ID, with response: [UInt8], at time: Duration) -> [Action] {
        now = max(now, time)
        return (requests.finish(id).map { send(response, on: $0) } ?? []) + processNext()
    }

    /// A response to a request, or a refusal if it has no length that can be sent.
    private func send(_ response: [UInt8], on channel: CTAPHIDChannel) -> [Action] {
        guard 1...CTAPHIDMessage.maximumByteCount ~= response.count else { return [error(.other, channel)] }
        return send(CTAPHIDMessage(channel, .cbor, response))
    }

    /// Tells the host at once when it is no longer the authenticator that is waited for, but the user, or the other way
    /// round (HT-HID-23). Nothing happens if the request is not being processed, or the status is the same.
    package mutating func setStatus(
        _ status: CTAPHIDKeepAliveStatus, of id: Request.ID, at time: Duration
    ) -> [Action] {
        now = max(now, time)
        return requests.setStatus(status, of: id, at: now).map { [keepAlive($0)] } ?? []
    }

    /// Takes note that no program has the device open any more: their transactions are over, and their lock. Their
    /// channels stay theirs.
    package mutating func close() -> [Action] {
        receiving = nil
        lock = nil
        return requests.dropAll().map { [.abandon($0)] } ?? []
    }
}

// Handling of the host's packets.

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
        // HT-HID-16: a packet that continues nothing is ignored.
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

    /// The refusal of a message because of the device's state; nil if it may begin.
    private mutating func turn(of packet: CTAPHIDPacket.Initialization) -> CTAPHIDErrorCode? {
        let channel = packet.channel
        if let message = receiving {
            // HT-HID-13
            guard message.channel == channel else { return .channelBusy }
            // HT-HID-15: a packet is missing, and those that have come are worth nothing.
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

    /// Ends the transactions of a channel.
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
