// An authenticator: answers one QR code, and serves its session until the client ends it.
//
//     example-authenticator FIDO:/… 127.0.0.1:9999 ws://localhost:8443

import BluetoothLE
import Glibc
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import TunnelClient
import UserVerification

guard CommandLine.arguments.count == 4 else { exit(EXIT_FAILURE) }
let code = CommandLine.arguments[1]

// Where the advert goes: the simulated radio here, BlueZAdvertiser on a machine with Bluetooth.
let advertiser = try SimulatedAdvertiser(to: [SimulatedRadioAddress(parsing: CommandLine.arguments[2])])
// Where the tunnel service is. Without it, it is where `domain` says, which the advert tells the client.
let service = TunnelURL.Service(address: CommandLine.arguments[3])

// What answers commands. A real one keeps its passkeys, in a Vault for instance, and verifies: VerifiedApproval does.
let authenticator = PasskeyAuthenticator(
    store: InMemoryCredentialStore(), approval: AutomaticApproval(claimsVerification: true))
// Digital credentials can be offered beside passkeys, or alone.
let offer = SessionOffer(getInfo: authenticator.getInfo()) { command in
    await authenticator.respond(to: command)
}

let ceremony = AuthenticatorCeremony(advertiser: advertiser, opener: try TunnelClient(), service: service) { event in
    if case .stage(let stage) = event { print("authenticator: \(stage)") }
}
do {
    let count = try await ceremony.run(Invitation(url: code), offer: offer)
    print("authenticator: answered \(count) command(s)")
} catch let error as HybridProtocolError {
    print("authenticator: the QR code is refused: \(error)")
    exit(EXIT_FAILURE)
} catch let error as HybridTransportError {
    // Every failure names the stage that was not reached, its cause, and one thing to do about it: a case of Advice.
    print("authenticator: \(error.cause) before \(error.stage); advice: \(error.advice)")
    exit(EXIT_FAILURE)
}
