package import HybridProtocol

/// A radio of this machine, by the program that drives it.
package enum RadioBackend: Radio, Hashable {
    /// Bluetooth, by bluetoothd.
    case bluez(AdapterSelection)
    /// Bluetooth, by the kernel's management socket, as root.
    case kernel(AdapterSelection)
    /// A simulated radio: an authenticator sends to all of these addresses, a client listens at the only one.
    case simulated([SimulatedRadioAddress])

    /// The receiver of a client.
    ///
    /// - Throws: `RadioError` with `invalid-address` for a simulated radio of other than one address.
    package func scanner() throws(RadioError) -> any AdvertScanner {
        switch self {
        case .bluez(let selection): return BlueZScanner(selection)
        case .kernel(let selection): return ManagementScanner(selection)
        case .simulated(let addresses):
            guard let address = addresses.first, addresses.count == 1 else {
                throw RadioError(.invalidAddress, reason: "a client listens at one address")
            }
            return SimulatedScanner(at: address)
        }
    }

    package func advertiser() throws(RadioError) -> any Advertiser { try advertiser(under: .fido) }

    /// The sender of an authenticator of another UUID, as some phones are.
    ///
    /// - Throws: as ``advertiser()``.
    package func advertiser(under service: ServiceUUID) throws(RadioError) -> any Advertiser {
        switch self {
        case .bluez(let selection): BlueZAdvertiser(selection, under: service)
        case .kernel(let selection): ManagementAdvertiser(selection, under: service)
        case .simulated(let addresses): try SimulatedAdvertiser(to: addresses, under: service)
        }
    }

    package func channels() throws(RadioError) -> any NearbyConnector & NearbyListener {
        switch self {
        case .bluez(let selection): L2CAPChannels(selection)
        case .kernel(let selection): L2CAPChannels.withoutBlueZ(selection)
        case .simulated(let addresses): try SimulatedChannels(at: addresses)
        }
    }

    /// Looks whether the adapter can be used now; the simulated radio always can.
    ///
    /// - Throws: `RadioError`, as the scanner and the advertiser; `CancellationError`.
    package func check(advertises: Bool) async throws {
        switch self {
        case .bluez(let selection):
            try await BlueZService.with(selection.bus, on: { _ in }) { service in
                try selection.check(try await service.adapters(), advertises: advertises)
            }
        case .kernel(let selection):
            try await ManagementInterface.with(.kernel) { kernel in
                try selection.check(try await kernel.adapters(), advertises: advertises)
            }
        case .simulated: break
        }
    }
}
