// What a browser does for a page: takes the site's options as JSON, has a device that
// reads a QR code answer, and prints the response for the site.
//
//     example-web-client create https://example.com 127.0.0.1:9999 ws://localhost:8443 < options.json

import BluetoothLE
import Glibc
import HybridProtocol
import HybridTransport
import TunnelClient
import WebAuthnClient

let arguments = CommandLine.arguments
guard arguments.count == 5, let options = readLine() else { exit(EXIT_FAILURE) }

// Adverts come over the simulated radio here, and the service is named. With Bluetooth it is
// ClientCeremony(scanner: BlueZScanner(), opener: try TunnelClient()), and the advert names the service.
let scanner = SimulatedScanner(at: try SimulatedRadioAddress(parsing: arguments[3]))
let service = TunnelURL.Service(address: arguments[4])
let ceremony = ClientCeremony(scanner: scanner, opener: try TunnelClient(), service: service)
let device = HybridAuthenticator(ceremony) { url in
    // The code holds a secret: it belongs on a screen and nowhere else. The module QRCode draws it.
    print(url)
    fflush(nil)
}

do {
    let client = try WebAuthnClient(origin: arguments[2])
    if arguments[1] == "create" {
        print(try await client.create(options, with: device))
    } else {
        print(try await client.get(options, with: device))
    }
} catch {
    // A page would see no more than the name.
    print("\(WebAuthnExceptionName(of: error).rawValue): \(error)")
    exit(EXIT_FAILURE)
}
