internal import HybridProtocol
internal import Synchronization

/// Sorts the kernel's events: adverts, the end of the discovery, and the loss of the adapter or of the advert.
final class ManagementEventFilter: Sendable {
    /// The first loss of the adapter or of the advert.
    let interruptions: AsyncStream<AdapterInterruption>
    /// An element for each end of a discovery, ours or another program's.
    let discoveryEnds: AsyncStream<Void>
    private let interruption: AsyncStream<AdapterInterruption>.Continuation
    private let discoveryEnd: AsyncStream<Void>.Continuation
    private let advert: @Sendable (ReceivedAdvert) -> Void
    private let source = Mutex<Source?>(nil)

    /// The adapter that is used, and the advertising instance if there is one.
    struct Source: Sendable {
        let index: UInt16
        var instance: UInt8?
    }

    /// - Parameter advert: takes the adverts, on the connection's event loop.
    init(_ advert: @escaping @Sendable (ReceivedAdvert) -> Void = { _ in }) {
        (interruptions, interruption) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (discoveryEnds, discoveryEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.advert = advert
    }

    /// Passes on the events of this adapter, and of this instance of it; none before.
    func select(_ source: Source) { self.source.withLock { $0 = source } }

    /// Takes an event, on the connection's event loop.
    func take(_ event: ManagementConnection.Event) {
        guard let source = source.withLock({ $0 }) else { return }
        switch event {
        case .ended(let error): interruption.yield(.failed(error.code, error.reason))
        case .packet(let packet):
            guard packet.index == source.index else { return }
            switch packet.event {
            case .deviceFound(let device): for received in device.adverts { advert(received) }
            case .discovering(false): discoveryEnd.yield()
            case .indexRemoved: interruption.yield(.adapterGone)
            case .newSettings(let settings) where !settings.isSuperset(of: .ready):
                AdapterInterruption.poweredOff.report { [interruption] in interruption.yield($0) }
            case .advertisingRemoved(let instance) where instance == source.instance:
                AdapterInterruption.released.report { [interruption] in interruption.yield($0) }
            case .newSettings, .advertisingRemoved, .discovering, .answer, .other: break
            }
        }
    }
}

extension FoundDevice {
    /// The hybrid adverts in the report.
    var adverts: [ReceivedAdvert] {
        guard let address else { return [] }
        return AdvertisingData.serviceData(in: data).map { service, bytes in
            ReceivedAdvert(
                service: service, serviceData: bytes, sender: address.description, address: address, rssi: rssi)
        }
    }
}
