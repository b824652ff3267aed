package import HybridProtocol
package import HybridTransport
package import LinuxSupport

// The errors of the modules that every program meets.

extension HybridTransportError: ExplainedError {
    package var failure: Failure {
        Failure(ExitStatus(code), code: code.rawValue, stage: stage, cause: cause, hint: advice.text)
    }
}

extension HybridProtocolError: ExplainedError {
    package var failure: Failure {
        let hint =
            switch code {
            case .unassignedDomain: Hint.domains
            case .badTag: Hint.otherCode
            default: Hint.wholeText
            }
        return Failure(.protocolViolation, code: code.rawValue, cause: reason, hint: hint)
    }
}

extension RadioError: ExplainedError {
    /// A radio that cannot be used, before a ceremony began.
    package var failure: Failure {
        let isArgument = code == .invalidAddress
        return Failure(
            isArgument ? .usage : .radio, code: code.rawValue, cause: reason,
            hint: Hint.bluetooth(code) ?? Hint.radio)
    }
}

extension DataChannelError: ExplainedError {
    /// Outside of a ceremony only the files of certificate authorities are read.
    package var failure: Failure { Failure(.file, code: code.rawValue, cause: reason, hint: Hint.authorities) }
}

extension AtomicFileError: ExplainedError {
    package var failure: Failure { Failure(.file, code: code.rawValue, cause: reason, hint: Hint.place) }
}
