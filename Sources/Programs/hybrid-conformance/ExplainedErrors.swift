import CommandLine
import Conformance
import LinuxSupport

extension VectorErrorCode: ExplainedCode {
    /// A directory of vectors that cannot be read.
    var explanation: (ExitStatus, hint: Sentence) {
        (.file, "give a directory like the project's Vectors: JSON files, one per layer, and their schema")
    }
}

extension RunnerErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .cannotListen:
            (.failure, "check --listen: another process may use the port, or only root may use it")
        case .shim:
            (.protocolViolation, "see the article ShimProtocol of Conformance for the lines that a shim writes")
        case .invalidURL: (.usage, "give the service's certificate with --ca, or install ca-certificates")
        default: (.usage, "check the command after --, and that its program is in PATH")
        }
    }
}
