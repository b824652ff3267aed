import HybridProtocol
import HybridTransport
import Synchronization

/// A radio in memory: every scan receives every advert on it, again and again, as from a real advertiser.
final class TestRadio: Advertiser, AdvertScanner {
    private struct State {
        var onAir: [Int: ReceivedAdvert] = [:]
        var hasAdvertised = false
        var repetitions = 0
        var next = 0
        var scans: [Int: ReceivedAdverts.Continuation] = [:]
        var refusal: RadioError?
    }

    private let state = Mutex(State())
    private let resources: ResourceCounter

    private let interval: Duration

    /// The interval at which an advert is repeated, unless another one is given.
    static let interval: Duration = .milliseconds(2)

    init(_ resources: ResourceCounter, interval: Duration = interval) {
        self.resources = resources
        self.interval = interval
    }

    /// Lets every scan and advert that starts from now on fail.
    func refuse(_ error: RadioError) { state.withLock { $0.refusal = error } }

    /// Lets the radio go away under every scan that runs.
    func fail(_ error: RadioError) {
        for scan in state.withLock({ $0.scans }).values { scan.finish(throwing: error) }
    }

    /// Puts an advert on the air for good.
    func broadcast(_ serviceData: [UInt8], service: ServiceUUID = .fido, sender: String = "peer") {
        _ = put(ReceivedAdvert(service: service, serviceData: serviceData, sender: sender))
    }

    /// The service data of everything on the air.
    var onAir: [[UInt8]] { state.withLock { $0.onAir.values.map(\.serviceData) } }

    /// Waits until scans have heard everything on the air so many times more.
    func repeatAdverts(_ count: Int) async throws {
        let end = state.withLock(\.repetitions) + count
        while state.withLock(\.repetitions) < end { try await Task.sleep(for: interval) }
    }

    /// True if something is on the air, or was.
    var hasAdvertised: Bool { state.withLock(\.hasAdvertised) }

    func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        let key = put(
            ReceivedAdvert(
                service: .fido, serviceData: serviceData, sender: "authenticator",
                address: BluetoothAddress("00:11:22:33:44:55", .random)))
        resources.change { $0.advertsOnAir += 1 }
        defer {
            state.withLock { $0.onAir[key] = nil }
            resources.change { $0.advertsOnAir -= 1 }
        }
        return try await body()
    }

    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        let (adverts, continuation) = ReceivedAdverts.makeStream(bufferingPolicy: .bufferingNewest(64))
        let key = number()
        state.withLock { $0.scans[key] = continuation }
        resources.change { $0.scans += 1 }
        defer {
            state.withLock { $0.scans[key] = nil }
            resources.change { $0.scans -= 1 }
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                while !Task.isCancelled {
                    for advert in self.heard { continuation.yield(advert) }
                    self.state.withLock { $0.repetitions += 1 }
                    try await Task.sleep(for: self.interval)
                }
            }
            return try await body(adverts)
        }
    }

    private var heard: [ReceivedAdvert] { state.withLock { $0.onAir.sorted { $0.key < $1.key }.map(\.value) } }

    private func number() -> Int {
        state.withLock {
            $0.next += 1
            return $0.next
        }
    }

    private func put(_ advert: ReceivedAdvert) -> Int {
        let key = number()
        state.withLock { state in
            state.onAir[key] = advert
            state.hasAdvertised = true
        }
        return key
    }
}
