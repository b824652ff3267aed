// The first program of somebody who signs in with a phone: shows a QR code, and prints the response for the site.
//
//     example-phone

import QRCode
import WebAuthnClient

let phone = HybridAuthenticator(try HybridClient()) { url in print(try QRCode(text: url).terminal()) }
let client = try WebAuthnClient(origin: "https://example.com")
let options = #"{"challenge":"AAECAwQFBgcICQoLDA0ODw","rpId":"example.com"}"#
do {
    print(try await client.get(options, with: phone))
} catch {
    print("\(WebAuthnExceptionName(of: error).rawValue): \(error)")
}
