package import HybridTransport
import LinuxSupport

/// The exit status of the process, by which a script can tell failures apart.
package enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case radio = 10
    case timeout = 11
    case declined = 12
    case tunnelUnreachable = 13
    case tunnelRefused = 14
    case protocolViolation = 15
    case peerClosed = 16
    case notVerified = 17
    case file = 18
    case vectors = 19
    case locked = 20
    case deviations = 21
    case cryptography = 22
    case usage = 64
    case interrupted = 130
    case brokenPipe = 141

    var meaning: Sentence {
        switch self {
        case .success: "success"
        case .failure: "something failed on this machine"
        case .radio: "no Bluetooth, or the radio failed"
        case .timeout: "a time limit expired; the output names the stage"
        case .declined: "the user or the authenticator declined; the output says which status"
        case .tunnelUnreachable: "the tunnel service could not be reached"
        case .tunnelRefused: "the tunnel service refused, or violates the protocol"
        case .protocolViolation: "the other side broke the protocol"
        case .peerClosed: "the other side ended the session too early"
        case .notVerified: "the relying party's verification failed, or it knows no such passkey"
        case .file: "a file could not be read or written"
        case .vectors: "a vector failed"
        case .locked: "the vault stays locked: the passphrase or the keyring does not open it"
        case .deviations: "an implementation deviates from the protocol"
        case .cryptography: "this machine's OpenSSL does not permit a required algorithm"
        case .usage: "wrong arguments"
        case .interrupted: "interrupted by a signal"
        case .brokenPipe: "nobody reads the output any more"
        }
    }

    /// All of them, a line each.
    static var table: Sentence {
        allCases.map { status in
            let number = String(status.rawValue)
            return "  \(number)\(String(repeating: " ", count: 5 - number.count))\(status.meaning)"
        }.joined("\n")
    }

    package init(_ code: HybridTransportError.Code) {
        self =
            switch code {
            case .timeout: .timeout
            case .radio: .radio
            case .tunnelUnreachable: .tunnelUnreachable
            case .tunnelRefused: .tunnelRefused
            case .protocolViolation, .noCommonChannel, .noCTAP, .noDigitalCredentials: .protocolViolation
            case .peerClosed: .peerClosed
            case .cancelled: .interrupted
            default: .failure
            }
    }
}
