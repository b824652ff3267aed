import CommandLine

extension Hint {
    static let standardInput = "write the text of the QR code, FIDO:/…, to standard input, or give it as the argument"
    static let storeFile = "check the file, or give another one with --store"
}
