import ArgumentParser

/// Tests anybody's implementation.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Test anybody's authenticator, client or tunnel service against the rules of the protocol.",
        discussion: """
            example:
              hybrid conformance authenticator -- my-authenticator --tunnel {tunnel} --ca {ca} --radio {radio} {url}

            Every case plays the other side, and is a rule to keep to, a mistake to refuse, or an attack to survive. Where \
            the rule itself is disputed, what the peer does is reported and is no failure.
            """,
        subcommands: [
            ConformanceAuthenticatorCommand.self, ConformanceClientCommand.self, ConformanceTunnelServiceCommand.self,
        ])
}
