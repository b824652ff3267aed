import CommandLine
import HybridTransport

extension Reporter {
    /// Reports a stage that a role has reached.
    func report(_ stage: Stage, _ role: Role) {
        let milliseconds = elapsed.milliseconds
        write(
            Line("stage", ["role": role.rawValue, "stage": stage.rawValue, "elapsed_ms": milliseconds]),
            orSay: "\(Self.padded(milliseconds)) ms  \(role.rawValue): \(stage.text(for: role))")
    }

    private static func padded(_ milliseconds: Double) -> String {
        let text = String(Int(milliseconds))
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}
