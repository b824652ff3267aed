/// The requests of CTAP that have no answer yet, first come first served, at most one a channel: the authenticator has
/// the first, the others wait (HT-HID-36).
struct RequestQueue: Sendable {
    struct Entry: Sendable {
        let channel: CTAPHIDChannel
        /// Empty once the authenticator has it.
        fileprivate(set) var payload: [UInt8]
        /// Its number; nil while it waits.
        fileprivate(set) var id: CTAPHIDDevice.Request.ID?
        fileprivate(set) var status = CTAPHIDKeepAliveStatus.processing
        fileprivate var nextKeepAlive: Duration
        fileprivate var isCancelled = false
    }

    /// Outcome of cancelling the request of a channel.
    enum Cancellation {
        /// There is none, or it was cancelled before.
        case nothing
        /// The authenticator has it.
        case processed(CTAPHIDDevice.Request.ID)
        /// It was waiting, and is no longer there.
        case waiting
    }

    /// The number of requests that may wait.
    private let maxWaitingCount: Int
    private var entries: [Entry] = []
    /// The request that the authenticator has not answered, also if it was given up.
    private var unanswered: CTAPHIDDevice.Request.ID?
    private var lastID: CTAPHIDDevice.Request.ID = 0

    /// Makes an empty one.
    init(maxWaitingCount: Int) { self.maxWaitingCount = maxWaitingCount }

    var isEmpty: Bool { entries.isEmpty }

    /// True if one more may wait.
    var hasRoom: Bool { entries.count { $0.id == nil } < maxWaitingCount }

    /// The channels whose requests are here.
    var channels: [CTAPHIDChannel] { entries.map(\.channel) }

    /// The bytes of the requests that wait.
    var heldByteCount: Int { entries.reduce(0) { $0 + $1.payload.count } }

    /// The time of the next keep-alive; nil if there is no request.
    var deadline: Duration? { entries.map(\.nextKeepAlive).min() }

    /// Takes a request in. ``next()`` says whether it is its turn.
    mutating func append(_ message: CTAPHIDMessage, at time: Duration) {
        entries.append(
            Entry(
                channel: message.channel, payload: message.payload,
                nextKeepAlive: time + CTAPHIDDevice.keepAliveInterval))
    }

    /// The request that the authenticator must process now; nil if there is none, or it has not answered the one
    /// before.
    mutating func next() -> CTAPHIDDevice.Request? {
        guard unanswered == nil, let first = entries.first else { return nil }
        lastID += 1
        unanswered = lastID
        entries[0].id = lastID
        entries[0].payload = []
        return CTAPHIDDevice.Request(id: lastID, channel: first.channel, payload: first.payload)
    }

    /// The channels whose requests have a keep-alive now, and its status (HT-HID-22).
    mutating func takeKeepAlives(at time: Duration) -> [Entry] {
        let due = entries.indices.filter { entries[$0].nextKeepAlive <= time }
        for index in due { entries[index].nextKeepAlive = time + CTAPHIDDevice.keepAliveInterval }
        return due.map { entries[$0] }
    }

    /// Takes the status of the request that the authenticator has (HT-HID-23); nil if it is the same, or the request is
    /// another.
    mutating func setStatus(
        _ status: CTAPHIDKeepAliveStatus, of id: CTAPHIDDevice.Request.ID, at time: Duration
    ) -> Entry? {
        guard let first = entries.first, first.id == id, first.status != status else { return nil }
        entries[0].status = status
        entries[0].nextKeepAlive = time + CTAPHIDDevice.keepAliveInterval
        return entries[0]
    }

    /// Takes note that the authenticator has answered, and drops the request; nil if it was given up, or is another.
    mutating func finish(_ id: CTAPHIDDevice.Request.ID) -> CTAPHIDChannel? {
        guard unanswered == id else { return nil }
        unanswered = nil
        return entries.first?.id == id ? entries.removeFirst().channel : nil
    }

    /// Cancels the request of a channel. One that waits is dropped.
    mutating func cancel(_ channel: CTAPHIDChannel) -> Cancellation {
        guard let index = entries.firstIndex(where: { $0.channel == channel }) else { return .nothing }
        guard let id = entries[index].id else {
            entries.remove(at: index)
            return .waiting
        }
        defer { entries[index].isCancelled = true }
        return entries[index].isCancelled ? .nothing : .processed(id)
    }

    /// Drops the request of a channel. Its number is returned if the authenticator has it.
    ///
    /// If requests wait, the authenticator gets the next one when it has answered; otherwise it may have several.
    mutating func drop(_ channel: CTAPHIDChannel) -> CTAPHIDDevice.Request.ID? {
        guard let index = entries.firstIndex(where: { $0.channel == channel }) else { return nil }
        let id = entries.remove(at: index).id
        if id != nil, maxWaitingCount == 0 { unanswered = nil }
        return id
    }

    /// Drops all requests. The number of that which the authenticator has is returned.
    mutating func dropAll() -> CTAPHIDDevice.Request.ID? {
        channels.compactMap { drop($0) }.first
    }
}
