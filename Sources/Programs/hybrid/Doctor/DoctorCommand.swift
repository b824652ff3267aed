import ArgumentParser
import CeremonyOptions
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport

/// Examines this machine for what the roles need.
struct DoctorCommand: ConfigurableCommand, ReachOptions {
    static let configurable: [any ParsableArguments.Type] = [
        ExaminationOptions.self, RadioOption.self, ChannelOption.self, TunnelDomainOption.self, TunnelOptions.self,
        TimeLimitOption.self, QROption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examine the requirements of a role on this machine; report problems and remedies.",
        discussion: """
            example:
              hybrid doctor
              hybrid doctor authenticator --offline
              hybrid doctor --tunnel wss://tunnel.example.org
              hybrid doctor --with-device --report report.json

            Each line is a check: fine, warning, broken or not checked. Nobody is asked for a finger or a password, \
            nothing is unlocked, and for 3 seconds Bluetooth listens for adverts. It ends with 0 if nothing is broken, \
            otherwise with 1.

            Unless --tunnel names a service, or --offline is given, a tunnel is opened and joined at the services of \
            domains 0 and 1, as any ceremony does: that is Google's and Apple's, which learn this machine's address \
            and the time.
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
        let findings = try await Findings.of(Examination(setup(), for: Set(subject.roles)), reporter)
        let verdicts = subject.roles.map { RoleVerdict($0, findings.lines) }
        for verdict in verdicts { verdict.write(reporter) }
        let ceremonies = subject.withDevice ? try await DeviceCeremonies(self, findings, reporter).run() : []
        if let report = subject.report {
            try DoctorReport(subject.roles, findings.lines, verdicts, ceremonies).write(to: report)
            reporter.say("the report is in \(report); read it before you give it away")
        }
        let broken = findings.lines.count { $0.result == CheckResult.Grade.broken.rawValue }
        guard broken == 0 else {
            throw Failure(
                .failure, code: "not-ready", cause: "\(broken) \(broken == 1 ? "check has" : "checks have") failed",
                hint: "do what the lines say that begin with broken, and start again")
        }
    }

    /// Checks early what would otherwise fail only at the end.
    private func checkArguments() throws {
        if let report = subject.report, SystemFile.exists(report) {
            throw Failure(
                .file, code: AtomicFileError.Code.exists.rawValue, cause: "\(report) is there already",
                hint: "give --report the name of a file that is not there yet")
        }
        guard !subject.withDevice || StandardStreams.hasControllingTerminal else {
            throw Failure.usage("there is no terminal to lead you at", hint: "run this in a terminal")
        }
    }
}

extension DoctorRole: ExpressibleByArgument {}
