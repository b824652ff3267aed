// Draws a QR code.
//
//     example-qr-code TEXT               in the terminal
//     example-qr-code TEXT > code.svg    as a picture

import Glibc
import QRCode

guard CommandLine.arguments.count == 2 else { exit(EXIT_FAILURE) }
do {
    // The smallest symbol that holds the text, with the error correction that fits in.
    let text = CommandLine.arguments[1]
    let code = try QRCode(text: text, level: .low, raisesLevel: true)
    print(isatty(STDOUT_FILENO) == 1 ? code.terminal() : code.svg())
} catch {
    print("\(error.code.rawValue): \(error.reason)")
    exit(EXIT_FAILURE)
}
