internal import Glibc
internal import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// A connected L2CAP channel as a ``DataChannel``: its pieces are SDUs.
///
/// A thread of its own polls the socket and reads at once: kernels before 6.9 give a peer new credits whether we read
/// or not, and drop SDUs that the socket then cannot hold. (NIO's channels for foreign sockets cannot be used: they
/// read streams into buffers of a length of their own, which cuts SDUs off, and know no addresses of this family.)
/// Writing needs the thread only to wait.
///
/// The kernel reports a disconnection by the peer as a reset, before it delivers earlier SDUs; so the rest is read, and
/// then the channel is `closed`. A link that was lost is `connection-lost`.
final class L2CAPChannel: SDUChannel {
    private typealias Received = Result<[UInt8], DataChannelError>

    private struct State {
        var pieces: [[UInt8]] = []
        var byteCount = 0
        /// The end of the channel: nothing more is received or sent.
        var end: DataChannelError?
        /// True once the thread must close the socket.
        var isClosing = false
        var isGone = false
        /// True if the other end has closed a local socket without having read everything.
        var wasReset = false
        var receiver: CheckedContinuation<Received, Never>?
        var writers: [CheckedContinuation<Void, Never>] = []
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let keepsMessagesWhole = false

    private let socket: any SDUSocket
    private let wakePipe: WakePipe
    private let state = Mutex(State())
    /// The longest SDU that the peer takes, in bytes.
    let peerMTU: Int

    /// Number of bytes that may wait for a reader before no more are read: more than the longest message.
    private static let longestInbox = 1 << 21
    /// Number of bytes that an SDU counts beside its own, so that a flood of small ones is bounded too.
    private static let pieceCost = 64
    /// Longest time to wait, when the channel is closed, until everything was sent.
    private static let flushLimit = Duration.seconds(1)
    private static let flushInterval = Duration.milliseconds(5)
    /// Time to another attempt when the socket is writable, but not for this SDU.
    private static let sendInterval = Duration.milliseconds(2)

    /// Takes over a connected socket.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable` if the system has no file or no thread left.
    init(_ socket: any SDUSocket, peerMTU: Int) throws(DataChannelError) {
        self.socket = socket
        self.peerMTU = peerMTU
        wakePipe = try .forChannel()
        try PollThread.startForChannel { self.run() }
    }

    var hasUnreadSDUs: Bool { state.withLock { $0.wasReset } || socket.hasUnread }

    func send(_ message: [UInt8]) async throws(DataChannelError) {
        // As one SDU where it fits.
        var rest = message[...]
        while !rest.isEmpty {
            let piece = rest.prefix(peerMTU)
            try await sendSDU(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
    }

    func sendSDU(_ piece: [UInt8]) async throws(DataChannelError) {
        var attempts = 0
        while true {
            if Task.isCancelled { cancel() }
            let isSent = try state.withLock { (state) throws(DataChannelError) in
                if let end = state.end { throw end }
                return try Self.write(piece, to: socket)
            }
            if isSent { return }
            if attempts > 0 { try? await Task.sleep(for: Self.sendInterval) }
            attempts += 1
            await untilWritable()
        }
    }

    /// Writes one SDU; false if the socket cannot take it now.
    private static func write(_ piece: [UInt8], to socket: any SDUSocket) throws(DataChannelError) -> Bool {
        let written = piece.withUnsafeBytes { bytes in
            Glibc.send(socket.file, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        guard written < 0 else { return true }
        switch errno {
        case EAGAIN, EINTR, ENOBUFS, ENOMEM: return false
        default: throw ended(errno)
        }
    }

    private func untilWritable() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.end == nil else { return true }
                    state.writers.append(continuation)
                    return false
                }
                if isOver { continuation.resume() } else { wakePipe.signal() }
            }
        } onCancel: {
            cancel()
        }
    }

    func receive() async throws(DataChannelError) -> [UInt8] {
        let result: Received = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Received? = state.withLock { state in
                    if !state.pieces.isEmpty {
                        let piece = state.pieces.removeFirst()
                        state.byteCount -= piece.count + Self.pieceCost
                        return .success(piece)
                    }
                    if let end = state.end { return .failure(end) }
                    guard state.receiver == nil else {
                        return .failure(DataChannelError(.closed, reason: "two tasks receive at once"))
                    }
                    state.receiver = continuation
                    return nil
                }
                wakePipe.signal()
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    func close() async {
        await withCheckedContinuation { continuation in
            let isGone = state.withLock { state in
                state.pieces = []
                if !state.isGone { state.closers.append(continuation) }
                return state.isGone
            }
            if isGone { return continuation.resume() }
            end(DataChannelError(.closed, reason: "closed on this side"), closing: true)
        }
    }

    /// Ends the channel for a task that was cancelled.
    private func cancel() {
        state.withLock { $0.pieces = [] }
        end(DataChannelError(.cancelled, reason: "cancelled"), closing: true)
    }

    /// Records the end and resumes all that wait; the first reason counts.
    private func end(_ error: DataChannelError, closing: Bool) {
        let (receiver, writers) = state.withLock { state in
            if state.end == nil { state.end = error }
            if closing { state.isClosing = true }
            defer { (state.receiver, state.writers) = (nil, []) }
            return (state.receiver, state.writers)
        }
        receiver?.resume(returning: .failure(error))
        for writer in writers { writer.resume() }
        wakePipe.signal()
    }

    private static let tooLong = DataChannelError(
        .messageTooLong, reason: "the other device sent an SDU above \(L2CAPSocket.longestSDU) bytes")

    private static func ended(_ number: Int32) -> DataChannelError {
        switch number {
        case ECONNRESET, EPIPE, ENOTCONN, ESHUTDOWN:
            DataChannelError(.closed, reason: "the other device closed the channel")
        default: .failed(.connectionLost, "the connection to the other device was lost", number)
        }
    }
}

// The polling thread.
extension L2CAPChannel {
    /// Polls until the channel is closed on this side, and then closes the socket.
    private func run() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (isClosing, events) = state.withLock { state -> (Bool, Int32) in
                // A socket that has ended is always ready.
                guard state.end == nil else { return (state.isClosing, 0) }
                let input = state.byteCount < Self.longestInbox ? POLLIN : 0
                return (state.isClosing, input | (state.writers.isEmpty ? 0 : POLLOUT))
            }
            if isClosing { break }
            // Without events, poll would still report that the peer is gone, again and again.
            let ready = PollThread.poll([(events == 0 ? -1 : socket.file, events), (wakePipe.file, POLLIN)])
            if ready[1] != 0 { wakePipe.drain() }
            guard ready[0] != 0 else { continue }
            if events & POLLIN != 0 { take(into: &buffer) }
            if ready[0] & ~POLLIN != 0 { resumeWriters() }
        }
        flushAndDisconnect()
    }

    private func resumeWriters() {
        let writers = state.withLock { state in
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    /// Reads all SDUs that are there, and the end.
    private func take(into buffer: inout [UInt8]) {
        var reason: DataChannelError?
        while true {
            let count = recv(socket.file, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                // The kernel's own L2CAP sockets deliver no longer ones.
                guard count <= L2CAPSocket.longestSDU else { return end(Self.tooLong, closing: false) }
                // After the end, the kernel bounds the SDUs that the peer had sent before.
                guard put(Array(buffer[..<count])) || reason != nil else { return }
                continue
            }
            // Zero is the end, unless the kernel has given a reason before; earlier SDUs are still delivered after it.
            guard count < 0 else { return end(reason ?? Self.ended(ECONNRESET), closing: false) }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                if let reason { end(reason, closing: false) }
                return
            default:
                if let reason { return end(reason, closing: false) }
                reason = Self.ended(errno)
                if reason?.code == .closed, socket is SimulatedChannelSocket { state.withLock { $0.wasReset = true } }
            }
        }
    }

    /// Passes a piece to the task that waits for one, or keeps it; false if no more may be read.
    private func put(_ piece: [UInt8]) -> Bool {
        let (receiver, takesMore) = state.withLock { state -> (CheckedContinuation<Received, Never>?, Bool) in
            guard state.end == nil else { return (nil, false) }
            if let receiver = state.receiver {
                state.receiver = nil
                return (receiver, true)
            }
            state.pieces.append(piece)
            state.byteCount += piece.count + Self.pieceCost
            return (nil, state.byteCount < Self.longestInbox)
        }
        receiver?.resume(returning: .success(piece))
        return takesMore
    }

    /// Waits within a limit until everything was sent, and disconnects.
    private func flushAndDisconnect() {
        let deadline = ContinuousClock.now + Self.flushLimit
        let mayWait = state.withLock { $0.end?.code != .cancelled }
        while mayWait, !socket.hasSentEverything, ContinuousClock.now < deadline {
            _ = PollThread.poll([], atMost: Self.flushInterval)
        }
        shutdown(socket.file, Int32(SHUT_RDWR))
        let closers = state.withLock { state in
            state.isGone = true
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
