import HybridProtocol
import HybridTransport
import Testing

@testable import Conformance

@Suite("The preflight", .timeLimit(.minutes(5)))
struct PreflightTests {
    /// A radio that this machine does not have.
    struct MissingRadio: AdvertScanner, Advertiser {
        static let error = RadioError(.absent, reason: "there is no adapter")

        func scan<Value: Sendable>(
            _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
        ) async throws -> Value { throw Self.error }

        func advertise<Value: Sendable>(
            _ serviceData: [UInt8], while body: @escaping @Sendable () async throws -> Value
        ) async throws -> Value { throw Self.error }
    }

    static func settings(_ command: [String], _ radio: RunnerRadio = .simulated) -> ProgramSettings {
        ProgramSettings(command: CommandTemplate(command), timeout: .seconds(1), radio: radio)
    }

    @Test("plays the plainest case, which is one of the role's")
    func plainCases() {
        #expect(ConformanceRunner.authenticatorCases.contains(ConformanceRunner.plainCase(of: .authenticator)))
        #expect(ConformanceRunner.clientCases.contains(ConformanceRunner.plainCase(of: .client)))
        #expect(ConformanceRunner.tunnelServiceCases.contains(ConformanceRunner.plainCase(of: .tunnelService)))
        for role in ConformanceCase.Role.allCases {
            let plain = ConformanceRunner.plainCase(of: role)
            #expect(plain.kind == .behaves && plain.rule.isCertainRequirement)
        }
    }

    @Test("names a missing radio, and starts nothing then")
    func radio() async throws {
        await #expect(throws: MissingRadio.error) {
            try await ConformanceRunner.preflightAuthenticator(Self.settings(["/bin/nope"], .scanner(MissingRadio())))
        }
        await #expect(throws: MissingRadio.error) {
            try await ConformanceRunner.preflightClient(Self.settings(["/bin/nope"], .advertiser(MissingRadio())))
        }
    }

    @Test("names a command that cannot be started")
    func command() async throws {
        await #expect(throws: RunnerError(.cannotStart, reason: "")) {
            try await ConformanceRunner.preflightAuthenticator(Self.settings(["/bin/nope"]))
        }
        await #expect(throws: RunnerError(.cannotStart, reason: "")) {
            try await ConformanceRunner.preflightClient(Self.settings(["/bin/nope"]))
        }
    }

    @Test("names an address at which the runner's tunnel service cannot listen")
    func listening() async throws {
        try await WireListener.with(host: "127.0.0.1", port: 0, tls: nil) { other in
            var settings = Self.settings(["true"])
            settings.port = UInt16(other.port)
            let taken = settings
            await #expect(throws: RunnerError(.cannotListen, reason: "")) {
                try await ConformanceRunner.preflightClient(taken)
            }
        }
    }

    @Test("tells a command that does not work, with the last lines of its standard error")
    func deadCommand() async throws {
        let text = "echo first >&2; echo oops-peer-broke >&2; exit 3"
        let authenticator = try await ConformanceRunner.preflightAuthenticator(Self.settings(["sh", "-c", text]))
        #expect(
            authenticator.verdict
                == .deviates("it ended before a connection to the tunnel service: exit status 3"))
        #expect(authenticator.standardError == ["first", "oops-peer-broke"])
        let client = try await ConformanceRunner.preflightClient(Self.settings(["sh", "-c", text]))
        #expect(client.standardError == ["first", "oops-peer-broke"])
    }

    @Test("tells a tunnel service that is none")
    func deadService() async throws {
        // Port 1 is nobody's: one that was free a moment ago may be another test's by now.
        let settings = try ServiceSettings(
            isSecure: false, host: "127.0.0.1", port: 1, authorities: [], timeout: .seconds(1))
        let result = try await ConformanceRunner.preflightTunnelService(settings)
        guard case .deviates(let reason) = result.verdict else {
            Issue.record("\(result.verdict) is not a deviation")
            return
        }
        #expect(reason.hasPrefix("it cannot be connected to: "))
    }
}
