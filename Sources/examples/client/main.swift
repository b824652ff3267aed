// A client: shows a QR code, has the authenticator that reads it make a passkey, and verifies what comes back.
//
//     example-client 127.0.0.1:9999 ws://localhost:8443

import BluetoothLE
import CTAP
import Glibc
import HybridProtocol
import HybridTransport
import TunnelClient
import WebAuthnClient

func makePasskey(_ ceremony: ClientCeremony) async throws {
    // What is asked for. A real site makes the request, and verifies the answer on its own machine.
    let registration = try RelyingParty(id: "example.com").beginRegistration(userName: "alice")
    let command = CTAPRequest.makeCredential(registration.request).encoded()

    let answer = try await ceremony.run(hint: .makeCredential) { url in
        // The code holds a secret: it belongs on a screen and nowhere else. The module QRCode draws it.
        print(url)
        fflush(nil)
    } session: { connection in
        // The session is ready: connection.firstMessage says what the authenticator can do.
        try await connection.send(command)
    }

    let response = try CTAPResponse(decoding: answer.span)
    guard response.status.isSuccess else { return print("client: refused with \(response.status)") }
    let made = try registration.verify(MakeCredentialResponse(decoding: response.payload.span))
    print("client: verified a passkey of \(made.credential.id.count) bytes")
}

guard CommandLine.arguments.count == 3 else { exit(EXIT_FAILURE) }

// Where adverts are heard: the simulated radio here, BlueZScanner on a machine with Bluetooth.
let scanner = SimulatedScanner(at: try SimulatedRadioAddress(parsing: CommandLine.arguments[1]))
// Where the tunnel service is. Without it, the advert says so.
let service = TunnelURL.Service(address: CommandLine.arguments[2])

let ceremony = ClientCeremony(scanner: scanner, opener: try TunnelClient(), service: service) { event in
    if case .stage(let stage) = event { print("client: \(stage)") }
}
try await makePasskey(ceremony)
