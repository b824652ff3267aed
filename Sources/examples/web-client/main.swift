// A browser's part for a page: takes the site's options as JSON, has a device that
// reads a QR code answer, and prints the response for the site.
//
//     example-web-client create https://example.com 127.0.0.1:9999 ws://localhost:8443 < options.json

import Glibc
import WebAuthnClient

let arguments = CommandLine.arguments
guard arguments.count == 5, let options = readLine() else { exit(EXIT_FAILURE) }

do {
    // Adverts come over the simulated radio here, and the service is named. A machine with
    // Bluetooth needs neither: HybridClient() hears the advert, which names the service.
    let device = HybridAuthenticator(
        try HybridClient(radio: .simulated(arguments[3]), tunnelService: .address(arguments[4]))
    ) { url in
        // The code holds a secret: it belongs on a screen and nowhere else. QRCode draws it.
        print(url)
        fflush(nil)
    }
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
