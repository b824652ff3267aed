import ArgumentParser
import BluetoothLE
import CommandLine
import DesktopAuthenticator
import Glibc
import HybridProtocol
import HybridTransport
import LinuxSupport
import QRCode
import Vault

/// Examines this machine for the requirements of the roles.
struct DoctorCommand: ConfigurableCommand, ReachOptions {
    static let configurable: [any ParsableArguments.Type] = [
        ExaminationOptions.self, RadioOption.self, ChannelOption.self, TunnelDomainOption.self, TunnelOptions.self,
        TimeLimitOption.self, QROption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        summary: "Examine the requirements of a role on this machine; report problems and remedies.",
        details: """
            example:
              hybrid doctor
              hybrid doctor authenticator --offline
              hybrid doctor --tunnel wss://tunnel.example.org
              hybrid doctor --with-device --report report.json

            Each line is a check: fine, warning, broken, unknown or not checked; at a terminal each has a sign. The \
            command asks for no finger and no password, unlocks nothing, and listens for Bluetooth adverts for 3 \
            seconds. The exit code is 0 if nothing is broken, otherwise 1.

            Unless --tunnel names a service, or --offline is given, the command opens and joins a tunnel at the \
            services of domains 0 and 1, as any ceremony does. These are Google's and Apple's, which learn this \
            machine's address and the time.
            """)

    @OptionGroup(title: OptionTitle.examination) var subject: ExaminationOptions
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var domain: TunnelDomainOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await examine(reporter) }
    }

    private func examine(_ reporter: Reporter) async throws {
        try checkArguments()
        if subject.report != nil || subject.withDevice { LogLines.keep() }
        let findings = try await Findings.of(Examination(setup(), for: Set(subject.roles)), reporter)
        let verdicts = subject.roles.map { RoleVerdict($0, findings.lines) }
        for verdict in verdicts { verdict.write(reporter) }
        let ceremonies = subject.withDevice ? try await DeviceCeremonies(self, findings, reporter).run() : []
        if let report = try subject.report ?? reportOfPhone(ceremonies) {
            try DoctorReport(subject.roles, findings.lines, verdicts, ceremonies).write(to: report)
            reporter.say("the report is in \(report); read it before you share it")
        }
        let broken = findings.lines.count { $0.result == CheckResult.Grade.broken.rawValue }
        guard broken == 0 else {
            throw Failure(
                .failure, code: "not-ready",
                cause: Sentence(
                    count: broken, one: "\(broken) check has failed", other: "\(broken) checks have failed"),
                hint: "do what their hints say, and start again")
        }
    }

    /// The file for a report of a phone that was seen, where none was given; nil if the user wants none.
    private func reportOfPhone(_ ceremonies: [CeremonyRecord]) throws -> String? {
        guard ceremonies.contains(where: { $0.device != nil }) else { return nil }
        let name = "hybrid-phone.json"
        let answer = try TerminalPrompt.ask(
            "observations of the phone, to be sent as CONTRIBUTING says: write them to \(name)? y writes, Enter skips")
        return ["y", "yes"].contains(answer?.lowercased()) ? name : nil
    }

    /// Checks early the arguments that would otherwise fail only at the end.
    private func checkArguments() throws {
        if let report = subject.report, SystemFile.exists(report) {
            throw Failure(
                .file, code: AtomicFileError.Code.exists.rawValue, cause: "\(report) already exists",
                hint: "give --report the name of a file that does not exist yet")
        }
        guard !subject.withDevice || StandardStreams.hasControllingTerminal else {
            throw Failure.usage("there is no terminal to lead you at", hint: "run this in a terminal")
        }
    }
}

extension DoctorRole: ExpressibleByArgument {}

extension DoctorCommand {
    /// Digits of the text of a usual QR code.
    private static let usualDigitCount = 170

    /// The subjects of the examination, by the options.
    ///
    /// - Throws: ``Failure``, ``RadioError``, ``DataChannelError``.
    func setup() throws -> DoctorSetup {
        let backend = try radio.clientBackend()
        let scanner: any AdvertScanner =
            if case .bluez(let selection) = backend {
                BlueZScanner(selection).hearing([.fido, .google, .nearbyPresence])
            } else {
                try backend.scanner()
            }
        return DoctorSetup(
            radio: backend, scanner: scanner, vault: try? subject.vault ?? Vault.defaultPath(),
            terminal: try Self.terminal(), services: try services())
    }

    /// The tunnel services: the one that is given, or those that an advert may name.
    private func services() throws -> [TunnelTarget] {
        let opener = try tunnel.opener()
        func target(
            _ name: TunnelTarget.Name, _ service: TunnelURL.Service, _ roles: Set<DoctorRole>,
            _ contact: TunnelTarget.Contact
        ) -> TunnelTarget {
            TunnelTarget(
                name, service, opener: opener, authorityFiles: tunnel.ca, proxies: tunnel.proxies, for: roles,
                contact: contact)
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
        let showsPictures = StandardStreams.showsColours(STDERR_FILENO) && StandardStreams.isUTF8
        return TerminalState(
            size: StandardStreams.size(of: STDERR_FILENO), showsPictures: showsPictures,
            needed: QRDrawing.smallest(of: code))
    }
}
