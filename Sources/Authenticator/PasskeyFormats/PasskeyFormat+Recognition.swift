extension PasskeyFormat {
    /// What a vault of this program's has in its first bytes.
    private static let vaultMark = Array("hybrid passkey vault".utf8)
    private static let frontByteCount = 256

    /// The format that a file seems to have, by its first bytes or by the names in its outermost JSON object; nil for
    /// none. Only reading it tells whether it is so.
    package init?(recognising bytes: Span<UInt8>) {
        let front = (0..<min(bytes.count, Self.frontByteCount)).map { bytes[$0] }
        if front.indices.contains(where: { front.dropFirst($0).starts(with: Self.vaultMark) }) {
            self = .hybrid
            return
        }
        if front.starts(with: KDBX.signature) {
            self = .kdbx
            return
        }
        let root = "<\(KeePassXML.Element.root)".utf8
        if front.indices.contains(where: { front.dropFirst($0).starts(with: root) }) {
            self = .keepassXML
            return
        }
        var names = OutermostNames(bytes)
        while let name = names.next() {
            switch name {
            case CXF.Name.accounts, CXF.Name.exporterRPID: self = .cxf
            case Bitwarden.Name.encrypted, Bitwarden.Name.folders: self = .bitwarden
            case KeePassXCPasskey.Name.relyingParty, KeePassXCPasskey.Name.privateKey: self = .keepassxcPasskey
            default: continue
            }
            return
        }
        return nil
    }
}

/// The texts that stand directly in the outermost object of what may be JSON: names, and values that are texts.
private struct OutermostNames: ~Escapable {
    private static let longest = 64

    private let bytes: Span<UInt8>
    private var offset = 0
    private var depth = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// The next text, or its first 64 bytes; nil at the end, and behind what cannot be JSON.
    @_lifetime(self: copy self)
    mutating func next() -> String? {
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let text = text()
                if depth == 1 { return text }
            default: if depth == 0, !isWhiteSpace(byte) { return nil }
            }
        }
        return nil
    }

    private func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    @_lifetime(self: copy self)
    private mutating func text() -> String {
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\") { offset += 1 }
            if depth == 1, text.count < Self.longest, offset < bytes.count { text.append(bytes[offset]) }
            offset += 1
        }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }
}
