import CommandLine
import Conformance

extension RunnerError: ExplainedError {
    var failure: Failure {
        guard code == .cannotListen else {
            return Failure(
                .usage, code: code.rawValue, cause: reason,
                hint: "check the command after --, and the program's place in PATH")
        }
        return Failure(
            .failure, code: code.rawValue, cause: reason,
            hint: "check --listen: another process may have the port, or only root may have it")
    }
}
