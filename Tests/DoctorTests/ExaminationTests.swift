import Foundation
import HybridProtocol
import HybridTransport
import LinuxSupport
import Logging
import Testing
import TunnelClient
import TunnelService
import Vault

@testable import DesktopAuthenticator
@testable import hybrid

/// The state of a machine, and the remedies.
@Suite("An examination", .timeLimit(.minutes(2)))
struct ExaminationTests {
    @Test("gives its results in the order of the checks, whichever ends first")
    func order() async throws {
        try await DoctorTestContext.with { context in
            let names = try await context.results(for: [.authenticator]).map(\.check.name)
            #expect(names == CheckName.allCases.filter(names.contains))
            #expect(names.contains(.vault) && names.contains(.adverts) && !names.contains(.terminal))
        }
    }

    @Test("has the checks that its roles need, and no others", arguments: DoctorRole.allCases)
    func roles(role: DoctorRole) async throws {
        try await DoctorTestContext.with { context in
            context.services = [try DoctorTestContext.target("wss://tunnel.example", contact: .offline)]
            let checks = context.examination(for: [role]).checks
            #expect(checks.allSatisfy { $0.roles.contains(role) })
            let names = Set(checks.map(\.name))
            #expect(names.contains(.tunnelName))
            #expect(names.contains(.openFiles) == (role == .tunnelService))
            #expect(names.contains(.verification) == (role == .authenticator))
            #expect(names.contains(.terminal) == (role == .client))
        }
    }

    @Test("counts the senders of adverts, each once and by its service")
    func adverts() async throws {
        try await DoctorTestContext.with { context in
            context.adverts = [(.fido, "a"), (.fido, "a"), (.fido, "b"), (.google, "a"), (.nearbyPresence, "c")].map {
                ReceivedAdvert(service: $0, serviceData: [], sender: $1)
            }
            try await context.expect(.adverts, for: .client, .fine(.heard(fido: 2, google: 1, nearbyPresence: 1)))
            context.radioFailure = RadioError(.addressInUse, reason: "for a test")
            try await context.expect(
                .adverts, for: .client, .broken(.radio(.addressInUse), .radio(.addressInUse)))
        }
    }

    @Test("does not look for an adapter where the radio is a simulated one")
    func simulated() async throws {
        try await DoctorTestContext.with { context in
            for name in [CheckName.systemBus, .adapter, .rfkill] {
                try await context.expect(name, for: .client, .notChecked(.otherRadio))
            }
        }
    }

    @Test("says what is wrong with the vault, and opens nothing")
    func vault() async throws {
        try await DoctorTestContext.with { context in
            let path = try #require(context.vault)
            try await context.expect(.vault, for: .authenticator, .fine(.noVaultYet))

            let id = Vault.newID()
            await (try Vault.create(at: path, id: id, VaultSecrets(passphrase: secret("open sesame")))).close()
            try await context.expect(.vault, for: .authenticator, .fine(.vault(passphrase: true, keyring: false)))

            try setMode(0o644, of: path)
            try await context.expect(.vault, for: .authenticator, .broken(.vaultFailed(.exposed), .vault(.exposed)))
            try setMode(0o600, of: path)
            try setMode(0o777, of: context.folder)
            try await context.expect(.vault, for: .authenticator, .broken(.vaultFolderOpen, .closeFolder))
            try setMode(0o700, of: context.folder)

            try Data("something else".utf8).write(to: URL(filePath: path))
            try await context.expect(.vault, for: .authenticator, .broken(.vaultFailed(.damaged), .vault(.damaged)))
        }
    }

    @Test("says what `hybrid key` lacks")
    func securityKey() async throws {
        try await DoctorTestContext.with { context in
            func make(_ name: String, mode: Int = 0o600) throws {
                try Data().write(to: URL(filePath: "\(context.folder)/\(name)"))
                try setMode(mode, of: "\(context.folder)/\(name)")
            }
            try await context.expect(.securityKey, for: .client, .notChecked(.noUHID))
            try make("uhid")
            try await context.expect(.securityKey, for: .authenticator, .warning(.noKeyRule, .installKeyRule))
            try make("69-hybrid-key.rules")
            try await context.expect(.securityKey, for: .client, .fine(.keyWithoutBroker))
            try make("key.socket")
            try await context.expect(.securityKey, for: .client, .fine(.keyBroker))
            // Root may use everything.
            guard getuid() != 0 else { return }
            try make("uhid", mode: 0)
            try await context.expect(.securityKey, for: .client, .fine(.keyBroker))
            try make("key.socket", mode: 0)
            try await context.expect(.securityKey, for: .client, .notChecked(.noKeyBroker))
        }
    }

    @Test("says whether a QR code fits the terminal")
    func terminal() async throws {
        try await DoctorTestContext.with { context in
            func result(_ size: (columns: Int, lines: Int)?, pictures: Bool = true) async throws -> CheckResult? {
                context.terminal = TerminalState(size: size, showsPictures: pictures, needed: (45, 26))
                return try await context.result(.terminal, for: .client)
            }
            let fitting = try await result((45, 26))
            let narrow = try await result((44, 26))
            let low = try await result((45, 25))
            let plain = try await result((80, 40), pictures: false)
            let unknown = try await result(nil)
            #expect(fitting?.grade == .fine && unknown?.grade == .notChecked)
            #expect(narrow?.remedy == .enlargeTerminal && low?.remedy == .enlargeTerminal)
            #expect(plain?.remedy == .useOtherTerminal)
        }
    }

    @Test("contacts no tunnel service that it must not, or does not know")
    func offline() async throws {
        try await DoctorTestContext.with { context in
            context.services = [
                try DoctorTestContext.target("wss://tunnel.example", .domain(0), contact: .offline),
                try DoctorTestContext.target("", contact: .unknown),
            ]
            let results = try await context.results(for: [.tunnelService]).filter { $0.check.service != nil }
            #expect(results.allSatisfy { $0.result.grade == .notChecked })
            #expect(results.contains { $0.result == .notChecked(.offline) && $0.check.service == .domain(0) })
            #expect(results.contains { $0.result == .notChecked(.noServiceGiven) && $0.check.service == .given })
        }
    }

    @Test("tries a tunnel service from both sides")
    func tunnelService() async throws {
        let running = try await TunnelService(
            configuration: .init(port: 0, security: .plain),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ).start()
        try await DoctorTestContext.with { context in
            context.services = [try DoctorTestContext.target("ws://127.0.0.1:\(running.port)")]
            let results = try await context.results(for: [.tunnelService])
            func result(_ name: CheckName) -> CheckResult? { results.first { $0.check.name == name }?.result }
            #expect(result(.tunnelName) == .fine(.resolves) && result(.tunnelConnection) == .fine(.connects))
            #expect(result(.tunnelCertificate) == .notChecked(.noTLS))
            #expect(result(.tunnelNew)?.observation.code == "opened" && result(.tunnelNew)?.grade == .fine)
            #expect(result(.tunnelConnect)?.observation.code == "relayed")
            #expect(result(.tunnelContact) == .warning(.noContactSide, .addContactSide))
        }
        await running.shutdown()
    }

    @Test("of a port where nothing answers goes no further")
    func unreachable() async throws {
        try await DoctorTestContext.with { context in
            // The port of tcpmux, which nobody runs any more.
            context.services = [try DoctorTestContext.target("ws://127.0.0.1:1")]
            let results = try await context.results(for: [.tunnelService])
            let connection = results.first { $0.check.name == .tunnelConnection }?.result
            #expect(connection == .broken(.server(.unreachable, status: nil), .checkNetwork))
            #expect(
                results.first { $0.check.name == .tunnelNew }?.result == .notChecked(.dependsOn(.tunnelConnection)))
        }
    }

    @Test("of a name without an address goes no further")
    func unresolved() async throws {
        try await DoctorTestContext.with { context in
            context.services = [try DoctorTestContext.target("wss://tunnel.invalid")]
            let results = try await context.results(for: [.tunnelService])
            #expect(
                results.first { $0.check.name == .tunnelName }?.result == .broken(.unresolved, .checkName))
            #expect(results.first { $0.check.name == .tunnelNew }?.result == .notChecked(.dependsOn(.tunnelName)))
        }
    }
}
