import CommandLine
import Conformance

extension VectorErrorCode: ExplainedCode {
    /// A directory of vectors that cannot be read.
    var explanation: (ExitStatus, hint: String) {
        (.file, "give a directory like the project's Vectors: JSON files, one a layer, and their schema")
    }
}

extension RunnerErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: String) {
        switch self {
        case .cannotListen:
            (.failure, "check --listen: another process may have the port, or only root may have it")
        case .shim:
            (.protocolViolation, "the article ShimProtocol of Conformance has the lines that a shim writes")
        case .invalidURL: (.usage, "give the service's certificate with --ca, or install ca-certificates")
        default: (.usage, "check the command after --, and the program's place in PATH")
        }
    }
}
