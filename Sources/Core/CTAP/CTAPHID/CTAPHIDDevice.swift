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
    ///   - version: what programs are told as its version.
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

    /// Takes note that no program has the device open any more: what they began is over, and their lock. Their channels
    /// stay theirs.
    package mutating func close() -> [Action] {
        receiving = nil
        lock = nil
        return requests.dropAll().map { [.abandon($0)] } ?? []
    }
}
