import Foundation

/// The bytes of hexadecimal digits, for tests only.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The hexadecimal digits of bytes, for tests only.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A file under Fixtures, decoded.
func fixture<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
}

/// A ceremony of Chromium 156 with an authenticator of another make, as recorded, and the data that reached the page.
struct ChromiumSession: Decodable, Sendable {
    let name: String
    let getInfo: String
    let request: String
    let response: String
    let credentialID: String
    let clientDataHash: String
    let attestationObject: String?
    let publicKey: String?
    let signature: String?
    let userHandle: String?
    let authenticatorData: String?

    static func all() throws -> [Self] { try fixture("chromium-156.json") }
    static func creations() throws -> [Self] { try all().filter { $0.attestationObject != nil } }
    static func signIn() throws -> Self? { try all().first { $0.signature != nil } }
}
