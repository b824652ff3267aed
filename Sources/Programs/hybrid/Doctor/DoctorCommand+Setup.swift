import BluetoothLE
import CeremonyOptions
import CommandLine
import DesktopAuthenticator
import Glibc
import HybridProtocol
import HybridTransport
import QRCode
import Vault

extension DoctorCommand {
    /// Digits of the text of a usual QR code.
    private static let usualDigitCount = 170
    /// Lines that are written below the code before it is read.
    private static let linesBelow = 3

    /// The subjects of the examination, by the options.
    ///
    /// - Throws: ``Failure``, ``RadioError``, ``DataChannelError``.
    func setup() throws -> DoctorSetup {
        let backend = try radio.clientBackend()
        let kind: DoctorSetup.Radio
        let scanner: any AdvertScanner
        switch backend {
        case .bluez(let selection):
            kind = .bluez(selection)
            scanner = BlueZScanner(selection).hearing([.fido, .google, .nearbyPresence])
        case .kernel(let selection):
            kind = .kernel(selection)
            scanner = try backend.scanner()
        case .simulated:
            kind = .simulated
            scanner = try backend.scanner()
        }
        return DoctorSetup(
            radio: kind, scanner: scanner, vault: try? subject.vault ?? Vault.defaultPath(),
            terminal: try Self.terminal(), services: try services(),
            radioHint: { Hint.bluetooth($0) ?? Hint.radio })
    }

    /// The tunnel services: the one that is given, or those that an advert may name.
    private func services() throws -> [TunnelTarget] {
        let opener = try tunnel.opener()
        func target(
            _ name: TunnelTarget.Name, _ service: TunnelURL.Service, _ roles: Set<DoctorRole>,
            _ contact: TunnelTarget.Contact
        ) -> TunnelTarget {
            TunnelTarget(
                name, service, opener: opener, authorityFiles: tunnel.ca, for: roles, contact: contact)
        }
        let contact: TunnelTarget.Contact = subject.offline ? .offline : .yes
        if let given = tunnel.tunnel { return [target(.given, given, Set(DoctorRole.allCases), contact)] }
        let numbers = Set([TunnelDomain.google, .apple, domain.tunnelDomain].map(\.number)).sorted()
        let domains = try numbers.map { number in
            let tunnelDomain = try TunnelDomain(number)
            return target(
                .domain(number), TunnelURL.Service(tunnelDomain),
                tunnelDomain == domain.tunnelDomain ? [.client, .authenticator] : [.client], contact)
        }
        return domains + [target(.given, TunnelURL.Service(address: ""), [.tunnelService], .unknown)]
    }

    /// The terminal's size, and the size that a usual code needs.
    private static func terminal() throws -> TerminalState {
        let code = try QRCode(ofCeremony: Invitation.urlPrefix + String(repeating: "0", count: usualDigitCount))
        let lines = code.terminal(.plainOnDark).split(separator: "\n")
        return TerminalState(
            size: StandardStreams.size(of: STDERR_FILENO),
            showsPictures: StandardStreams.showsPictures(STDERR_FILENO),
            needed: (lines.map(\.count).max() ?? 0, lines.count + linesBelow))
    }
}
