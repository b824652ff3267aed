internal import HybridProtocol

/// The kernel's Bluetooth adapters, by its management interface; commands fail by radio errors.
struct ManagementInterface: AdapterSource {
    /// Longest time of the cleanup at the end: the caller waits for it.
    static let cleanupLimit = Duration.seconds(5)
    /// Attempts at a command while the kernel is busy with another one, and the time between two.
    private static let mostTries = 30
    private static let pause = Duration.milliseconds(100)

    private let connection: ManagementConnection

    /// Keeps a connection while `body` runs, and never longer.
    ///
    /// - Throws: ``RadioError``, `CancellationError`, and the errors of `body`.
    static func with<Value: Sendable>(
        _ socket: ManagementSocket,
        on event: @escaping @Sendable (ManagementConnection.Event) -> Void = { _ in },
        _ body: @Sendable (ManagementInterface) async throws -> Value
    ) async throws -> Value {
        try await ManagementConnection.with(socket, on: event) { connection in
            try await body(ManagementInterface(connection: connection))
        }
    }

    /// All adapters in the order of their names.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func adapters() async throws -> [BluetoothAdapter] {
        let list = try Self.value(ControllerIndices(try await values(of: .readIndexList)))
        var adapters: [BluetoothAdapter] = []
        for index in list.indices {
            let name = AdapterName.name(ofIndex: index)
            // An adapter may go between the list and the question.
            let answer = try await connection.call(.readInformation(index))
            guard answer.status != .invalidIndex else { continue }
            let information = try Self.value(ControllerInformation(Self.values(answer, of: .readInformation(index))))
            var features: AdvertisingFeatures?
            if information.supported.contains(.lowEnergy) { features = try await advertisingFeatures(index) }
            adapters.append(
                BluetoothAdapter(
                    name: name, information, features, isBlocked: SystemRadioSwitch.blocks(name)))
        }
        return adapters.inOrder
    }

    /// Powers an adapter on, and Low Energy with it. They stay on.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func powerOn(_ adapter: BluetoothAdapter) async throws {
        let index = try AdapterName.index(of: adapter.name)
        let information = try Self.value(ControllerInformation(try await values(of: .readInformation(index))))
        // A controller that also knows classic Bluetooth refuses all of Low Energy until it is switched on.
        if !information.current.contains(.lowEnergy) { try await values(of: .switchLowEnergyOn(index)) }
        if !information.current.contains(.powered) { try await values(of: .powerOn(index)) }
    }

    /// - Throws: ``RadioError``, `CancellationError`.
    func advertisingFeatures(_ index: UInt16) async throws -> AdvertisingFeatures {
        try Self.value(AdvertisingFeatures(try await values(of: .readAdvertisingFeatures(index))))
    }

    /// Sends a command, again and again while the kernel is busy with another one.
    ///
    /// - Throws: ``RadioError`` with `controller-unresponsive` or `failed`; `CancellationError`.
    func call(
        _ request: ManagementRequest, within limit: Duration = ManagementConnection.callLimit
    ) async throws -> ManagementAnswer {
        var tries = 1
        while true {
            let answer = try await connection.call(request, within: limit)
            guard answer.status == .busy, tries < Self.mostTries else { return answer }
            tries += 1
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Sends a command once, and leaves its status to the caller.
    ///
    /// - Throws: ``RadioError`` with `controller-unresponsive` or `failed`; `CancellationError`.
    func callOnce(
        _ request: ManagementRequest, within limit: Duration = ManagementConnection.callLimit
    ) async throws -> ManagementAnswer {
        try await connection.call(request, within: limit)
    }

    /// Sends a command that has to succeed.
    ///
    /// Never inlined: Swift 6.3's optimizer crashes over ``powerOn(_:)`` otherwise.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    @inline(never)
    @discardableResult
    func values(of request: ManagementRequest) async throws -> [UInt8] {
        try Self.values(try await call(request), of: request)
    }

    /// The values of an answer.
    ///
    /// - Throws: ``RadioError`` for a command that failed.
    static func values(_ answer: ManagementAnswer, of request: ManagementRequest) throws(RadioError) -> [UInt8] {
        guard answer.status == .success else { throw RadioError(answer.status, of: request) }
        return answer.values
    }

    /// A decoded answer.
    ///
    /// - Throws: ``RadioError`` with `invalid-kernel-reply` if it could not be decoded.
    static func value<Value>(_ value: Value?) throws(RadioError) -> Value {
        guard let value else {
            throw RadioError(
                .invalidKernelReply, reason: "the kernel's answer does not have the form that its interface defines")
        }
        return value
    }
}

extension RadioError {
    /// The kernel's refusal of a command. A blocked adapter is switched off, too, and some commands are refused with
    /// that alone: only unblocking helps.
    ///
    /// - Parameter isBlocked: true if rfkill blocks the adapter of this name.
    init(
        _ status: ManagementStatus, of request: ManagementRequest,
        isBlocked: (String) -> Bool = SystemRadioSwitch.blocks
    ) {
        let hasAdapter = request.index != ManagementRequest.noController
        let name = hasAdapter ? AdapterName.name(ofIndex: request.index) : ""
        let adapter = hasAdapter ? name + ": " : ""
        let (code, text): (Code, String) =
            switch status {
            case .notPowered where isBlocked(name), .rejected where isBlocked(name): (.blocked, "rfkill blocks it")
            case .notPowered: (.poweredOff, "it is powered off")
            case .blocked: (.blocked, "rfkill blocks it")
            case .invalidIndex: (.absent, "there is no such adapter any more")
            case .notSupported: (.noLowEnergy, "it cannot do this")
            // The kernel's status if Low Energy, or the whole adapter, is switched off.
            case .rejected: (.poweredOff, "it is switched off")
            case .permissionDenied: (.noCapability, "this process may not command the kernel's Bluetooth")
            case .noResources: (.noInstance, "it can send no more adverts at a time")
            case .busy: (.busy, "it is busy")
            case .timeout: (.controllerUnresponsive, "its controller did not answer in time")
            default: (.failed, "the kernel answered with status \(status.rawValue)")
            }
        self.init(code, reason: "\(adapter)\(request.command) was refused: \(text)")
    }
}
