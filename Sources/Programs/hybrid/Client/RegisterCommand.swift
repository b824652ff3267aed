import ArgumentParser
import CTAP
import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport
import WebAuthnClient

/// Makes a passkey on another device.
struct RegisterCommand: LinkedCeremonyCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        summary: "Show a QR code, make a passkey on the device that reads it, and verify it.",
        details: """
            example:
              hybrid client register --rp-id example.com --user alice \\
                --radio udp:127.0.0.1:9999

            Prints the credential in WebAuthn's JSON serialisation, or at a terminal only the outcome in words. Keeps \
            its public key for sign-in.
            """)

    @OptionGroup(title: OptionTitle.request) var request: RegistrationOptions
    @OptionGroup(title: OptionTitle.request) var relyingParty: RelyingPartyOptions
    @OptionGroup(title: OptionTitle.request) var relatedOrigins: RelatedOriginsOption
    @OptionGroup(title: OptionTitle.links) var links: LinkOptions
    @OptionGroup(title: OptionTitle.links) var linkFile: LinkFileOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var code: QROption
    @OptionGroup(title: OptionTitle.output) var windows: WindowOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    func perform(_ reporter: Reporter) async throws {
        let site = try await relyingParty.site(relatedOrigins, tunnel, reporter)
        let file = try relyingParty.credentialFile()
        // A file that cannot be used is better known before the user is asked: a passkey without it is of no use.
        _ = try file.credentials(of: site.id)
        try FileCheck.writable(file.path, hint: Hint.stateFile)
        let registration = try site.beginRegistration(
            userName: request.user, displayName: request.displayName, userID: request.userID?.bytes,
            exclude: request.exclude.map(\.bytes), attestation: request.attestation,
            algorithms: request.algorithm.isEmpty ? [.es256] : request.algorithm, prf: relyingParty.prfInputs)
        let request = registration.request
        let once = Once(registration)
        try await send(.makeCredential(request), .makeCredential, reporter) { answer in
            guard let registration = once.take() else { return }
            let response = try decoded(answer.payload) { (payload) throws(CTAPError) in
                try MakeCredentialResponse(decoding: payload.span)
            }
            let verified = try registration.verify(response, transports: answer.transports)
            // The passkey is there whatever becomes of the file, so the result comes first.
            let done = RequestWords(.makeCredential, site: site.id, account: verified.credential.user.name).done
            reporter.result(verified, saying: "\(done); verified; attestation: \(verified.attestation)")
            try keep(verified.credential, of: site.id, in: file)
            reporter.say("kept the public key in \(file.path)")
        }
    }

    /// Keeps the public key of a passkey that was made.
    ///
    /// - Throws: ``Failure`` where there is no room for it; ``RelyingPartyError``.
    private func keep(_ credential: RegisteredCredential, of id: String, in file: CredentialRecordFile) throws {
        do throws(RelyingPartyError) {
            try file.add(credential, of: id)
        } catch {
            guard error.code == .fileInaccessible else { throw error }
            throw Failure(
                .file, error,
                hint: "make room for the file, and register again: the passkey is on the device, but cannot be "
                    + "verified here without it")
        }
    }
}

/// The passkey to make.
struct RegistrationOptions: ParsableArguments {
    @Option(help: .saying("The account's name.", valueName: "name"))
    var user: String

    @Option(help: .saying("The user's name. (default: the account's)", valueName: "name"))
    var displayName: String?

    @Option(
        parsing: .unconditional,
        help: .saying(
            "The user handle, 1 to 64 bytes, base64url: a device keeps one passkey for each, and replaces it. "
                + "(default: new and random)",
            valueName: "id"))
    var userID: UserHandle?

    // One ID in 64 begins with a dash.
    @Option(
        parsing: .unconditionalSingleValue,
        help: .saying("A credential that the device must not have already, base64url.", valueName: "id"))
    var exclude: [CredentialID] = []

    @Option(help: .saying("Whether to ask for the authenticator's attestation."))
    var attestation: RelyingParty.AttestationConveyance = .none

    @Option(
        help: .saying(
            "An accepted algorithm: es256, eddsa or rs256. The device uses the first one that it supports. "
                + "(default: es256)",
            valueName: "name"),
        transform: Self.algorithm(parsing:))
    var algorithm: [COSEAlgorithm] = []

    func validate() throws {
        guard !user.isEmpty else { throw ValidationError.saying("--user takes the name of an account") }
    }

    private static func algorithm(parsing name: String) throws -> COSEAlgorithm {
        switch name.lowercased() {
        case "es256": .es256
        case "eddsa": .edDSA
        case "rs256": .rs256
        default: throw ValidationError.saying("give es256, eddsa or rs256")
        }
    }
}
