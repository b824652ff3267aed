internal import HybridProtocol
internal import Synchronization

/// One connection of a ``ContactListener``: registers, decides about wakes, and registers again when the links have
/// changed.
final class ContactSession: Sendable {
    private struct State {
        var channel: (any DataChannel)?
        /// The challenge that the next registration signs; nil while one is under way.
        var challenge: [UInt8]?
        /// The links of the registration that is under way.
        var asked: [ContactLink] = []
        /// True if another registration must follow.
        var isStale = false
        /// The contact IDs of our links: those that the service has given them, and those that their clients have.
        var links: [ContactID: LinkID] = [:]
        var isRegistered = false
        /// Wakes by contact IDs that the next registration may name.
        var unnamed: [ServiceMessage.Wake] = []
    }

    /// The number of wakes that may wait for the next registration.
    private static let unnamedLimit = 8

    private let key: ContactKey
    private let host: String
    private let history: WakeHistory
    private let links: @Sendable () async throws -> [ContactLink]
    private let feed: AsyncStream<ContactEvent>.Continuation
    private let registrationRequests: AsyncStream<Void>
    private let registrationRequested: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    init(
        _ key: ContactKey,
        host: String,
        history: WakeHistory,
        feed: AsyncStream<ContactEvent>.Continuation,
        links: @escaping @Sendable () async throws -> [ContactLink]
    ) {
        self.key = key
        self.host = host
        self.history = history
        self.feed = feed
        self.links = links
        (registrationRequests, registrationRequested) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// True if the service has accepted a registration.
    var isRegistered: Bool { state.withLock { $0.isRegistered } }

    /// Requests another registration.
    func requestRegistration() { registrationRequested.yield() }

    /// Tells the service that the authenticator will not come.
    func decline(_ tunnelID: TunnelID) async {
        history.decide(tunnelID, isAccepted: false)
        // If it cannot be sent, the connection has ended, which `run` reports.
        try? await state.withLock { $0.channel }?.send(AuthenticatorMessage.decline(tunnelID: tunnelID.bytes).encoded())
    }

    /// Runs as long as the connection.
    ///
    /// - Returns: the error that has ended it.
    func run(_ channel: any DataChannel, answerWithin limits: ContactListener.Limits) async -> DataChannelError {
        do throws(DataChannelError) {
            try await register(channel, answerWithin: limits)
        } catch {
            return error.asContactError
        }
        return await withTaskGroup(of: DataChannelError?.self) { group in
            group.addTask { await self.listen(channel).asContactError }
            group.addTask {
                for await _ in self.registrationRequests { await self.registerAgain() }
                return nil
            }
            defer { group.cancelAll() }
            while let end = await group.next() {
                if let end { return end }
            }
            return DataChannelError(.cancelled, reason: "cancelled")
        }
    }

    /// Registers for the first time (TS-CON-9).
    private func register(
        _ channel: any DataChannel, answerWithin limits: ContactListener.Limits
    ) async throws(DataChannelError) {
        let challenge = try await channel.receiveChallenge(within: limits)
        let links: [ContactLink]
        do {
            links = try await self.links()
        } catch {
            throw DataChannelError(.linksUnavailable, reason: "the links could not be read")
        }
        let registration = try key.registration(
            of: links.map(\.linkID), listens: true, host: host, challenge: challenge)
        try await channel.send(AuthenticatorMessage.register(registration).encoded())
        let (contactIDs, next) = try await channel.receiveRegistered(count: links.count, within: limits)
        state.withLock { $0.channel = channel }
        registered(links, contactIDs, next)
    }

    /// Records the contact IDs that the service has given our links.
    private func registered(_ links: [ContactLink], _ contactIDs: [ContactID], _ challenge: [UInt8]) {
        let linkIDs = links.map(\.linkID)
        // A service with another contact secret still wakes by IDs that it issued with the previous one (TS-CON-42).
        let kept = links.compactMap { link in link.contactID.map { ($0, link.linkID) } }
        state.withLock { state in
            state.isRegistered = true
            state.challenge = challenge
            state.links = Dictionary(Array(zip(contactIDs, linkIDs)) + kept, uniquingKeysWith: { first, _ in first })
        }
        feed.yield(.registered(Dictionary(zip(linkIDs, contactIDs), uniquingKeysWith: { first, _ in first })))
    }

    /// Registers the present links, or, while a registration is under way, as soon as that is over. If the links cannot
    /// be read, the service goes on with those that it knows.
    private func registerAgain() async {
        let taken = state.withLock { state -> (any DataChannel, [UInt8])? in
            guard let channel = state.channel, let challenge = state.challenge.take() else {
                state.isStale = true
                return nil
            }
            return (channel, challenge)
        }
        guard let (channel, challenge) = taken else { return }
        guard let links = try? await links(),
            let registration = try? key.registration(
                of: links.map(\.linkID), listens: true, host: host, challenge: challenge)
        else { return state.withLock { $0.challenge = challenge } }
        state.withLock { $0.asked = links }
        try? await channel.send(AuthenticatorMessage.register(registration).encoded())
    }

    /// Takes messages until the connection ends.
    ///
    /// - Returns: the error that has ended it.
    private func listen(_ channel: any DataChannel) async -> DataChannelError {
        do throws(DataChannelError) {
            while true {
                switch try ServiceMessage(received: await channel.receive()) {
                case .hello: throw .contactViolation("the service says hello twice")
                case .registered(let contactIDs, let challenge):
                    try await registeredAgain(contactIDs, challenge, channel)
                case .wake(let wake): try await decide(wake, channel, mayWait: true)
                }
            }
        } catch {
            return error
        }
    }

    private func registeredAgain(
        _ contactIDs: [[UInt8]], _ challenge: [UInt8], _ channel: any DataChannel
    ) async throws(DataChannelError) {
        let links = state.withLock { $0.asked }
        registered(links, try ContactID.all(contactIDs, count: links.count), challenge)
        let (wakes, isStale) = state.withLock { state in
            defer { (state.unnamed, state.isStale) = ([], false) }
            return (state.unnamed, state.isStale)
        }
        for wake in wakes { try await decide(wake, channel, mayWait: false) }
        if isStale { await registerAgain() }
    }

    /// Accepts or declines a wake; once, however often it is announced (TS-CON-26, TS-CON-28,
    /// TS-CON-27).
    ///
    /// - Parameter mayWait: true if the wake may be of a link that the next registration names.
    private func decide(
        _ message: ServiceMessage.Wake, _ channel: any DataChannel, mayWait: Bool
    ) async throws(DataChannelError) {
        // Their lengths have been checked.
        guard let tunnelID = try? TunnelID(message.tunnelID), let routingID = try? RoutingID(message.routingID),
            let contactID = try? ContactID(message.contactID)
        else { throw .contactViolation("a wake of wrong lengths") }
        if let isAccepted = history.isAccepted(tunnelID) { return try await answer(tunnelID, isAccepted, channel) }
        let known = state.withLock { $0.links }
        let current = (try? await links())?.map(\.linkID)
        guard let linkID = known[contactID] else {
            let isOfNewLink = mayWait && current.map { Set($0) != Set(known.values) } == true
            guard isOfNewLink, wait(for: message) else { return try await refuse(tunnelID, .unknownLink, channel) }
            return await registerAgain()
        }
        guard current?.contains(linkID) != false else {
            try await refuse(tunnelID, .unknownLink, channel)
            return await registerAgain()
        }
        guard history.admitsOneMore() else { return try await refuse(tunnelID, .tooMany, channel) }
        try await answer(tunnelID, true, channel)
        feed.yield(
            .wake(
                ContactWake(
                    linkID: linkID, contactID: contactID, tunnelID: tunnelID, routingID: routingID,
                    clientPayload: message.clientPayload)))
    }

    private func wait(for wake: ServiceMessage.Wake) -> Bool {
        state.withLock { state in
            guard state.unnamed.count < Self.unnamedLimit else { return false }
            state.unnamed.append(wake)
            return true
        }
    }

    private func refuse(
        _ tunnelID: TunnelID, _ reason: ContactRefusal, _ channel: any DataChannel
    ) async throws(DataChannelError) {
        try await answer(tunnelID, false, channel)
        feed.yield(.refused(reason))
    }

    private func answer(
        _ tunnelID: TunnelID, _ isAccepted: Bool, _ channel: any DataChannel
    ) async throws(DataChannelError) {
        history.decide(tunnelID, isAccepted: isAccepted)
        let message: AuthenticatorMessage =
            isAccepted ? .acknowledge(tunnelID: tunnelID.bytes) : .decline(tunnelID: tunnelID.bytes)
        try await channel.send(message.encoded())
    }
}
