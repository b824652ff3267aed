package import HybridProtocol
package import HybridTransport
package import LinuxSupport

// The errors of the modules that every program meets.

extension HybridTransportError: ExplainedError {
    package var failure: Failure {
        Failure(ExitStatus(code), code: code.rawValue, stage: stage, cause: cause, hint: advice.text, place: place)
    }
}

extension HybridProtocolErrorCode: ExplainedCode {
    package var explanation: (ExitStatus, hint: String) {
        switch self {
        case .unassignedDomain: (.protocolViolation, Hint.domains)
        case .badTag: (.protocolViolation, Hint.otherCode)
        default: (.protocolViolation, Hint.wholeText)
        }
    }
}

extension RadioErrorCode: ExplainedCode {
    /// A radio that cannot be used, before a ceremony began.
    package var explanation: (ExitStatus, hint: String) {
        (self == .invalidAddress ? .usage : .radio, Hint.bluetooth(self) ?? Hint.radio)
    }
}

extension DataChannelError: ExplainedError {
    /// Outside of a ceremony only the files of certificate authorities are read.
    package var failure: Failure {
        Failure(.file, code: code.rawValue, cause: reason, hint: Hint.authorities, place: place)
    }
}

extension AtomicFileErrorCode: ExplainedCode {
    package var explanation: (ExitStatus, hint: String) { (.file, Hint.place) }
}
