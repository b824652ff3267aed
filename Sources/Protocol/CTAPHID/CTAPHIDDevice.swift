/// The device's side of CTAPHID (CTAP 2.1 section 11.2; the article USBHID of HybridProtocol): reports of the host in,
/// things to do out.
///
/// It serves one message at a time. Of the commands it answers CTAPHID_INIT, PING, WINK and LOCK itself; requests of
/// CTAP go to an authenticator by ``Action/process(_:)``, whose answer comes back by ``answer(_:with:at:)``. It has no
/// clock: each call says what time it is, on any clock that does not jump, and ``deadline`` when ``advance(to:)`` is to
/// be called at the latest. It holds at most one message, of at most 7,609 bytes.
package struct CTAPHIDDevice: Sendable {
    /// What is to be done, in this order.
    package enum Action: Sendable, Equatable {
        /// Send this report of 64 bytes to the host.
        case send([UInt8])
        /// Let the authenticator process this request, and pass on its answer.
        case process(Request)
        /// The host cancels the request: the authenticator is to answer it with CTAP2_ERR_KEEPALIVE_CANCEL, soon.
        case cancel(Request.ID)
        /// Nobody waits for the answer any more: the authenticator is to stop, and its answer will be dropped.
        case abandon(Request.ID)
        /// Show the user which device this is.
        case wink
    }

    /// A request of CTAP.
    package struct Request: Sendable, Equatable, Identifiable {
        /// The number of the request: 1 for the device's first, and so on.
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

    enum State: Sendable {
        case idle
        case receiving(PartialMessage, deadline: Duration)
        case processing(Processing)
    }

    struct Processing: Sendable {
        let id: Request.ID
        let channel: CTAPHIDChannel
        var status = CTAPHIDKeepAliveStatus.processing
        var nextKeepAlive: Duration
        var isCancelled = false
    }

    let version: CTAPHIDDeviceVersion
    let capabilities: CTAPHIDCapabilities
    var channels: ChannelAllocator
    var lock: ChannelLock?
    var state = State.idle
    /// The latest time that was heard of.
    var now = Duration.zero
    var lastRequest: Request.ID = 0

    /// Makes a device that nobody has used.
    ///
    /// - Parameters:
    ///   - version: what programs are told as its version.
    ///   - canWink: true if ``Action/wink`` shows something to the user.
    package init(version: CTAPHIDDeviceVersion, canWink: Bool) {
        self.init(version: version, canWink: canWink, channels: ChannelAllocator())
    }

    init(version: CTAPHIDDeviceVersion, canWink: Bool, channels: ChannelAllocator) {
        self.version = version
        capabilities = canWink ? [.wink, .cbor, .noMessage] : [.cbor, .noMessage]
        self.channels = channels
    }

    /// The time at which ``advance(to:)`` is to be called at the latest; nil if only reports and answers matter.
    package var deadline: Duration? {
        // Swift 6.3's optimiser stops where it has put this into a loop of another module.
        @inline(never) get {
            switch state {
            case .idle: nil
            case .receiving(_, let deadline): deadline
            case .processing(let processing): processing.nextKeepAlive
            }
        }
    }

    /// The bytes of the message that is being received.
    package var heldByteCount: Int {
        if case .receiving(let message, _) = state { message.heldByteCount } else { 0 }
    }

    /// Lets time pass: a message whose rest does not come is given up (HT-HID-17), and a request that is being
    /// processed has its keep-alive (HT-HID-22). A time before the latest one counts as that.
    package mutating func advance(to time: Duration) -> [Action] {
        now = max(now, time)
        switch state {
        case .receiving(let message, let deadline) where deadline <= now:
            state = .idle
            return [error(.messageTimeout, message.channel)]
        case .processing(var processing) where processing.nextKeepAlive <= now:
            processing.nextKeepAlive = now + Self.keepAliveInterval
            state = .processing(processing)
            return [keepAlive(processing)]
        default: return []
        }
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
        guard case .processing(let processing) = state, processing.id == id else { return [] }
        state = .idle
        guard 1...CTAPHIDMessage.maximumByteCount ~= response.count else { return [error(.other, processing.channel)] }
        return send(CTAPHIDMessage(processing.channel, .cbor, response))
    }

    /// Tells the host at once when it is no longer the authenticator that is waited for, but the user, or the other way
    /// round (HT-HID-23). Nothing happens if the request is not being processed, or the status is the same.
    package mutating func setStatus(
        _ status: CTAPHIDKeepAliveStatus, of id: Request.ID, at time: Duration
    ) -> [Action] {
        now = max(now, time)
        guard case .processing(var processing) = state, processing.id == id, processing.status != status else {
            return []
        }
        processing.status = status
        processing.nextKeepAlive = now + Self.keepAliveInterval
        state = .processing(processing)
        return [keepAlive(processing)]
    }

    /// Takes note that no program has the device open any more: what they began is over, and their lock. Their channels
    /// stay theirs.
    package mutating func close() -> [Action] {
        defer {
            state = .idle
            lock = nil
        }
        if case .processing(let processing) = state { return [.abandon(processing.id)] }
        return []
    }
}
