/// The titles under which `--help` shows options.
///
/// A group of options has none inside: the parser's debug build checks a group within a group four times as often at
/// each level. Groups that belong together stand side by side in a command, with one title.
enum OptionTitle {
    static let request = "What to ask for"
    static let examination = "What to examine"
    static let service = "The service"
    static let nodes = "Other nodes of the service"
    static let limits = "Limits"
    static let runner = "The runner's side"
    static let peer = "The peer"
    static let agent = "What the agent does"
    static let code = "What to answer"
    static let handOver = "What becomes of the passkeys"
    static let passkeys = "Where the passkeys are"
    static let approval = "Who approves"
    static let links = "Links"
    static let reach = "How to reach the other device"
    static let radio = "Radio"
    static let cases = "Cases"
    static let output = "Output"
    static let labs = "For labs and tests"
}
