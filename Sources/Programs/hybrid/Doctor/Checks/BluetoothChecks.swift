import BluetoothLE
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport
import Subprocess
import Synchronization
import SystemPackage

/// The checks of Bluetooth.
struct BluetoothChecks: Sendable {
    private static let both: Set<DoctorRole> = [.client, .authenticator]
    /// Failures before bluetoothd is reached.
    private static let ofBus: Set<RadioError.Code> = [.noSystemBus, .sandboxed, .notPermitted, .invalidAddress]
    /// The time for which adverts are listened to.
    private static let listening = Duration.seconds(3)

    private let setup: DoctorSetup
    private let state: Shared<BluetoothState?>

    init(_ setup: DoctorSetup) {
        self.setup = setup
        state = Shared { await BluetoothState.of(setup.radio) }
    }

    var checks: [Check] {
        [
            Check(.sandbox, for: Self.both, sandbox),
            Check(.systemBus, for: Self.both, bus),
            Check(.bluetoothService, for: Self.both, service),
            check(.adapter) { state, adapter in
                let count = (try? state.adapters.get().count) ?? 1
                switch adapter.state {
                case .poweredOff: return broken(.poweredOff)
                case .blocked: return .notChecked(.dependsOn(.rfkill))
                default: return .fine(.adapterOn(name: adapter.name, count: count))
                }
            },
            check(.rfkill) { _, adapter in
                guard adapter.state == .blocked else { return .fine(.unblocked) }
                let block = SystemRadioSwitch.block(of: adapter.name)
                return .broken(.blocked(block), block == .hard ? .flipSwitch : .unblock)
            },
            check(.lowEnergy) { _, adapter in
                adapter.state == .noLowEnergy
                    ? broken(.noLowEnergy) : .fine(.hasLowEnergy)
            },
            check(.advertising, for: [.authenticator]) { _, adapter in
                guard let free = adapter.freeInstances, let active = adapter.activeInstances, free > 0 else {
                    return broken(.noInstance)
                }
                return .fine(.instances(free: free, active: active))
            },
            check(.otherScanners) { _, adapter in
                guard let isScanning = adapter.isScanning else { return .notChecked(.otherRadio) }
                return .fine(.scanned(byOthers: isScanning))
            },
            Check(.adverts, for: Self.both, adverts),
        ]
    }

    private func broken(_ code: RadioError.Code) -> CheckResult { .broken(.radio(code), .radio(code)) }

    @Sendable private func sandbox() async -> CheckResult {
        guard let sandbox = SystemSandbox.current else { return .fine(.noSandbox) }
        let state = await state.value
        let observation = CheckObservation.sandbox(sandbox)
        return state?.failure([.sandboxed]) == nil ? .fine(observation) : .broken(observation, .radio(.sandboxed))
    }

    @Sendable private func bus() async -> CheckResult {
        guard case .bluez = setup.radio, let state = await state.value else { return .notChecked(.otherRadio) }
        guard let code = state.failure(Self.ofBus) else { return .fine(.busAnswers) }
        return broken(code)
    }

    @Sendable private func service() async -> CheckResult {
        guard case .bluez = setup.radio, let state = await state.value else { return .notChecked(.otherRadio) }
        guard case .failure(let error) = state.adapters else {
            return .fine(.bluetoothRuns(version: await BluetoothState.installedVersion()))
        }
        // Without an adapter bluetoothd is not started, and does not matter.
        guard error.code != .absent else { return .notChecked(.dependsOn(.adapter)) }
        return Self.ofBus.contains(error.code)
            ? .notChecked(.dependsOn(.systemBus)) : broken(error.code)
    }

    /// A check of the adapter that would be used.
    private func check(
        _ name: CheckName, for roles: Set<DoctorRole> = both,
        _ examine: @escaping @Sendable (BluetoothState, BluetoothAdapter) -> CheckResult
    ) -> Check {
        Check(name, for: roles) {
            guard let state = await state.value else { return .notChecked(.otherRadio) }
            if let adapter = state.adapter { return examine(state, adapter) }
            guard name == .adapter else { return .notChecked(.dependsOn(.adapter)) }
            guard case .failure(let error) = state.adapters, error.code != .absent else {
                return broken(.absent)
            }
            // The kernel is asked without bluetoothd, and its answer is told here.
            if case .kernel = setup.radio { return broken(error.code) }
            return .notChecked(.dependsOn(Self.ofBus.contains(error.code) ? .systemBus : .bluetoothService))
        }
    }

    @Sendable private func adverts() async -> CheckResult {
        if let state = await state.value {
            guard let adapter = state.adapter, [.ready, .noInstance].contains(adapter.state) else {
                return .notChecked(.dependsOn(.adapter))
            }
        }
        let senders = HeardSenders()
        do {
            try await setup.scanner.scan { adverts in
                _ = await within(Self.listening) {
                    do {
                        for try await advert in adverts {
                            senders.note(advert)
                        }
                    } catch {
                        // The radio went away: the adverts heard until then are told, and the next scan will fail.
                        return
                    }
                }
            }
        } catch {
            let code = (error as? RadioError)?.code ?? .failed
            return broken(code)
        }
        let heard = CheckObservation.heard(
            fido: senders.count(of: .fido), google: senders.count(of: .google),
            nearbyPresence: senders.count(of: .nearbyPresence))
        return senders.isEmpty ? .unknown(heard) : .fine(heard)
    }
}

/// The senders of adverts, by service.
private final class HeardSenders: Sendable {
    /// More senders than are counted; adverts can be forged.
    private static let most = 10_000

    private let senders = Mutex<[ServiceUUID: Set<String>]>([:])

    func note(_ advert: ReceivedAdvert) {
        senders.withLock { senders in
            guard senders[advert.service, default: []].count < Self.most else { return }
            senders[advert.service, default: []].insert(advert.sender)
        }
    }

    var isEmpty: Bool { senders.withLock { $0.isEmpty } }

    func count(of service: ServiceUUID) -> Int { senders.withLock { $0[service]?.count ?? 0 } }
}

/// State of the adapters, from bluetoothd or the kernel.
struct BluetoothState: Sendable {
    /// All adapters, at least one; or the error.
    let adapters: Result<[BluetoothAdapter], RadioError>
    /// The adapter that would be used: the named one, or the first that is ready.
    let adapter: BluetoothAdapter?

    /// Shorter than a check's own limit: a hang is reported once, as such.
    private static let limit = Duration.seconds(6)

    /// - Returns: nil for the simulated radio.
    static func of(_ radio: RadioBackend) async -> Self? {
        switch radio {
        case .bluez(let selection):
            await of(selection) { try await BluetoothAdapter.knownToBlueZ(selection) }
        case .kernel(let selection):
            await of(selection) { try await BluetoothAdapter.knownToKernel() }
        case .simulated: nil
        }
    }

    private static func of(
        _ selection: AdapterSelection, _ adapters: @escaping @Sendable () async throws -> [BluetoothAdapter]
    ) async -> Self {
        let outcome = await within(limit) { () -> Result<[BluetoothAdapter], RadioError> in
            do {
                return .success(try await adapters())
            } catch {
                return .failure(error as? RadioError ?? RadioError(.failed, reason: "cancelled"))
            }
        }
        return Self(outcome ?? .failure(RadioError(.unresponsive, reason: "no answer in time")), selection)
    }

    private init(_ adapters: Result<[BluetoothAdapter], RadioError>, _ selection: AdapterSelection) {
        let known = (try? adapters.get()) ?? []
        if let name = selection.adapter {
            adapter = known.first { $0.name == name }
        } else {
            adapter = known.first { $0.state == .ready } ?? known.first { $0.state == .noInstance } ?? known.first
        }
        self.adapters = adapters
    }

    /// The failure, if it is one of these kinds.
    func failure(_ codes: Set<RadioError.Code>) -> RadioError.Code? {
        guard case .failure(let error) = adapters, codes.contains(error.code) else { return nil }
        return error.code
    }

    private static let daemons = [
        "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd",
    ]
    private static let versionLimit = 64

    /// The version of BlueZ that is installed on this machine; nil if it is not found, or does not tell.
    static func installedVersion() async -> String? {
        guard let daemon = daemons.first(where: { ProgramPath.find($0) != nil }) else { return nil }
        let run = try? await Subprocess.run(
            .path(FilePath(daemon)), arguments: ["--version"], output: .string(limit: versionLimit),
            error: .discarded)
        let version = run?.standardOutput.split(whereSeparator: \.isNewline).first.map(String.init)
        // A version and nothing else.
        return version.flatMap { $0.allSatisfy { $0.isNumber || $0 == "." } ? $0 : nil }
    }
}
