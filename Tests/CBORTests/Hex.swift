import Encodings
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

func strict(_ hex: String, limits: CBORLimits = .standard) throws(CBORError) -> CBORValue {
    try CBORValue.decode(bytes(hex).span, limits: limits)
}

func lenient(_ hex: String, limits: CBORLimits = .standard) throws(CBORError) -> CBORValue {
    try CBORValue.decodeLenient(bytes(hex).span, limits: limits)
}

/// The code of the error that `body` throws; nil if it throws none.
func refusal<Result>(_ body: () throws(CBORError) -> Result) -> CBORError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}
