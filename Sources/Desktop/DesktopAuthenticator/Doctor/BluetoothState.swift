internal import BluetoothLE
internal import HybridTransport
internal import LinuxSupport
internal import Subprocess
internal import SystemPackage

/// State of the adapters, from bluetoothd or the kernel.
struct BluetoothState: Sendable {
    /// All adapters, at least one; or what is in the way.
    let adapters: Result<[BluetoothAdapter], RadioError>
    /// The adapter that would be used: the named one, or the first that is ready.
    let adapter: BluetoothAdapter?

    /// Shorter than a check's own limit: what hangs is told once, as what it is.
    private static let limit = Duration.seconds(6)

    /// - Returns: nil for the simulated radio.
    static func of(_ radio: DoctorSetup.Radio) async -> Self? {
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
