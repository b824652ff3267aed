internal import HybridTransport

extension NearbySession {
    /// Sends bytes and sealed messages in one SDU, each with a terminator.
    ///
    /// - Parameter first: a message before the sealed ones; none if empty.
    func sendTogether(_ first: [UInt8], _ messages: [[UInt8]]) async throws {
        var sdu = first.isEmpty ? [] : first + NearbyEnd.terminator
        for message in messages { sdu += try seal(message) + NearbyEnd.terminator }
        await socket.send(sdu: sdu)
    }
}

extension ClientTestContext {
    /// Demands that a client comes by one of the adverts, on L2CAP or by the tunnel, and that its session goes well.
    ///
    /// - Parameter adverts: the service data that are sent, from the sealed advert and the PSM on which we listen.
    func comesEitherWay(_ adverts: ([UInt8], UInt16) -> [[UInt8]]) async throws {
        let code = try await nearbyCode()
        let listening = try await listen()
        let plaintext = plaintext()
        let sent = adverts(try Self.seal(plaintext, code), listening.psm).map { TestAdvert(data: $0) }
        enum Arrival: Sendable {
            case nearby(NearbyEnd)
            case tunnel(TunnelRequest)
        }
        let arrival = try await transmitter.send(sent) {
            try await withThrowingTaskGroup(of: Arrival.self) { group in
                group.addTask { .nearby(try await accept(listening)) }
                group.addTask { .tunnel(try await request()) }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
        await listening.close()
        switch arrival {
        case .nearby(let end): try await complete(answer(receiveHandshake(end, code, plaintext)))
        case .tunnel(let request):
            try await complete(answer(receiveHandshake(Rendezvous(code: code, plaintext: plaintext, request: request))))
        }
    }
}
