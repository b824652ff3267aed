internal import HybridProtocol

extension BluetoothAdapter {
    /// All adapters that the kernel knows, in the order of their names. It needs CAP_NET_ADMIN, and no bluetoothd.
    ///
    /// - Throws: `RadioError` with `no-kernel-support`, `no-capability`, `controller-unresponsive`,
    ///   `invalid-kernel-reply` or `failed`; `absent` if there is none; `CancellationError`.
    package static func knownToKernel() async throws -> [BluetoothAdapter] {
        try await knownToKernel(by: .kernel)
    }

    static func knownToKernel(by socket: ManagementSocket) async throws -> [BluetoothAdapter] {
        try await ManagementInterface.with(socket) { kernel in
            let adapters = try await kernel.adapters()
            guard !adapters.isEmpty else { throw RadioError(.absent, reason: "there is no Bluetooth adapter") }
            return adapters
        }
    }

    /// - Parameters:
    ///   - name: the kernel's name for it.
    ///   - information: the kernel's information about it.
    ///   - features: the adverts that it can send; nil without Low Energy.
    ///   - isBlocked: true if rfkill blocks it.
    init(name: String, _ information: ControllerInformation, _ features: AdvertisingFeatures?, isBlocked: Bool) {
        self.name = name
        address = information.address
        addressKind = .public
        alias = information.name
        isScanning = nil
        activeInstances = features?.instances.count
        freeInstances = features.map { max(0, Int($0.mostInstances) - $0.instances.count) }
        longestAdvert = features?.longestData
        state =
            if !information.supported.contains(.lowEnergy) {
                .noLowEnergy
            } else if !information.current.isSuperset(of: .ready) {
                isBlocked ? .blocked : .poweredOff
            } else {
                freeInstances == 0 ? .noInstance : .ready
            }
    }
}
