internal import HybridProtocol
internal import Synchronization

/// An emulated tunnel service: the runner's socket as a relay, with the quirks of a persona. It wakes nobody, and
/// bounds neither tunnels nor their time: for labs.
///
/// Without a quirk it takes digits of either case, gives a random routing ID, and asks for no subprotocol.
package struct EmulatedService: Sendable {
    let quirks: Set<ServiceQuirk>
    private let tunnels = Tunnels()

    /// The tunnels whose client has not come yet, by tunnel ID.
    private final class Tunnels: Sendable {
        private let waiting = Mutex<[String: Task<WebSocketEnd, any Error>]>([:])
        /// More than one lab has.
        static let limit = 1_000

        /// Knows a tunnel before its authenticator is answered: the client may come as soon as that has the answer.
        func open(
            _ id: String, _ answer: @escaping @Sendable () async throws -> WebSocketEnd
        ) -> Task<WebSocketEnd, any Error>? {
            waiting.withLock { waiting in
                guard waiting.count < Self.limit, waiting[id] == nil else { return nil }
                let end = Task { try await answer() }
                waiting[id] = end
                return end
            }
        }

        func take(_ id: String) -> Task<WebSocketEnd, any Error>? { waiting.withLock { $0.removeValue(forKey: id) } }
    }

    private static let longestMessage = 16_384
    private static let mostMessages = 16
    private static let headTime = Duration.seconds(10)

    package init(_ quirks: Set<ServiceQuirk>) { self.quirks = quirks }

    private func has(_ quirk: ServiceQuirk) -> Bool { quirks.contains(quirk) }

    /// Serves until the task is cancelled.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - port: the port; 0 for any.
    ///   - identity: its certificate; nil for no TLS.
    ///   - ready: gets the port.
    package func run(
        host: String = "127.0.0.1", port: Int = 0, identity: ServiceIdentity? = nil,
        ready: @escaping @Sendable (Int) -> Void
    ) async throws {
        try await WireListener.with(host: host, port: port, tls: identity?.context) { listener in
            ready(listener.port)
            try await withThrowingDiscardingTaskGroup { group in
                while true {
                    let connection = try await listener.accept()
                    // An error of one connection ends that alone.
                    group.addTask { try? await serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: WireConnection) async throws {
        guard let bytes = try await within(Self.headTime, "a request", { try await connection.takeHead() }) else {
            return await connection.close()
        }
        let head = try RequestHead(bytes)
        let parts = head.path.split(separator: "/").map(String.init)
        let isNew = parts.count == 3 && parts.starts(with: ["cable", has(.noNew) ? "custom" : "new"])
        let isConnect = parts.count == 4 && parts.starts(with: ["cable", "connect"])
        let request = PendingRequest(head: head, connection: connection)
        if let status = refusal(head, parts.last ?? "", isKnown: isNew || isConnect) {
            return await refuse(request, status)
        }
        let id = parts.last?.lowercased() ?? ""
        guard isConnect else {
            let routingID = has(.routingIDOfZeros) ? "000000" : String(UInt32.random(in: 1 << 20..<1 << 24), radix: 16)
            let answer = { @Sendable in try await request.answer(UpgradeResponse(routingID: routingID)) }
            guard let opening = tunnels.open(id, answer) else { return await (try answer()).close(1013) }
            if case .failure = await opening.result { _ = tunnels.take(id) }
            return
        }
        guard let authenticator = try? await tunnels.take(id)?.value else { return await refuse(request, 404) }
        let client = try await request.answer(UpgradeResponse(routingID: nil))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await relay(client, authenticator) }
            group.addTask { await relay(authenticator, client) }
        }
    }

    private func refusal(_ head: RequestHead, _ id: String, isKnown: Bool) -> Int? {
        if !head["Sec-WebSocket-Protocol"].contains(where: { $0.contains("fido.cable") }) {
            if has(.status400WithoutSubprotocol) { return 400 }
            if has(.status403WithoutSubprotocol) { return 403 }
        }
        guard isKnown else { return 404 }
        return has(.lowerCaseOnly) && id != id.lowercased() ? 400 : nil
    }

    private func refuse(_ request: PendingRequest, _ status: Int) async {
        _ = try? await request.answer(.status(status))
        await request.connection.close()
    }

    /// Passes messages on in one direction, until either side closes.
    private func relay(_ source: WebSocketEnd, _ target: WebSocketEnd) async {
        var count = 0
        while let message = try? await source.message() {
            count += 1
            if has(.sixteenMessages), count > Self.mostMessages { break }
            if has(.sixteenKiBMessages), message.count > Self.longestMessage { break }
            await target.send(message)
        }
        await target.close()
        await source.close()
    }
}
