import ArgumentParser

/// The options of the agent alone.
struct AgentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long the vault stays open after its passphrase was typed for a request: 90s, 15m, 2h.",
            valueName: "time"))
    var hold = HoldTime.usual

    @Option(
        help: ArgumentHelp(
            "End when the vault has been locked, and no linked client could ask, for so long: 90s, 15m, 2h.",
            valueName: "time"))
    var idleExit: HoldTime?

    @Flag(help: "Do not wait for linked clients.")
    var noLinkedClients = false
}
