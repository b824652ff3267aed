import CTAP
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import Synchronization
import UserVerification
import WebAuthnClient

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
                + "device. It is kept in memory, and gone when this ends; your yes counts as verification here")
        let steps = try AuthenticatorSteps(command, radio: radio, reporter)
        var records: [CeremonyRecord] = []
        while let code = try await steps.code() { records.append(try await steps.answer(code)) }
        guard !records.isEmpty else { return [] }
        let peer = try peer("the browser and its system, such as Chromium on Windows", "the browser's version")
        return records.map { $0.told(peer) }
    }

    private func begins(_ question: Sentence) throws -> Bool {
        ["y", "yes"].contains(try TerminalPrompt.ask(question)?.lowercased())
    }

    private func peer(_ name: Sentence, _ version: Sentence) throws -> CeremonyRecord.Peer {
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
            say("that failed: \(failure.text); \(failure.hint)")
            return failure.code
        }
    }
}

/// The ceremonies of this machine as the authenticator, with passkeys that are gone when it ends.
struct AuthenticatorSteps {
    private static let longestCode = Invitation.urlPrefix.utf8.count + QRDigits.maximumDigitCount + 1_024

    private let command: DoctorCommand
    private let radio: String
    private let reporter: Reporter
    private let store = InMemoryCredentialStore()

    init(_ command: DoctorCommand, radio: String, _ reporter: Reporter) throws {
        self.command = command
        self.radio = radio
        self.reporter = reporter
    }

    /// The text of a QR code; nil if no more should be answered.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    func code() async throws -> String? {
        while true {
            let answer = try TerminalPrompt.ask(
                "its QR code: camera, screen, or its text FIDO:/…; Enter goes on", limit: Self.longestCode)
            do {
                switch answer {
                case nil: return nil
                case "camera":
                    reporter.say("the camera is on: hold the QR code in front of it")
                    return try await CodePicture.codeBeforeCamera(timeout: command.time.limits.discovery)
                case "screen": return try await Screenshot.code(reader: Start.pictureReader)
                case let text?: return text
                }
            } catch {
                try Task.checkCancellation()
                let failure = Failure(error)
                reporter.say("that failed: \(failure.text); \(failure.hint)")
            }
        }
    }

    /// Answers a QR code.
    ///
    /// - Throws: `CancellationError`.
    func answer(_ code: String) async throws -> CeremonyRecord {
        let times = StageTimes()
        let listener = reporter.listener(for: .authenticator)
        let observe: EventListener = { event in
            if let event = event as? CeremonyEvent { times.note(event) }
            listener(event)
        }
        let log = SessionLog(observe: observe)
        var operation = "none"
        let outcome = try await reporter.outcome {
            let approval = VerifiedApproval(
                asking: TerminalApproval(timeout: command.time.limits.question), verifier: ClaimingVerifier())
            let answerer = CodeAnswerer(
                parts: try command.authenticatorParts(command.domain), approval: approval, credentials: nil,
                offerer: nil, log: log, observe: observe)
            try await answerer.answer(Invitation(scanned: code, observe: observe), with: store)
            let answers = try log.answers()
            operation = answers.last?.command ?? operation
            reporter.report(AgentEvent.answered(answers))
        }
        return CeremonyRecord(.authenticator, operation, radio: radio, times.all, outcome: outcome)
    }
}

/// Takes a yes at the terminal for a verification: for passkeys that are gone when the command ends.
private struct ClaimingVerifier: Verifier {
    var method: Verified.Method { .lab }
    /// The terminal shows it.
    var showsQuestion: Bool { false }

    func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant { .now }
}

/// The ceremonies of this machine as the client: a throwaway passkey is made, and used.
struct ClientSteps {
    /// The relying party's identifier: no site can have it (RFC 2606).
    static let site = "hybrid-doctor.example"
    private static let user = "doctor"

    /// The passkey, once it is made.
    private(set) var credential: RegisteredCredential?
    private let command: DoctorCommand
    private let radio: String
    private let reporter: Reporter

    init(_ command: DoctorCommand, radio: String, _ reporter: Reporter) {
        self.command = command
        self.radio = radio
        self.reporter = reporter
    }

    /// Makes the passkey.
    ///
    /// - Throws: `CancellationError`.
    mutating func register() async throws -> CeremonyRecord {
        let times = StageTimes()
        let notes = DeviceNotes()
        var made: RegisteredCredential?
        let outcome = try await reporter.outcome {
            let registration = try RelyingParty(id: Self.site).beginRegistration(userName: Self.user)
            let answer = try await ask(.makeCredential(registration.request), .makeCredential, times, notes)
            let response = try decoded(answer) { (answer) throws(CTAPError) in
                try MakeCredentialResponse(decoding: answer.span)
            }
            let verified = try registration.verify(response)
            made = verified.credential
            reporter.say("verified: the passkey was made\(Self.verification(verified.userVerified))")
        }
        credential = made
        return record("makeCredential", times, notes, outcome)
    }

    /// Signs in with it.
    ///
    /// - Throws: `CancellationError`.
    func signIn() async throws -> CeremonyRecord {
        let times = StageTimes()
        let notes = DeviceNotes()
        let outcome = try await reporter.outcome {
            let signIn = try RelyingParty(id: Self.site).beginSignIn(allow: credential.map { [$0.id] } ?? [])
            let answer = try await ask(.getAssertion(signIn.request), .getAssertion, times, notes)
            let response = try decoded(answer) { (answer) throws(CTAPError) in
                try GetAssertionResponse(decoding: answer.span)
            }
            let verified = try signIn.verify(response) { id in id == credential?.id ? credential : nil }
            reporter.say("verified: signed in\(Self.verification(verified.userVerified))")
        }
        return record("getAssertion", times, notes, outcome)
    }

    /// Makes the record of a ceremony, and shows the observations of the phone.
    private func record(
        _ operation: String, _ times: StageTimes, _ notes: DeviceNotes, _ outcome: String
    ) -> CeremonyRecord {
        var record = CeremonyRecord(.client, operation, radio: radio, times.all, outcome: outcome)
        record.device = DeviceFinding(notes, times.all)
        for line in record.device?.lines ?? [] { reporter.say(line) }
        return record
    }

    private static func verification(_ isVerified: Bool) -> Sentence {
        isVerified ? ", and the user was verified" : ", and the user was not verified"
    }

    /// Runs one ceremony.
    ///
    /// - Returns: the bytes behind the status byte of the answer.
    private func ask(
        _ request: CTAPRequest, _ hint: RequestHint, _ times: StageTimes, _ notes: DeviceNotes
    ) async throws -> [UInt8] {
        var parts = try command.clientParts(command.code)
        parts.radio = ObservingRadio(radio: parts.radio, notes: notes)
        let code = command.code
        return try await reporter.during(.client) { observer in
            let ceremony = try parts.client {
                times.note($0)
                observer($0)
            }
            return try await ceremony.run(
                hint: hint, timestamp: secondsSince1970(),
                show: { [reporter] text in
                    notes.note(code: text)
                    try code.show(text, reporter)
                }
            ) { connection in
                notes.note(connection.firstMessage)
                return try successPayload(of: await connection.send(request.encoded()))
            }
        }
    }
}

/// The stages of one ceremony with their times.
final class StageTimes: Sendable {
    private let begin = ContinuousClock.now
    private let reached = Mutex<[(stage: Stage, at: Duration)]>([])

    /// The stages so far, in order.
    var all: [(stage: Stage, at: Duration)] { reached.withLock { $0 } }

    /// Notes an event of the ceremony.
    func note(_ event: CeremonyEvent) {
        guard case .stage(let stage) = event else { return }
        let time = ContinuousClock.now - begin
        reached.withLock { $0.append((stage, time)) }
    }
}
