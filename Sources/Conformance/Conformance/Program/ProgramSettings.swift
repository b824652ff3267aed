internal import BluetoothLE
internal import Cryptography
internal import Glibc
package import HybridProtocol
internal import HybridTransport
internal import NIOCore

/// The radio between the runner and the command.
public struct RunnerRadio: Sendable {
    enum Kind: Sendable {
        case simulated
        case scanner(any AdvertScanner)
        case advertiser(any Advertiser)
    }

    let kind: Kind

    /// The simulated one: each case has a port of its own on this machine.
    public static let simulated = Self(kind: .simulated)

    /// A real one: the scanner that receives an authenticator's adverts.
    package static func scanner(_ scanner: any AdvertScanner) -> Self { Self(kind: .scanner(scanner)) }

    /// A real one: the advertiser that sends adverts to a client.
    package static func advertiser(_ advertiser: any Advertiser) -> Self { Self(kind: .advertiser(advertiser)) }
}

/// The settings of a command and of its counterpart.
public struct ProgramSettings: Sendable {
    /// The command.
    public var command: CommandTemplate
    /// The command that makes a link: a client's offers it, an authenticator's takes that up. Nil if ``command`` does.
    public var linkCommand: CommandTemplate?
    /// The command that is run once there is a link: a client's asks its linked authenticators, and is ``linkCommand``
    /// if nil; an authenticator's waits for linked clients.
    public var linkedCommand: CommandTemplate?
    /// The command of a client that asks for a digital credential; nil if there is none.
    public var credentialCommand: CommandTemplate?
    /// The time limit of each step of the command, and of its end.
    public var timeout: Duration
    /// The edition of CTAP that the peer shows: it is not judged by rules of another alone. Nil for all rules.
    public var edition: Rule.Edition?
    /// True if the peer is held to this project's own choices too: the rules whose certainty is policy.
    public var holdsPolicies = false
    /// The radio.
    public var radio: RunnerRadio
    /// The name that the command's tunnel service goes by, and the port, as in `{tunnel}`.
    public var host = "localhost"
    /// The address on which the runner's tunnel service listens.
    public var listenAddress = "127.0.0.1"
    /// The port on which it listens; 0 for another one in each case.
    public var port: UInt16 = 0
    /// The tunnel service's certificate; nil for no TLS.
    public var identity: ServiceIdentity?
    /// The file in which the certificate is, for `{ca}`.
    public var authority = ""
    /// The first line of the shim that is tested; nil if a whole program is.
    public var shim: ShimHello?
    /// The tunnel domain that the adverts of the runner's authenticator name.
    public var domain: UInt16 = 0

    /// Makes settings.
    public init(command: CommandTemplate, timeout: Duration, radio: RunnerRadio) {
        self.command = command
        self.timeout = timeout
        self.radio = radio
    }

    /// The time limit of a whole case.
    var caseLimit: Duration { timeout * 6 }

    var links: LinkCommands { LinkCommands(link: linkCommand ?? command, linked: linkedCommand) }

    func values(port: Int, radio: String, directory: String) -> CommandTemplate.Values {
        CommandTemplate.Values(
            tunnel: "\(identity == nil ? "ws" : "wss")://\(host):\(port)", radio: radio, authority: authority,
            directory: directory, port: port)
    }
}

/// The commands of the cases about links.
struct LinkCommands: Sendable {
    /// Makes a link.
    let link: CommandTemplate
    /// Uses it; nil if there is no such command.
    let linked: CommandTemplate?
}

/// Ports of the simulated radio: no two cases of a run get the same.
actor RadioPorts {
    private var given: Set<SimulatedRadioAddress> = []

    func next() async throws -> SimulatedRadioAddress {
        while true {
            let address = try await SimulatedRadioAddress.unused()
            if given.insert(address).inserted { return address }
        }
    }
}

extension RunnerRadio {
    /// Uses the radio for a moment.
    ///
    /// - Throws: `RadioError` if it cannot be used.
    func check() async throws {
        switch kind {
        case .simulated: break
        case .scanner(let scanner): try await scanner.scan { _ in }
        // An advert that no client can decrypt.
        case .advertiser(let advertiser): try await advertiser.advertise(randomBytes(count: Self.advertByteCount)) {}
        }
    }

    private static let advertByteCount = 20
}

extension ProgramSettings {
    /// Listens for a moment where the tunnel service will listen in each case.
    ///
    /// - Throws: ``RunnerError`` with `cannot-listen`.
    func checkListening() async throws {
        do {
            try await WireListener.with(host: listenAddress, port: Int(port), tls: nil) { _ in }
        } catch {
            try Task.checkCancellation()
            let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw RunnerError(
                .cannotListen,
                reason: "the runner's tunnel service cannot listen at \(listenAddress):\(port): \(words)")
        }
    }
}
