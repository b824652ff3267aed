import ArgumentParser

/// Tests an implementation.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Test an authenticator, client or tunnel service of any make against the rules of the protocol.",
        discussion: """
            example:
              hybrid conformance authenticator -- my-authenticator \\
                {url} --tunnel {tunnel} --ca {ca} --radio {radio}

            Every case takes the other side, and is a rule to keep, a mistake to refuse, or an attack to survive. \
            Where the rule itself is disputed, the peer's behaviour is reported and is no failure.
            """,
        subcommands: [
            ConformanceAuthenticatorCommand.self, ConformanceClientCommand.self, ConformanceTunnelServiceCommand.self,
            ConformanceCompareCommand.self,
        ])
}
