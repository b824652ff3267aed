internal import Edges
internal import Synchronization

/// Sorts what the kernel tells unasked: adverts, the end of the discovery, and what ends the work with an adapter.
final class ManagementWatch: Sendable {
    /// Why the work with the adapter is over; the first reason, if there is one.
    let ends: AsyncStream<AdapterEnd>
    /// That a discovery ended, ours or another program's.
    let discoveryEnds: AsyncStream<Void>
    private let end: AsyncStream<AdapterEnd>.Continuation
    private let discoveryEnd: AsyncStream<Void>.Continuation
    private let advert: @Sendable (ReceivedAdvert) -> Void
    private let place = Mutex<Place?>(nil)

    /// How long a better reason for the loss of an advert is waited for.
    private static let patience = Duration.seconds(1)

    /// Which adapter is used, and which of its advertising instances.
    struct Place: Sendable {
        let index: UInt16
        var instance: UInt8?
    }

    /// - Parameter advert: takes the adverts, on the connection's thread.
    init(_ advert: @escaping @Sendable (ReceivedAdvert) -> Void = { _ in }) {
        (ends, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (discoveryEnds, discoveryEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.advert = advert
    }

    /// Listens to what is about this adapter, and this instance of it.
    func watch(_ place: Place) { self.place.withLock { $0 = place } }

    /// Takes what happens, on the connection's thread.
    func take(_ happening: ManagementConnection.Happening) {
        guard let place = place.withLock({ $0 }) else { return }
        switch happening {
        case .ended(let error): end.yield(.failed(error.code, error.reason))
        case .packet(let packet):
            guard packet.index == place.index else { return }
            switch packet.event {
            case .deviceFound(let device): for received in device.adverts { advert(received) }
            case .discovering(false): discoveryEnd.yield()
            case .indexRemoved: end.yield(.adapterGone)
            case .newSettings(let settings) where !settings.isSuperset(of: .ready): end.yield(.poweredOff)
            case .advertisingRemoved(let instance) where instance == place.instance: advertRemoved()
            case .newSettings, .advertisingRemoved, .discovering, .answer, .other: break
            }
        }
    }

    /// An adapter that is powered off or unplugged loses its adverts first: the reason that comes next is the better one.
    private func advertRemoved() {
        Task {
            try await Task.sleep(for: Self.patience)
            end.yield(.released)
        }
    }
}

extension FoundDevice {
    /// The hybrid adverts in the report.
    var adverts: [ReceivedAdvert] {
        guard let address else { return [] }
        return AdvertisingData.serviceData(in: data).map { service, bytes in
            ReceivedAdvert(service: service, serviceData: bytes, sender: address.description, address: address)
        }
    }
}
