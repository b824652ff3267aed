/// The titles under which `--help` shows options.
///
/// A group of options has none inside: the parser's debug build checks a group within a group four times as often at
/// each level. Groups that belong together stand side by side in a command, with one title.
package enum OptionTitle {
    package static let request = "What to ask for"
    package static let examination = "What to examine"
    package static let service = "The service"
    package static let nodes = "Other nodes of the service"
    package static let limits = "Limits"
    package static let runner = "The runner's side"
    package static let peer = "The peer"
    package static let agent = "What the agent does"
    package static let code = "What to answer"
    package static let handOver = "What happens to the passkeys"
    package static let passkeys = "Where the passkeys are"
    package static let approval = "Who approves"
    package static let links = "Links"
    package static let reach = "How to reach the other device"
    package static let radio = "Radio"
    package static let cases = "Cases"
    package static let output = "Output"
    package static let labs = "For labs and tests"
}
