internal import Glibc
package import HybridProtocol

/// An `Advertiser` over the kernel's management interface: for machines without bluetoothd. It needs CAP_NET_ADMIN.
///
/// The kernel goes on with an advert after the process that asked for it has ended. So an advert has a ``lifetime``,
/// and is renewed while its owner runs.
///
/// Source: BlueZ 5.66, `doc/mgmt-api.txt`; the UUID is that of HT-ADV-16.
package struct ManagementAdvertiser: Advertiser {
    /// Time between two repetitions of the advert, in milliseconds, with adapters and kernels that let it be chosen.
    package static let interval: ClosedRange<UInt32> = 20...100
    /// Time that an advert stays on the air if its process ends without removing it.
    package static let lifetime = Duration.seconds(15)
    /// The longest service data that any adapter can send, in bytes; many can send less.
    package static let longestServiceData = 247
    private static let renewal = Duration.seconds(5)

    private let selection: AdapterSelection
    private let service: ServiceUUID
    private let socket: ManagementSocket

    /// Makes an advertiser; nothing is asked of the kernel yet.
    ///
    /// - Parameters:
    ///   - selection: the adapter that advertises.
    ///   - service: the UUID of the service data.
    package init(_ selection: AdapterSelection = .firstReady, under service: ServiceUUID = .fido) {
        self.init(selection, under: service, by: .kernel)
    }

    /// With a stand-in for the kernel.
    init(_ selection: AdapterSelection, under service: ServiceUUID = .fido, by socket: ManagementSocket) {
        self.selection = selection
        self.service = service
        self.socket = socket
    }

    /// Advertises while `body` runs, and never longer; see `Advertiser/advertise(_:while:)`. It takes no connections,
    /// and its sender's address is random and new each time.
    ///
    /// - Parameters:
    ///   - serviceData: 1 byte or more: the 20 of the sealed advert, and a suffix.
    ///   - body: the work in the meantime. If the advert ends early, it is cancelled and waited for.
    /// - Returns: the value of `body`.
    /// - Throws: `RadioError` with `advert-too-long`, by one of the codes that ``BluetoothAdapter/knownToKernel()``
    ///   has, `absent`, `powered-off`, `blocked-by-rfkill`, `no-low-energy` or `no-advertising-instance`; with
    ///   `absent`, `powered-off`, `blocked-by-rfkill` or `failed` if the advert ended early; or the error of `body`.
    package func advertise<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, [], while: body)
    }

    /// Advertises as ``advertise(_:while:)`` does, but as a device to which a connection can be made.
    ///
    /// - Parameters:
    ///   - serviceData: as for ``advertise(_:while:)``.
    ///   - body: as for ``advertise(_:while:)``.
    /// - Returns: the value of `body`.
    /// - Throws: as ``advertise(_:while:)``.
    package func advertiseConnectably<Value: Sendable>(
        _ serviceData: [UInt8],
        while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await advertise(serviceData, .connectable, while: body)
    }

    private func advertise<Value: Sendable>(
        _ serviceData: [UInt8], _ flags: AdvertisingFlags, while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try RadioError.check(serviceData, longest: Self.longestServiceData)
        let filter = ManagementEventFilter()
        return try await ManagementInterface.with(socket, on: filter.take) { kernel in
            let adapter = try await selection.adapter(of: kernel, without: \.obstacle)
            let index = try AdapterName.index(of: adapter.name)
            let features = try await kernel.advertisingFeatures(index)
            let instance = try AdvertisingInstance.reserve(at: adapter.name, features)
            let advert = try ManagementAdvert(
                AdvertisingData.encoded(serviceData, of: service), flags, of: instance, at: adapter.name, features)
            filter.select(ManagementEventFilter.Source(index: index, instance: instance.number))
            let result: Result<Value, any Error>
            do {
                try await advert.send(through: kernel, index)
                result = .success(
                    try await AdapterInterruption.run(body, until: filter.interruptions, of: adapter.name) {
                        while true {
                            try await Task.sleep(for: Self.renewal)
                            try await advert.send(through: kernel, index)
                        }
                    })
            } catch {
                result = .failure(error)
            }
            await Self.remove(instance, through: kernel, index)
            return try result.get()
        }
    }

    /// Removes the advert, also one whose sending was cancelled. In a task of its own: ours may be cancelled.
    private static func remove(
        _ instance: AdvertisingInstance, through kernel: ManagementInterface, _ index: UInt16
    ) async {
        await Task {
            // Where it fails there is no advert any more, or its lifetime ends by itself.
            _ = try? await kernel.call(
                .removeAdvertising(index, instance: instance.number), within: ManagementInterface.cleanupLimit)
        }.value
    }
}

/// An advert with its parameters for the kernel.
struct ManagementAdvert: Sendable {
    /// The longest advert without a secondary channel, in bytes.
    private static let longestPrimary = 31
    /// The kernel counts intervals in units of 0.625 ms: eight of them are five milliseconds.
    private static let units: (count: UInt32, milliseconds: UInt32) = (8, 5)

    private let data: [UInt8]
    private let flags: AdvertisingFlags
    private let instance: AdvertisingInstance
    private let adapter: String

    /// - Throws: ``RadioError`` with `advert-too-long`.
    init(
        _ data: [UInt8], _ flags: AdvertisingFlags, of instance: AdvertisingInstance, at adapter: String,
        _ features: AdvertisingFeatures
    ) throws(RadioError) {
        let needsMore = data.count > Self.longestPrimary
        guard data.count <= features.longestData, !needsMore || features.supported.contains(.secondaryChannel) else {
            throw Self.tooLong(data, at: adapter, min(features.longestData, Self.longestPrimary))
        }
        self.data = data
        // A legacy packet holds 31 bytes at most, and the kernel does not check that.
        self.flags = needsMore ? flags.union(.secondaryChannel) : flags
        self.instance = instance
        self.adapter = adapter
    }

    /// Starts the advert, or renews its lifetime.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func send(through kernel: ManagementInterface, _ index: UInt16) async throws {
        let lifetime = UInt16(clamping: ManagementAdvertiser.lifetime.components.seconds)
        let parameters = ManagementRequest.addExtendedAdvertisingParameters(
            index, instance: instance.number, flags, lifetime: lifetime,
            intervals: Self.units(
                ManagementAdvertiser.interval.lowerBound)...Self.units(ManagementAdvertiser.interval.upperBound))
        let answer = try await kernel.call(parameters)
        guard answer.status != .unknownCommand else {
            // Before Linux 5.11.
            try await kernel.values(
                of: .addAdvertising(index, instance: instance.number, flags, lifetime: lifetime, data))
            return
        }
        let limits = try ManagementInterface.value(
            ExtendedAdvertisingParameters(try ManagementInterface.values(answer, of: parameters)))
        guard data.count <= limits.longestData else { throw Self.tooLong(data, at: adapter, limits.longestData) }
        try await kernel.values(of: .addExtendedAdvertisingData(index, instance: instance.number, data))
    }

    private static func units(_ milliseconds: UInt32) -> UInt32 { milliseconds * units.count / units.milliseconds }

    private static func tooLong(_ data: [UInt8], at adapter: String, _ limit: Int) -> RadioError {
        let overhead = AdvertisingData.overhead
        return RadioError(
            .advertTooLong,
            reason: "\(data.count - overhead) bytes; \(adapter) can send \(max(0, limit - overhead))")
    }
}

/// One of the numbers under which an adapter sends adverts, reserved among this user's processes of this program.
///
/// The kernel lets any program that may advertise replace any instance, and does not say whose it is. Two processes
/// that look for a free one at the same time would take the same: so each first locks a file of the instance's name, in
/// a directory that is the user's alone. The kernel frees the lock when the process ends.
final class AdvertisingInstance: Sendable {
    let number: UInt8
    /// The locked file; nil where there is no directory for it.
    private let descriptor: Int32?

    private init(number: UInt8, descriptor: Int32?) {
        self.number = number
        self.descriptor = descriptor
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Reserves a free instance. Without a directory the first free one is taken unreserved.
    ///
    /// - Parameter directory: the directory of the locked files.
    /// - Throws: ``RadioError`` with `no-advertising-instance`.
    static func reserve(
        at adapter: String, _ features: AdvertisingFeatures, in directory: String? = runtimeDirectory
    ) throws(RadioError) -> AdvertisingInstance {
        guard features.mostInstances > 0 else { throw none(at: adapter) }
        for number in 1...features.mostInstances where !features.instances.contains(number) {
            switch directory.map({ lock("\($0)/hybrid-advert-\(adapter)-\(number)") }) ?? .unavailable {
            case .held(let descriptor): return AdvertisingInstance(number: number, descriptor: descriptor)
            case .unavailable: return AdvertisingInstance(number: number, descriptor: nil)
            case .taken: continue
            }
        }
        throw none(at: adapter)
    }

    private static func none(at adapter: String) -> RadioError {
        RadioError(.noInstance, reason: "\(adapter) can send no more adverts at a time")
    }

    /// A directory in which nobody but this user, or root, makes files; nil if there is none.
    private static var runtimeDirectory: String? {
        guard geteuid() != 0 else { return "/run" }
        return getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private enum Lock {
        case held(Int32)
        case taken
        /// The file cannot be made, or is not ours.
        case unavailable
    }

    /// Locks a file, which is made if it is missing.
    private static func lock(_ path: String) -> Lock {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { return .unavailable }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return .unavailable
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return .taken
        }
        return .held(descriptor)
    }
}
