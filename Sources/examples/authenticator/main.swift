// An authenticator: answers one QR code, and serves its session until the client ends it.
//
//     example-authenticator FIDO:/… 127.0.0.1:9999 ws://localhost:8443

import Glibc
import HybridTransport
import PasskeyAuthenticator

let arguments = CommandLine.arguments
guard arguments.count == 4 else { exit(EXIT_FAILURE) }

// A real one keeps its passkeys, in a Vault for instance, and verifies: VerifiedApproval does.
let authenticator = PasskeyAuthenticator(
    store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: true))

do {
    // With Bluetooth it is HybridResponder(tunnelService: .domain(…)): the advert names the service.
    let responder = try HybridResponder(
        radio: .simulated(arguments[2]), tunnelService: .address(arguments[3]))
    let count = try await responder.answer(arguments[1], getInfo: authenticator.getInfo()) { events in
        for await event in events { print("authenticator: \(event)") }
    } respond: { command, _ in
        await authenticator.respond(to: command)
    }
    print("authenticator: answered \(count) command(s)")
} catch let error as HybridTransportError {
    // A failure names the stage that was not reached, its cause, and one thing to do about it.
    print("authenticator: \(error); advice: \(error.advice)")
    exit(EXIT_FAILURE)
}
