import Testing

@testable import hybrid

/// The commands that other programs run.
@Suite struct OtherCommandTests {
    @Test(arguments: [
        (["tunnel-service", "--dev"], "hybrid-tunnel-service", ["--dev"]),
        (["conformance", "client", "--", "x", "help"], "hybrid-conformance", ["client", "--", "x", "help"]),
        (["vectors", "check", "Vectors"], "hybrid-conformance", ["vectors", "check", "Vectors"]),
        (["inspect", "0", "--json"], "hybrid-conformance", ["inspect", "0", "--json"]),
        (["help", "tunnel-service"], "hybrid-tunnel-service", ["help"]),
        (["help", "conformance", "client"], "hybrid-conformance", ["help", "client"]),
        (["help", "inspect"], "hybrid-conformance", ["help", "inspect"]),
    ])
    func areHandedOver(arguments: [String], program: String, words: [String]) throws {
        let other = try #require(OtherCommand(arguments))
        #expect(other.program.name == program)
        #expect(other.arguments == words)
    }

    @Test(arguments: [
        [], ["help"], ["demo"], ["--json", "inspect", "0"], ["help", "exit-codes"], ["help", "help", "inspect"],
        ["client", "inspect"], ["Inspect"], ["inspect=0"],
    ])
    func othersAreNot(arguments: [String]) { #expect(OtherCommand(arguments) == nil) }
}
