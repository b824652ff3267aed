import CeremonyOptions
import CommandLine
import DesktopAuthenticator
import HybridTransport

/// Leads through a ceremony in each direction with another device. Enter skips each step.
struct DeviceCeremonies: Sendable {
    let command: DoctorCommand
    let radio: String
    let reporter: Reporter

    init(_ command: DoctorCommand, _ findings: Findings, _ reporter: Reporter) throws {
        self.command = command
        self.reporter = reporter
        radio =
            switch command.radio.radio {
            case .bluez: findings.bluetoothVersion.map { "BlueZ \($0)" } ?? "BlueZ"
            case .kernel: "the kernel's Bluetooth"
            case .simulated: "simulated radio"
            }
    }

    /// Leads through the ceremonies of the command's roles.
    ///
    /// - Returns: those that were begun.
    /// - Throws: ``Failure``; `CancellationError`.
    func run() async throws -> [CeremonyRecord] {
        var records: [CeremonyRecord] = []
        if command.subject.role != .authenticator { records += try await asClient() }
        if command.subject.role != .client { records += try await asAuthenticator() }
        for record in records {
            if reporter.isJSON { reporter.writeJSON(record.json) } else if let row = record.row { reporter.print(row) }
        }
        return records
    }

    private func asClient() async throws -> [CeremonyRecord] {
        reporter.say(
            "this machine as the client: a phone reads a QR code from this screen, makes a passkey for "
                + "\(ClientSteps.site), which is not a site, and signs in with it")
        guard try begins("make a passkey with a phone? y begins, Enter skips") else { return [] }
        var steps = ClientSteps(command, radio: radio, reporter)
        var records = [try await steps.register()]
        while steps.credential == nil, try begins("once more? y begins, Enter skips") {
            records.append(try await steps.register())
        }
        if steps.credential != nil, try begins("sign in with it, by another QR code? y begins, Enter skips") {
            records.append(try await steps.signIn())
        }
        if steps.credential != nil {
            reporter.say("remove the passkey for \(ClientSteps.site) on the phone when you are done")
        }
        let peer = try peer("the phone, such as Pixel 8", "its system's version, such as Android 16")
        return records.map { $0.told(peer) }
    }

    private func asAuthenticator() async throws -> [CeremonyRecord] {
        reporter.say(
            "this machine as the authenticator: in a browser elsewhere, make a passkey at a site for tests, on another "
                + "device. it is kept in memory, and gone when this ends; your yes counts as verification here")
        let steps = try AuthenticatorSteps(command, radio: radio, reporter)
        var records: [CeremonyRecord] = []
        while let code = try await steps.code() { records.append(try await steps.answer(code)) }
        guard !records.isEmpty else { return [] }
        let peer = try peer("the browser and its system, such as Chromium on Windows", "the browser's version")
        return records.map { $0.told(peer) }
    }

    private func begins(_ question: String) throws -> Bool {
        ["y", "yes"].contains(try TerminalPrompt.ask(question)?.lowercased())
    }

    private func peer(_ name: String, _ version: String) throws -> CeremonyRecord.Peer {
        let name = try TerminalPrompt.ask("\(name) (Enter skips)")
        return CeremonyRecord.Peer(
            name: name, version: name == nil ? nil : try TerminalPrompt.ask("\(version) (Enter skips)"))
    }
}

extension Reporter {
    /// Runs a ceremony that may fail, and says how it went.
    ///
    /// - Returns: its outcome by name.
    /// - Throws: `CancellationError`.
    func outcome(of ceremony: () async throws -> Void) async throws -> String {
        do {
            try await ceremony()
            return CeremonyRecord.success
        } catch {
            try Task.checkCancellation()
            let failure = Failure(error)
            say("that failed: \(failure.cause); \(failure.hint)")
            return failure.code
        }
    }
}
