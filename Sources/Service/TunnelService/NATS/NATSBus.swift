import COptionalLibraries
package import Encodings
import Glibc
import NIOConcurrencyHelpers

/// The servers of NATS, and the identity of this node there.
package struct NATSSettings: Sendable {
    /// The servers' addresses, `nats://` or `tls://` with a host and a port: the first that answers is used.
    package var servers: [String]
    /// The user whom the servers know, if they ask.
    package var user: String?
    /// The user's password.
    package var password: String?
    /// A file with the certificates to trust, PEM; `nil` for the system's.
    package var authorityFile: String?
    /// The name under which answers come to this node alone: only it may listen to `_INBOX.<name>.>`.
    package var inbox: String

    /// Makes settings.
    package init(servers: [String], user: String?, password: String?, authorityFile: String?, inbox: String) {
        self.servers = servers
        self.user = user
        self.password = password
        self.authorityFile = authorityFile
        self.inbox = inbox
    }
}

/// NATS cannot be used as it was asked for.
package typealias NATSError = CodedError<NATSErrorCode>

/// Kind of failure.
package enum NATSErrorCode: String, ErrorCode {
    /// This machine has no libnats that can be used.
    case noLibrary = "no-nats"
    /// A setting cannot be used.
    case unusable = "unusable-nats"
}

/// An object of libnats, which may be used on any thread.
private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// The nodes' way to each other over NATS, by libnats, which is loaded when the first bus is made.
///
/// A message sent while no server is reached is lost, as is everything that NATS itself may lose.
package final class NATSBus: ClusterBus {
    private struct State: Sendable {
        var connection: Handle?
        var inbox: Listening?
        var questions: [UInt64: @Sendable (ClusterAnswer) -> Void] = [:]
        var lastQuestion: UInt64 = 0
        var observer: Observer?
    }

    private let options: Handle
    private let inbox: String
    private let state = NIOLockedValueBox(State())

    /// The reason why this machine has no libnats that can be used. The library is loaded when that is first asked.
    private static let fault = load_nats().map { String(cString: $0) }
    private static let reconnectMilliseconds: Int64 = 500
    private static let pingMilliseconds: Int64 = 5_000
    private static let connectMilliseconds: Int64 = 2_000
    private static let subjectLimit = 512

    /// Makes a bus, which ``start(_:)`` connects.
    ///
    /// - Throws: ``NATSError`` if there is no library, or a setting cannot be used.
    package init(_ settings: NATSSettings) throws(NATSError) {
        if let fault = Self.fault {
            throw NATSError(.noLibrary, reason: "NATS needs libnats, which cannot be used: \(fault)")
        }
        var made: OpaquePointer?
        guard natsOptions_Create(&made) == NATS_OK, let options = made else {
            throw NATSError(.unusable, reason: "libnats cannot be used")
        }
        self.options = Handle(pointer: options)
        inbox = "_INBOX.\(settings.inbox)"
        var servers = settings.servers.map { UnsafePointer(strdup($0)) }
        defer { for server in servers { free(UnsafeMutableRawPointer(mutating: server)) } }
        try check(natsOptions_SetServers(options, &servers, CInt(servers.count)), "the address of a server")
        if let user = settings.user, let password = settings.password {
            try check(natsOptions_SetUserInfo(options, user, password), "the user and the password")
        }
        if let file = settings.authorityFile {
            try check(natsOptions_LoadCATrustedCertificates(options, file), "the file of the certificates to trust")
        }
        natsOptions_SetName(options, "hybrid tunnel-service")
        natsOptions_SetNoEcho(options, true)
        // The first one is the nearest.
        natsOptions_SetNoRandomize(options, true)
        natsOptions_SetTimeout(options, Self.connectMilliseconds)
        natsOptions_SetMaxReconnect(options, -1)
        natsOptions_SetReconnectWait(options, Self.reconnectMilliseconds)
        natsOptions_SetPingInterval(options, Self.pingMilliseconds)
        natsOptions_SetMaxPingsOut(options, 2)
        // One thread for all subscriptions, of which there is one for each authenticator.
        natsOptions_UseGlobalMessageDelivery(options, true)
        natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil)
    }

    deinit { natsOptions_Destroy(options.pointer) }

    private func check(_ status: natsStatus, _ what: String) throws(NATSError) {
        guard status != NATS_OK else { return }
        throw NATSError(.unusable, reason: "\(what) cannot be used: \(String(cString: natsStatus_GetText(status)))")
    }

    package var isConnected: Bool {
        state.withLockedValue {
            $0.connection.map { natsConnection_Status($0.pointer) == NATS_CONN_STATUS_CONNECTED } ?? false
        }
    }

    package func start(_ changed: @escaping @Sendable () -> Void) {
        let observer = Observer(changed)
        // libnats calls from a thread of its own, also after the end of the connection; at last that it is closed.
        let retained = Unmanaged.passRetained(observer)
        let closure = retained.toOpaque()
        natsOptions_SetRetryOnFailedConnect(options.pointer, true, notifyOfChange, closure)
        natsOptions_SetDisconnectedCB(options.pointer, notifyOfChange, closure)
        natsOptions_SetReconnectedCB(options.pointer, notifyOfChange, closure)
        natsOptions_SetClosedCB(options.pointer, release, closure)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options.pointer)
        guard status == NATS_OK || status == NATS_NOT_YET_CONNECTED, let connection else {
            return retained.release()
        }
        state.withLockedValue { $0.observer = observer }
        let handle = Handle(pointer: connection)
        state.withLockedValue { $0.connection = handle }
        let inbox = listen("\(inbox).*") { [weak self] in self?.take($0) }
        state.withLockedValue { $0.inbox = inbox }
    }

    package func stop() {
        let (connection, inbox, observer) = state.withLockedValue { state in
            defer {
                state.connection = nil
                state.inbox = nil
                state.observer = nil
            }
            return (state.connection, state.inbox, state.observer)
        }
        observer?.end()
        inbox?.cancel()
        // It joins libnats's threads, which may be waiting for our lock.
        if let connection {
            natsConnection_Close(connection.pointer)
            natsConnection_Destroy(connection.pointer)
        }
    }

    package func publish(_ message: [UInt8], to subject: String) {
        guard isConnected, let connection = state.withLockedValue({ $0.connection }) else { return }
        message.withUnsafeBytes { bytes in
            _ = natsConnection_Publish(connection.pointer, subject, bytes.baseAddress, CInt(bytes.count))
        }
    }

    package func request(
        of subject: String, _ message: (_ reply: String) -> [UInt8],
        _ answer: @escaping @Sendable (ClusterAnswer) -> Void
    ) -> any ClusterSubscription {
        guard isConnected, let connection = state.withLockedValue({ $0.connection }) else { return Asking {} }
        let number = state.withLockedValue { state in
            state.lastQuestion += 1
            state.questions[state.lastQuestion] = answer
            return state.lastQuestion
        }
        let reply = "\(inbox).\(number)"
        message(reply).withUnsafeBytes { bytes in
            _ = natsConnection_PublishRequest(
                connection.pointer, subject, reply, bytes.baseAddress, CInt(bytes.count))
        }
        return Asking { [weak self] in self?.state.withLockedValue { $0.questions[number] = nil } }
    }

    package func subscribe(
        to subject: String, _ handler: @escaping @Sendable (ClusterDelivery) -> Void
    ) -> any ClusterSubscription {
        listen(subject) { message in
            let answer = message.reply.map { reply -> @Sendable ([UInt8]) -> Void in
                { [weak self] bytes in self?.publish(bytes, to: reply) }
            }
            handler(
                ClusterDelivery(
                    message: message.bytes, subject: message.subject, reply: message.reply, answer: answer))
        }
    }

    /// Hands an answer to who has asked.
    private func take(_ message: Message) {
        guard let number = UInt64(message.subject.dropFirst(inbox.utf8.count + 1)),
            let question = state.withLockedValue({ $0.questions[number] })
        else { return }
        question(message.saysNobody ? .nobody : .message(message.bytes))
    }

    private func listen(_ subject: String, _ handler: @escaping @Sendable (Message) -> Void) -> Listening {
        let listening = Listening(handler)
        if let connection = state.withLockedValue({ $0.connection }) {
            listening.begin(connection.pointer, subject)
        }
        return listening
    }

    /// Observer of the connection: called when it has been lost or is there again.
    fileprivate final class Observer: Sendable {
        private let changed: NIOLockedValueBox<(@Sendable () -> Void)?>

        init(_ changed: @escaping @Sendable () -> Void) { self.changed = NIOLockedValueBox(changed) }

        func tell() { changed.withLockedValue { $0 }?() }

        /// Tells nobody any more.
        func end() { changed.withLockedValue { $0 = nil } }
    }

    /// A message as libnats brings it, copied.
    fileprivate struct Message: Sendable {
        let bytes: [UInt8]
        let subject: String
        let reply: String?
        let saysNobody: Bool
    }

    /// A question that is waited for until it is cancelled.
    private struct Asking: ClusterSubscription {
        let end: @Sendable () -> Void

        func cancel() { end() }
    }

    /// A subscription of libnats, which holds on to this until its last message is handled.
    fileprivate final class Listening: ClusterSubscription {
        let handler: @Sendable (Message) -> Void
        private let subscription = NIOLockedValueBox<Handle?>(nil)

        init(_ handler: @escaping @Sendable (Message) -> Void) { self.handler = handler }

        func begin(_ connection: OpaquePointer, _ subject: String) {
            let retained = Unmanaged.passRetained(self)
            var made: OpaquePointer?
            guard natsConnection_Subscribe(&made, connection, subject, deliver, retained.toOpaque()) == NATS_OK
            else {
                return retained.release()
            }
            natsSubscription_SetOnCompleteCB(
                made, { $0.map { Unmanaged<Listening>.fromOpaque($0).release() } }, retained.toOpaque())
            let handle = made.map(Handle.init)
            subscription.withLockedValue { $0 = handle }
        }

        func cancel() {
            guard let ended = subscription.withLockedValue({ $0.take() }) else { return }
            natsSubscription_Unsubscribe(ended.pointer)
            natsSubscription_Destroy(ended.pointer)
        }
    }
}

/// Called by libnats when it is connected, or not any more.
private func notifyOfChange(_: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard let closure else { return }
    Unmanaged<NATSBus.Observer>.fromOpaque(closure).takeUnretainedValue().tell()
}

/// Called by libnats when a connection is closed, and after that no more.
private func release(_: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard let closure else { return }
    Unmanaged<NATSBus.Observer>.fromOpaque(closure).release()
}

/// Called by libnats for each message.
private func deliver(
    _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?, _ closure: UnsafeMutableRawPointer?
) {
    guard let message, let closure else { return }
    defer { natsMsg_Destroy(message) }
    let listening = Unmanaged<NATSBus.Listening>.fromOpaque(closure).takeUnretainedValue()
    let count = Int(natsMsg_GetDataLength(message))
    let bytes = natsMsg_GetData(message).map { data in
        [UInt8](UnsafeRawBufferPointer(start: data, count: count))
    }
    listening.handler(
        NATSBus.Message(
            bytes: bytes ?? [], subject: String(cString: natsMsg_GetSubject(message)),
            reply: natsMsg_GetReply(message).map { String(cString: $0) },
            saysNobody: natsMsg_IsNoResponders(message)))
}
