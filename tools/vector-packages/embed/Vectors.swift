import Foundation

/// The test vectors of the FIDO hybrid transport, as JSON. README.md says what the cases are.
public enum HybridTransportVectors {
    /// A file's text: `index.json` names those with cases; `rules.json`, `kinds.json`.
    public static func file(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("data").appendingPathComponent(name))
    }
}
