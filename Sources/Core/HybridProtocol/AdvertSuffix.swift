internal import Encodings

/// Suffix after the 20 bytes of an advert in CTAP 2.3: data for other channels than the WebSocket
/// (HT-ADV-26).
///
/// It is neither encrypted nor authenticated, so a bad suffix never spoils an advert: it only offers nothing.
public struct AdvertSuffix: Sendable, Hashable {
    /// The PSM on which the authenticator listens for L2CAP: 1 to 65535 (HT-ADV-31); nil where it offers no such
    /// channel.
    public let psm: UInt16?

    /// The key in the suffix under which the BLE channel has its data (HT-ADV-27, HT-ADV-28).
    private static let bleChannel = Int(ChannelIdentifier.ble.rawValue)

    /// Makes a suffix to be sent.
    public init(psm: UInt16?) { self.psm = psm }

    /// Reads a suffix; whatever is not a map of canonical CBOR (HT-ADV-29), or holds no PSM in range (HT-ADV-30),
    /// offers nothing. Unknown channels are ignored (HT-ADV-32, HT-ADV-33).
    ///
    /// - Parameter bytes: any number of bytes.
    public init(_ bytes: Span<UInt8>) {
        let map = bytes.isEmpty ? nil : (try? CBORValue.decode(bytes))?.mapValue
        psm = map?[Self.bleChannel]?.unsignedValue.flatMap { UInt16(exactly: $0) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// The bytes to send after an advert: `a1 01` and the PSM; none if there is nothing to offer (HT-ADV-20).
    public var encoded: [UInt8] {
        guard let psm else { return [] }
        var map = CBORMap()
        map[Self.bleChannel] = .unsigned(UInt64(psm))
        return map.encoded()
    }
}
