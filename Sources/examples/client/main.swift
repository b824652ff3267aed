// A client: shows a QR code, has the device that reads it make a passkey, and verifies it.
//
//     example-client 127.0.0.1:9999 ws://localhost:8443

import Glibc
import HybridTransport
import WebAuthnClient

func makePasskey(by client: HybridClient) async throws {
    // A real site makes the request, and verifies the answer on its own machine.
    let registration = try RelyingParty(id: "example.com").beginRegistration(userName: "alice")
    let response = try await client.send(.makeCredential(registration.request)) { events in
        for await event in events { print("client: \(event)") }
    } show: { url in
        // The code holds a secret: it belongs on a screen and nowhere else. QRCode draws it.
        print(url)
        fflush(nil)
    }
    guard response.status.isSuccess else { return print("client: refused: \(response.status)") }
    let made = try registration.verify(MakeCredentialResponse(decoding: response.payload))
    print("client: verified a passkey of \(made.credential.id.count) bytes")
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(EXIT_FAILURE) }
// A machine with Bluetooth needs neither: HybridClient() hears the advert, which names the service.
let (radio, service) = (HybridRadio.simulated(arguments[1]), HybridTunnelService.address(arguments[2]))
try await makePasskey(by: HybridClient(radio: radio, tunnelService: service))
