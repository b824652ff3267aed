import CTAP
import CeremonyOptions
import CommandLine
import HybridProtocol
import HybridTransport
import WebAuthnClient

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
        var made: RegisteredCredential?
        let outcome = try await reporter.outcome {
            let registration = try RelyingParty(id: Self.site).beginRegistration(userName: Self.user)
            let answer = try await ask(.makeCredential(registration.request), .makeCredential, times)
            let response = try decoded(answer) { (answer) throws(CTAPError) in
                try MakeCredentialResponse(decoding: answer.span)
            }
            let verified = try registration.verify(response)
            made = verified.credential
            reporter.say("verified: the passkey was made\(Self.verification(verified.userVerified))")
        }
        credential = made
        return CeremonyRecord(.client, "makeCredential", radio: radio, times.all, outcome: outcome)
    }

    /// Signs in with it.
    ///
    /// - Throws: `CancellationError`.
    func signIn() async throws -> CeremonyRecord {
        let times = StageTimes()
        let outcome = try await reporter.outcome {
            let signIn = try RelyingParty(id: Self.site).beginSignIn(allow: credential.map { [$0.id] } ?? [])
            let answer = try await ask(.getAssertion(signIn.request), .getAssertion, times)
            let response = try decoded(answer) { (answer) throws(CTAPError) in
                try GetAssertionResponse(decoding: answer.span)
            }
            let verified = try signIn.verify(response) { id in id == credential?.id ? credential : nil }
            reporter.say("verified: signed in\(Self.verification(verified.userVerified))")
        }
        return CeremonyRecord(.client, "getAssertion", radio: radio, times.all, outcome: outcome)
    }

    private static func verification(_ isVerified: Bool) -> String {
        isVerified ? ", and the user was verified" : ", and the user was not verified"
    }

    /// Runs one ceremony.
    ///
    /// - Returns: the bytes behind the status byte of the answer.
    private func ask(_ request: CTAPRequest, _ hint: RequestHint, _ times: StageTimes) async throws -> [UInt8] {
        let parts = try command.clientParts()
        let code = command.code
        return try await reporter.during(.client) { observer in
            let ceremony = try parts.client {
                times.note($0)
                observer($0)
            }
            return try await ceremony.run(
                hint: hint, timestamp: secondsSince1970(), show: { [reporter] in try code.show($0, reporter) }
            ) { connection in
                try successPayload(of: await connection.send(request.encoded()))
            }
        }
    }
}
