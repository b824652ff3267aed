internal import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// bluetoothd on the system bus: a connection, the name that authenticates its signals, and calls that fail by radio
/// errors.
final class BlueZService: AdapterSource {
    private let bus: DBusConnection
    /// bluetoothd's unique name.
    let owner: String
    private let isRemote: Bool

    /// Longest time of the cleanup at the end: the caller waits for it.
    static let cleanupLimit = Duration.seconds(5)

    private init(_ bus: DBusConnection, owner: String, isRemote: Bool) {
        self.bus = bus
        self.owner = owner
        self.isRemote = isRemote
    }

    /// Connects to bluetoothd while `body` runs, and never longer.
    ///
    /// - Parameters:
    ///   - address: the system bus's; the environment's if it is nil.
    ///   - answer: answers calls that bluetoothd makes; those of others are denied.
    ///   - event: takes the events, once they are subscribed to; ``BlueZEvent/serviceGone`` and the end of the
    ///     connection in any case.
    ///   - body: gets the service.
    /// - Throws: ``RadioError``, `CancellationError`, and the errors of `body`.
    static func with<Value: Sendable>(
        _ address: DBusAddress? = nil,
        answer: @escaping @Sendable (DBusMessage) -> DBusAnswer = { _ in .unknownMethod },
        on event: @escaping @Sendable (Event) -> Void,
        _ body: @Sendable (BlueZService) async throws -> Value
    ) async throws -> Value {
        let known = OwnerName()
        let opened = await outcome { () async throws(DBusError) -> (DBusConnection, Bool) in
            let address = if let address { address } else { try DBusAddress.system() }
            let bus = try await DBusConnection.open(address) { call in
                call.sender == known.value ? answer(call) : .accessDenied
            } on: { connectionEvent in
                switch connectionEvent {
                case .signal(let signal):
                    if let owner = known.value, let read = BlueZEvent(signal, from: owner) { event(.signal(read)) }
                case .ended(let error): event(.disconnected(error))
                }
            }
            return (bus, address.isRemote)
        }
        let (bus, isRemote) = try radioOutcome(opened, of: nil)
        let result: Result<Value, any Error>
        do {
            let owner = try await findOwner(on: bus, isRemote: isRemote)
            known.value = owner
            result = .success(try await body(BlueZService(bus, owner: owner, isRemote: isRemote)))
        } catch {
            result = .failure(error)
        }
        await bus.close()
        return try result.get()
    }

    /// A signal of bluetoothd's, or the end of the connection.
    enum Event: Sendable {
        case signal(BlueZEvent)
        case disconnected(DBusError)

        /// The interruption of the work with an adapter by this event; nil if there is none.
        func interruption(of adapter: String) -> AdapterInterruption? {
            switch self {
            case .signal(let signal): signal.interruption(of: adapter)
            case .disconnected(let error): .failed(.serviceLost, error.reason)
            }
        }
    }

    /// Calls a method of one of bluetoothd's objects.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    @discardableResult
    func call(
        _ member: String, of interface: String, at path: String, _ body: [DBusValue] = [], adapter: String? = nil,
        within limit: Duration = DBusConnection.callLimit
    ) async throws -> [DBusValue] {
        let call = DBusCall(member, of: interface, at: path, in: owner, body)
        let answered = await Self.outcome { () async throws(DBusError) -> [DBusValue] in
            try await bus.call(call, within: limit)
        }
        return try Self.radioOutcome(answered, of: adapter)
    }

    /// Subscribes to the signals of one interface of bluetoothd's objects.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func subscribe(to interface: String, under path: String? = nil) async throws {
        let namespace = path.map { ",path_namespace='\($0)'" } ?? ""
        try await Self.subscribe("type='signal',sender='\(owner)',interface='\(interface)'" + namespace, on: bus)
    }

    /// All objects with their interfaces and properties.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func objects() async throws -> [String: DBusValue] {
        let answer = try await call("GetManagedObjects", of: BlueZName.objects, at: BlueZName.root)
        guard answer.count == 1, let objects = answer[0].dictionaryValue else {
            throw RadioError(.invalidReply, reason: "bluetoothd's list of objects is malformed")
        }
        return objects
    }

    /// All adapters in the order of their names.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func adapters() async throws -> [BluetoothAdapter] {
        // Another machine's switches are not in our sysfs.
        let isBlocked = { (adapter: String) in !self.isRemote && SystemRadioSwitch.blocks(adapter) }
        var adapters: [BluetoothAdapter] = []
        for (path, interfaces) in try await objects() {
            guard let interfaces = interfaces.dictionaryValue else { continue }
            do throws(DBusError) {
                guard let adapter = try BluetoothAdapter(path: path, interfaces: interfaces, isBlocked: isBlocked)
                else { continue }
                adapters.append(adapter)
            } catch {
                throw RadioError(error, of: nil)
            }
        }
        return adapters.inOrder
    }

    /// Powers an adapter on. It stays on.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func powerOn(_ adapter: BluetoothAdapter) async throws {
        do {
            try await call(
                "Set", of: BlueZName.properties, at: BlueZName.path(ofAdapter: adapter.name),
                [.string(BlueZName.adapter), .string("Powered"), .variant(.bool(true))], adapter: adapter.name)
        } catch let error as RadioError where error.code == .failed && SystemRadioSwitch.blocks(adapter.name) {
            throw RadioError(.blocked, reason: "\(adapter.name) cannot be powered on: rfkill blocks it")
        }
    }

    private static func findOwner(on bus: DBusConnection, isRemote: Bool) async throws -> String {
        // First, so that an end between the two is not missed.
        try await subscribe(
            "type='signal',sender='\(DBusBus.name)',interface='\(DBusBus.name)',member='NameOwnerChanged',"
                + "arg0='\(BlueZName.service)'", on: bus)
        let answered = await outcome { () async throws(DBusError) -> [DBusValue] in
            try await bus.call(DBusBus.call("GetNameOwner", [.string(BlueZName.service)]))
        }
        do {
            let answer = try radioOutcome(answered, of: nil)
            guard answer.count == 1, let owner = answer[0].stringValue else {
                throw RadioError(.invalidReply, reason: "the system bus does not name bluetoothd's connection")
            }
            return owner
        } catch let error as RadioError where error.code == .noService {
            guard isRemote || SystemRadioSwitch.hasAdapter else {
                throw RadioError(.absent, reason: "this machine has no Bluetooth adapter, and bluetoothd does not run")
            }
            throw RadioError(.noService, reason: "bluetoothd does not run")
        }
    }

    private static func subscribe(_ rule: String, on bus: DBusConnection) async throws {
        let subscribed = await outcome { () async throws(DBusError) -> Void in try await bus.subscribe(to: rule) }
        try radioOutcome(subscribed, of: nil)
    }

    private static func outcome<Value>(
        _ body: () async throws(DBusError) -> Value
    ) async -> Result<Value, DBusError> {
        do throws(DBusError) { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func radioOutcome<Value>(_ outcome: Result<Value, DBusError>, of adapter: String?) throws -> Value {
        switch outcome {
        case .success(let value): return value
        case .failure(let error):
            if error.code == .cancelled { throw CancellationError() }
            throw RadioError(error, of: adapter)
        }
    }
}

/// bluetoothd's unique name, once it is known; for closures that are made before.
private final class OwnerName: Sendable {
    private let name = Mutex<String?>(nil)

    var value: String? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }
}

extension BlueZService {
    /// Longest time that bluetoothd may be busy with an adapter. The kernel goes on with the scan of a bluetoothd that
    /// crashed for some ten seconds, and the next one can begin none before that has ended.
    private static let busyLimit = Duration.seconds(15)
    /// Longest time that an adapter may fail without a reason.
    private static let failureLimit = Duration.seconds(2)
    /// Time between two calls.
    private static let interval = Duration.milliseconds(250)

    /// Calls a method of an adapter, and again if bluetoothd is busy with the adapter or fails without a reason.
    ///
    /// Both pass by themselves: an adapter that rfkill had switched off refuses the first advert afterwards and takes
    /// the next.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func callWithRetries(
        _ member: String, of interface: String, at path: String, _ body: [DBusValue] = [], adapter: String
    ) async throws {
        let begun = ContinuousClock.now
        while true {
            do {
                try await call(member, of: interface, at: path, body, adapter: adapter)
                return
            } catch let error as RadioError {
                let limit: Duration =
                    switch error.code {
                    case .busy: Self.busyLimit
                    case .failed: Self.failureLimit
                    default: .zero
                    }
                guard begun.duration(to: .now) < limit else { throw error }
            }
            try await Task.sleep(for: Self.interval)
        }
    }
}

/// A signal about BlueZ, read strictly. Signals that are not BlueZ's own are refused.
enum BlueZEvent: Sendable {
    /// Objects have come, or got more interfaces: the path, and the interfaces with their properties.
    case added(path: String, interfaces: [String: DBusValue])
    /// Interfaces of an object are gone.
    case removed(path: String, interfaces: [String])
    /// Properties of an object have other values.
    case changed(path: String, interface: String, properties: [String: DBusValue])
    /// bluetoothd has left the bus.
    case serviceGone

    /// Reads a signal.
    ///
    /// - Parameters:
    ///   - signal: as it came; any program on the bus may send one.
    ///   - owner: bluetoothd's unique name, which the bus authenticates in signals.
    /// - Returns: nil for signals of others, of other kinds, and with other values than theirs.
    init?(_ signal: DBusMessage, from owner: String) {
        if signal.sender == DBusBus.name, signal.member == "NameOwnerChanged" {
            guard signal.body.count == 3, signal.body[0].stringValue == BlueZName.service,
                signal.body[2].stringValue != owner
            else { return nil }
            self = .serviceGone
            return
        }
        guard signal.sender == owner else { return nil }
        switch (signal.interface, signal.member) {
        case (BlueZName.objects, "InterfacesAdded"):
            guard signal.body.count == 2, let path = signal.body[0].pathValue,
                let interfaces = signal.body[1].dictionaryValue
            else { return nil }
            self = .added(path: path, interfaces: interfaces)
        case (BlueZName.objects, "InterfacesRemoved"):
            guard signal.body.count == 2, let path = signal.body[0].pathValue,
                let interfaces = signal.body[1].stringsValue
            else { return nil }
            self = .removed(path: path, interfaces: interfaces)
        case (BlueZName.properties, BlueZName.propertiesChanged):
            guard signal.body.count == 3, let interface = signal.body[0].stringValue,
                let properties = signal.body[1].dictionaryValue
            else { return nil }
            self = .changed(path: signal.path, interface: interface, properties: properties)
        default: return nil
        }
    }

    /// The interruption of the work with an adapter by this event; nil if there is none.
    func interruption(of adapter: String) -> AdapterInterruption? {
        let path = BlueZName.path(ofAdapter: adapter)
        switch self {
        case .serviceGone: return .serviceGone
        case .removed(path, let interfaces) where interfaces.contains(BlueZName.adapter): return .adapterGone
        case .changed(path, BlueZName.adapter, let properties) where properties["Powered"] == .bool(false):
            return .poweredOff
        default: return nil
        }
    }
}
