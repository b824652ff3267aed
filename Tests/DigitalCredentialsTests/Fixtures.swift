import Encodings
import Foundation
import HybridProtocol

/// The data of a request that another implementation has made: see `Fixtures/make-fixtures`.
func fixture(_ name: String) throws -> JSONValue {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let text = try String(contentsOf: folder.appending(path: "Fixtures/signed.json"), encoding: .utf8)
    guard let value = try JSONValue(parsing: text)[name] else { throw CocoaError(.fileReadCorruptFile) }
    return value
}

/// A request with options, from the site that the fixtures are for unless told otherwise.
func request(
    _ options: (protocolName: String, data: JSONValue)..., from origin: String = "https://verifier.example"
) throws -> DigitalCredentialRequest {
    try DigitalCredentialRequest(
        origin: origin, kind: .presentation,
        digital: [
            "requests": .array(options.map { ["protocol": .string($0.protocolName), "data": $0.data] }), "other": 1,
        ])
}
