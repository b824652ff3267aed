extension PasskeyFormat {
    /// The first bytes of a vault of this program's.
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
        var hasItems = false
        while let name = names.next() {
            switch name {
            case CXF.Name.accounts, CXF.Name.exporterRPID: self = .cxf
            case CXF.Name.items:
                // One account alone, unless a name that follows says that it is Bitwarden's.
                hasItems = true
                continue
            case Bitwarden.Name.encrypted, Bitwarden.Name.folders: self = .bitwarden
            case KeePassXCPasskey.Name.relyingParty, KeePassXCPasskey.Name.privateKey: self = .keepassxcPasskey
            default: continue
            }
            return
        }
        guard hasItems else { return nil }
        self = .cxf
    }
}
