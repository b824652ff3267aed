import Foundation
import Testing

/// The library's articles against the examples that they show.
@Suite struct ArticleTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources").standardized
    private static let catalogue = sources.appending(path: "Transport/HybridTransport/HybridTransport.docc")

    @Test(arguments: [
        ("BeingAClient", "client"), ("BeingAnAuthenticator", "authenticator"),
        ("RunningTheService", "tunnel-service"),
    ])
    func showsAnExampleAsItIs(article: String, example: String) throws {
        let text = try Self.text(Self.catalogue.appending(path: "\(article).md"))
        let code = try Self.text(Self.sources.appending(path: "examples/\(example)/main.swift"))
        #expect(text.contains("```swift\n\(code)```\n"))
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count < 60)
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
