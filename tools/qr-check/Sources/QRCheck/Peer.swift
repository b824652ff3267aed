import CQREncode
import QRCode

/// A symbol that libqrencode drew.
struct PeerSymbol {
    let version: Int
    /// Row by row, `true` for dark.
    let modules: [[Bool]]

    private init(consuming code: UnsafeMutablePointer<CQREncode.QRcode>) {
        let side = Int(code.pointee.width)
        let data = UnsafeBufferPointer(start: code.pointee.data, count: side * side)
        version = Int(code.pointee.version)
        modules = (0..<side).map { y in (0..<side).map { x in data[y * side + x] & 1 == 1 } }
        QRcode_free(code)
    }

    /// libqrencode's own division of the contents into segments; nil if it cannot encode them.
    ///
    /// A text without a zero byte goes the way an application's does (`QRcode_encodeString`, case kept), anything
    /// else as bytes.
    init?(of contents: [UInt8], level: QRCode.ErrorCorrectionLevel, minimumVersion: Int) {
        let version = Int32(minimumVersion)
        let code =
            contents.contains(0)
            ? QRcode_encodeData(Int32(contents.count), contents, version, level.peer)
            : (contents + [0]).withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) {
                    QRcode_encodeString($0.baseAddress, version, level.peer, QR_MODE_8, 1)
                }
            }
        guard let code else { return nil }
        self.init(consuming: code)
    }

    /// libqrencode's drawing of given segments.
    init?(of contents: [UInt8], as code: QRCode) {
        guard let input = QRinput_new2(Int32(code.version), code.level.peer) else { return nil }
        defer { QRinput_free(input) }
        for segment in code.segments {
            let bytes = Array(contents[segment.bytes])
            guard QRinput_append(input, segment.mode.peer, Int32(bytes.count), bytes) == 0 else { return nil }
        }
        guard let drawn = QRcode_encodeInput(input) else { return nil }
        self.init(consuming: drawn)
    }

    /// The mask that the symbol says it has: the three bits of the format information in row 8.
    var mask: QRCode.Mask? {
        let formatMask: UInt8 = 0b101
        let bits = (2...4).reduce(UInt8(0)) { $0 << 1 | (modules[8][$1] ? 1 : 0) }
        return QRCode.Mask(rawValue: bits ^ formatMask)
    }
}

extension QRCode.ErrorCorrectionLevel {
    fileprivate var peer: QRecLevel {
        switch self {
        case .low: QR_ECLEVEL_L
        case .medium: QR_ECLEVEL_M
        case .quartile: QR_ECLEVEL_Q
        case .high: QR_ECLEVEL_H
        }
    }
}

extension QRCode.Mode {
    fileprivate var peer: QRencodeMode {
        switch self {
        case .numeric: QR_MODE_NUM
        case .alphanumeric: QR_MODE_AN
        case .byte: QR_MODE_8
        }
    }
}
