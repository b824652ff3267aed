import CommandLine
import LinuxSupport

extension Hint {
    static let standardInput: Sentence =
        "write the text of the QR code, FIDO:/…, to standard input, or give it as the argument"
    static let storeFile: Sentence = "check the file, or give another one with --store"
}
