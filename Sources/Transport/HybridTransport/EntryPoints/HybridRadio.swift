internal import BluetoothLE
internal import HybridProtocol
internal import LinuxSupport
internal import TunnelClient

/// A radio of this machine, by which an advert shows that the devices are near each other.
public struct HybridRadio: Sendable, Hashable {
    private enum Kind: Hashable {
        case daemon(adapter: String?)
        case kernel(adapter: String?)
        case simulated(String)
    }

    private let kind: Kind

    /// Bluetooth, by bluetoothd.
    ///
    /// - Parameter adapter: `hci` and a number; nil for the first adapter that is ready.
    public static func bluetooth(adapter: String? = nil) -> Self { Self(kind: .daemon(adapter: adapter)) }

    /// Bluetooth, by the kernel's management socket: where there is no bluetoothd, and for the superuser.
    ///
    /// - Parameter adapter: `hci` and a number; nil for the first adapter that is ready.
    public static func kernel(adapter: String? = nil) -> Self { Self(kind: .kernel(adapter: adapter)) }

    /// A simulated radio on this machine, for tests. It proves nothing.
    ///
    /// - Parameter addresses: `HOST:PORT`, on loopback. A client listens at one, and an authenticator sends to all of a
    ///   list with commas.
    public static func simulated(_ addresses: String) -> Self { Self(kind: .simulated(addresses)) }

    /// The radio itself.
    var backend: RadioBackend {
        get throws(RadioError) {
            switch kind {
            case .daemon(let adapter): .bluez(try AdapterSelection(adapter: adapter))
            case .kernel(let adapter): .kernel(try AdapterSelection(adapter: adapter))
            case .simulated(let addresses): .simulated(try SimulatedRadioAddress.list(parsing: addresses))
            }
        }
    }
}

/// A tunnel service: a WebSocket server that carries the sealed messages between the two devices.
///
/// One elsewhere is reached through the HTTP proxy of the variable `https_proxy` or `all_proxy`, unless `no_proxy` has
/// it.
public struct HybridTunnelService: Sendable, Hashable {
    /// Its address; nil for the domain's own.
    fileprivate let address: String?
    fileprivate let domain: TunnelDomain
    fileprivate let authorities: [String]

    /// Google's service, `cable.ua5v.com`, which every client knows.
    public static let google = Self(address: nil, domain: .google, authorities: [])
    /// Apple's service, `cable.auth.com`, which every client knows.
    public static let apple = Self(address: nil, domain: .apple, authorities: [])

    /// The service of a tunnel domain, which every client finds by its number.
    ///
    /// - Parameter number: 0, 1, or 256 and above.
    /// - Throws: ``HybridTransportError`` for a number that is not assigned.
    public static func domain(_ number: UInt16) throws(HybridTransportError) -> Self {
        do throws(HybridProtocolError) {
            return Self(address: nil, domain: try TunnelDomain(number), authorities: [])
        } catch {
            throw HybridTransportError(error, reaching: .tunnelOpened)
        }
    }

    /// A service at another address. Both ends have to be told of it, since no advert can name it.
    ///
    /// - Parameters:
    ///   - address: `wss://host[:port]`, or `ws://` for one on this machine.
    ///   - authorities: paths of PEM files with certificate authorities that are trusted beside the system's.
    public static func address(_ address: String, authorities: [String] = []) -> Self {
        Self(address: address, domain: .unnamed, authorities: authorities)
    }
}

extension CeremonyParts {
    /// The parts that a user of the library has chosen.
    ///
    /// - Throws: ``HybridTransportError`` with `stage`.
    init(
        _ radio: HybridRadio, _ service: HybridTunnelService?, _ limits: TimeLimits, reaching stage: Stage,
        as role: Role
    ) throws(HybridTransportError) {
        do {
            var configuration = TunnelClient.Configuration()
            configuration.proxies = ProxySettings(environment: ProcessEnvironment.value)
            configuration.additionalAuthorities = service?.authorities ?? []
            self.init(
                radio: try radio.backend, opener: try TunnelClient(configuration: configuration),
                service: service.map { service in
                    service.address.map(TunnelURL.Service.init(address:)) ?? TunnelURL.Service(service.domain)
                },
                domain: service?.domain ?? .unnamed, channel: .any, limits: limits)
        } catch {
            throw HybridTransportError(error, reaching: stage, as: role)
        }
    }
}
