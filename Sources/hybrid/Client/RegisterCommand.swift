import ArgumentParser
import CTAP
import HybridProtocol
import HybridTransport
import RelyingParty

/// Makes a passkey on another device.
struct RegisterCommand: PasskeyClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Show a QR code, make a passkey on the device that reads it, and verify it.",
        discussion: """
            example:
              hybrid client register --rp-id example.com --user alice \\
                --radio udp:127.0.0.1:9999

            Prints the credential in WebAuthn's JSON serialisation, and keeps its public key for sign-in.
            """)

    @Option(help: ArgumentHelp("The account's name.", valueName: "name"))
    var user: String

    @Option(help: ArgumentHelp("The user's name; the account's otherwise.", valueName: "name"))
    var displayName: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The user handle, 1 to 64 bytes, base64url: a device has one passkey for it, and replaces that. "
                + "(default: new and random)",
            valueName: "id"))
    var userID: UserHandle?

    // One ID in 64 begins with a dash.
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A credential that the device must not have already, base64url.", valueName: "id"))
    var exclude: [CredentialID] = []

    @Option(help: "Whether to ask for the authenticator's attestation: none or direct.")
    var attestation: RelyingParty.AttestationConveyance = .none

    @Option(
        help: ArgumentHelp(
            "An algorithm that will do: es256, eddsa or rs256; the first one that the device knows is used. "
                + "(default: es256)",
            valueName: "name"),
        transform: Self.algorithm(parsing:))
    var algorithm: [COSEAlgorithm] = []

    @OptionGroup var relyingParty: RelyingPartyOptions
    @OptionGroup var links: LinkOptions
    @OptionGroup var ceremony: CeremonyOptions

    func perform(_ reporter: Reporter) async throws {
        let site = try RelyingParty(id: relyingParty.id, origin: relyingParty.origin)
        let file = try relyingParty.credentialFile()
        // A file that is damaged is better known before the user is asked.
        _ = try file.credentials(of: site.id)
        let registration = try site.beginRegistration(
            userName: user, displayName: displayName, userID: userID?.bytes, exclude: exclude.map(\.bytes),
            attestation: attestation, algorithms: algorithm.isEmpty ? [.es256] : algorithm, prf: relyingParty.prfInputs)
        let request = registration.request
        let once = Once(registration)
        try await send(.makeCredential(request), .makeCredential, reporter) { answer in
            guard let registration = once.take() else { return }
            let response = try decoded(answer.payload) { (payload) throws(CTAPError) in
                try MakeCredentialResponse(decoding: payload.span)
            }
            let verified = try registration.verify(response, transports: answer.transports)
            // The passkey is there whatever becomes of the file, so the result comes first.
            reporter.result(verified, saying: "verified; attestation: \(verified.attestation)")
            try file.add(verified.credential, of: site.id)
            reporter.say("kept the public key in \(file.path)")
        }
    }

    private static func algorithm(parsing name: String) throws -> COSEAlgorithm {
        switch name.lowercased() {
        case "es256": .es256
        case "eddsa": .edDSA
        case "rs256": .rs256
        default: throw ValidationError("give es256, eddsa or rs256")
        }
    }
}
