public import ArgumentParser
import CTAP
import HybridProtocol
import HybridTransport
public import RelyingParty

/// Makes a passkey on another device.
struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Show a QR code, make a passkey on the device that reads it, and verify it.",
        discussion: """
            example: hybrid client register --rp-id example.com --user alice --radio udp:127.0.0.1:9999

            Prints the credential in WebAuthn's JSON serialisation, and keeps its public key for sign-in.
            """)

    @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
    var user: String

    @Option(help: ArgumentHelp("The person's name; the account's otherwise.", valueName: "name"))
    var displayName: String?

    @Option(help: ArgumentHelp("A credential that the device must not have already, base64url.", valueName: "id"))
    var exclude: [CredentialID] = []

    @Option(help: "Whether to ask for the authenticator's attestation: none or direct.")
    var attestation: RelyingParty.AttestationConveyance = .none

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let reporter = client.output.reporter()
        try await runCommand(reporter) { try await register(reporter) }
    }

    private func register(_ reporter: Reporter) async throws {
        let file = try client.credentialFile()
        let site = try client.relyingParty()
        let registration = try site.beginRegistration(
            userName: user, displayName: displayName, exclude: exclude.map(\.bytes), attestation: attestation)
        let answer = try await client.send(.makeCredential(registration.request), .makeCredential, reporter)
        let response = try decoded(answer.payload) { (payload) throws(CTAPError) in
            try MakeCredentialResponse(decoding: payload.span)
        }
        let verified = try registration.verify(response, transports: answer.transports)
        try file.add(verified.credential, of: site.id)
        reporter.result(
            verified, saying: "verified; attestation: \(verified.attestation); public key kept in \(file.path)")
    }
}

/// Signs in with a passkey of another device.
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Show a QR code, sign in with a passkey of the device that reads it, and verify that.",
        discussion: """
            example: hybrid client sign-in --rp-id example.com --radio udp:127.0.0.1:9999

            Prints the assertion in WebAuthn's JSON serialisation, verified against the public keys that register kept.
            """)

    @Option(
        help: ArgumentHelp("A credential that may be used, base64url; any of the site's otherwise.", valueName: "id"))
    var allow: [CredentialID] = []

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let reporter = client.output.reporter()
        try await runCommand(reporter) { try await signIn(reporter) }
    }

    private func signIn(_ reporter: Reporter) async throws {
        let file = try client.credentialFile()
        let site = try client.relyingParty()
        let known = try file.credentials(of: site.id).map(\.credential)
        guard !known.isEmpty else {
            throw Failure(
                .notVerified, code: RelyingPartyError.Code.unknownCredential.rawValue,
                cause: "\(file.path) has no passkey for \(site.id)", hint: "make one: hybrid client register")
        }
        let signIn = try site.beginSignIn(allow: allow.map(\.bytes))
        let answer = try await client.send(.getAssertion(signIn.request), .getAssertion, reporter)
        let response = try decoded(answer.payload) { (payload) throws(CTAPError) in
            try GetAssertionResponse(decoding: payload.span)
        }
        let verified = try signIn.verify(response) { id in known.first { $0.id == id } }
        try file.record(verified, of: site.id)
        let name = verified.credential.user.name ?? "an account without a name"
        reporter.result(verified, saying: "verified: \(name) at \(site.id)")
    }
}

/// A credential ID as it is written on the command line: base64url.
struct CredentialID: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = Base64URL.decode(argument), !bytes.isEmpty else { return nil }
        self.bytes = bytes
    }
}

extension RelyingParty.AttestationConveyance: ExpressibleByArgument {}

/// Reads an authenticator's answer; one that cannot be read breaks the protocol.
///
/// - Throws: ``Failure``.
func decoded<Response>(_ payload: [UInt8], _ read: ([UInt8]) throws(CTAPError) -> Response) throws -> Response {
    do {
        return try read(payload)
    } catch {
        throw Failure(.protocolViolation, code: error.code.rawValue, stage: .commandAnswered, cause: error.reason)
    }
}
