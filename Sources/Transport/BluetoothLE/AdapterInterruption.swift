internal import HybridTransport

/// The reason for the early end of a scan or of an advert.
enum AdapterInterruption: Sendable, Hashable {
    case serviceGone, adapterGone, poweredOff, released
    case failed(RadioError.Code, String)

    func error(_ adapter: String) -> RadioError {
        switch self {
        case .serviceGone: RadioError(.serviceLost, reason: "bluetoothd ended while \(adapter) was in use")
        case .adapterGone: RadioError(.absent, reason: "\(adapter) was unplugged while it was in use")
        case .poweredOff:
            SystemRadioSwitch.blocks(adapter)
                ? RadioError(.blocked, reason: "\(adapter) was blocked by rfkill while it was in use")
                : RadioError(.poweredOff, reason: "\(adapter) was powered off while it was in use")
        case .released: RadioError(.failed, reason: "the advert of \(adapter) was taken off the air")
        case .failed(let code, let reason): RadioError(code, reason: reason)
        }
    }

    /// Runs `body` until it is done, or until there is an interruption or `upkeep` fails: then it is cancelled and
    /// waited for.
    ///
    /// - Throws: ``RadioError`` of the interruption; otherwise what `upkeep` or `body` threw.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value, until interruptions: AsyncStream<Self>,
        of adapter: String,
        upkeep: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Value {
        try await BackgroundWork.run(
            body,
            beside: [{ for await interruption in interruptions { throw interruption.error(adapter) } }, upkeep])
    }
}
