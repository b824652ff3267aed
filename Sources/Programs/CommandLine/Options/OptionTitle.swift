import HybridProtocol
import LinuxSupport

/// The titles under which `--help` shows options.
///
/// A group of options has none inside: the parser's debug build checks a group within a group four times as often at
/// each level. Groups that belong together stand side by side in a command, with one title.
package enum OptionTitle {
    package static let request = text("What to ask for")
    package static let examination = text("What to examine")
    package static let service = text("The service")
    package static let nodes = text("Other nodes of the service")
    package static let limits = text("Limits")
    package static let runner = text("The runner's side")
    package static let peer = text("The peer")
    package static let agent = text("What the agent does")
    package static let code = text("What to answer")
    package static let handOver = text("What happens to the passkeys")
    package static let passkeys = text("Where the passkeys are")
    package static let approval = text("Who approves")
    package static let links = text("Links")
    package static let reach = text("How to reach the other device")
    package static let radio = text("Radio")
    package static let cases = text("Cases")
    package static let output = text("Output")
    package static let labs = text("For labs and tests")

    private static func text(_ title: Sentence) -> String { title.localized }
}
