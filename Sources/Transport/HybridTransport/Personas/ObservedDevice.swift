package import Encodings

/// Observations of a phone in a ceremony, for a comparison with the personas.
///
/// Nothing in it outlives the session, or was written by the phone: of its own description only known words are kept,
/// and the number of the others.
package struct ObservedDevice: Sendable, Equatable {
    /// Observations of its adverts.
    package struct Advert: Sendable, Equatable {
        /// The number of its service UUID: FFF9 or FDE2.
        package let service: UInt16
        /// The bytes behind the first 20.
        package let suffixByteCount: Int
        package let domain: UInt16
        /// True if the last two bytes of its nonce are zero.
        package let nonceEndsInZeros: Bool
        /// The median time between two of them, in milliseconds; nil of fewer than three.
        package let interval: Double?

        package init(
            service: UInt16, suffixByteCount: Int, domain: UInt16, nonceEndsInZeros: Bool, interval: Double?
        ) {
            self.service = service
            self.suffixByteCount = suffixByteCount
            self.domain = domain
            self.nonceEndsInZeros = nonceEndsInZeros
            self.interval = interval
        }
    }

    /// A difference from a persona.
    package struct Difference: Sendable, Equatable {
        package let quirk: String
        /// True if the phone shows it and the persona has it not, false if it is the other way round.
        package let isSeen: Bool

        package init(quirk: String, isSeen: Bool) {
            self.quirk = quirk
            self.isSeen = isSeen
        }
    }

    /// The advert; nil if none was heard.
    package let advert: Advert?
    /// True if the QR code offered L2CAP: only then the lack of a suffix says something.
    package let offeredNearby: Bool
    /// Words of getInfo and of the first message that are known, and how many are not.
    package let versions: Words
    package let extensions: Words
    package let options: Words
    package let features: Words
    /// The kind of its AAGUID: `zeros`, `icloud`, or `other`.
    package let aaguid: String

    /// Words from a list, and the number of others.
    package struct Words: Sendable, Equatable {
        package let known: [String]
        package let otherCount: Int

        /// Takes words of a device. Of however many there are, a known one is kept once.
        init(_ words: [String], of list: Set<String>) {
            known = Set(words).intersection(list).sorted()
            otherCount = words.count { !list.contains($0) }
        }
    }

    private static let versionNames: Set = ["U2F_V2", "FIDO_2_0", "FIDO_2_1_PRE", "FIDO_2_1", "FIDO_2_2", "FIDO_2_3"]
    private static let extensionNames: Set = [
        "credBlob", "credProtect", "devicePubKey", "hmac-secret", "hmac-secret-mc", "largeBlob", "largeBlobKey",
        "minPinLength", "prf",
    ]
    private static let optionNames: Set = [
        "alwaysUv", "clientPin", "jsonMessages", "largeBlobs", "makeCredUvNotRqd", "plat", "rk", "up", "uv",
    ]
    /// Milliseconds from advert to advert where 100 are asked for: the controller adds up to 10.
    ///
    /// Source: Bluetooth Core Specification 5.4, volume 6, part B, 4.4.2.2.1.
    private static let lowLatency = 90.0..<125.0
    private static let featureNames: Set = ["ctap", "dc"]
    private static let appleAAGUID: [UInt8] = [
        0xF2, 0x4A, 0x8E, 0x70, 0xD0, 0xD3, 0xF8, 0x2C, 0x29, 0x37, 0x32, 0x52, 0x3C, 0xC4, 0xDE, 0x5A,
    ]

    /// Takes the observations of a ceremony.
    ///
    /// - Parameters:
    ///   - advert: the advert; nil if none was heard.
    ///   - offeredNearby: true if the QR code offered L2CAP.
    ///   - getInfo: the fields of the answer to getInfo, whatever they are.
    ///   - features: those of the first message.
    package init(advert: Advert?, offeredNearby: Bool, getInfo: CBORMap, features: [String]) {
        func texts(_ key: Int) -> [String] { getInfo[key]?.arrayValue?.compactMap(\.textValue) ?? [] }
        self.advert = advert
        self.offeredNearby = offeredNearby
        versions = Words(texts(1), of: Self.versionNames)
        extensions = Words(texts(2), of: Self.extensionNames)
        let named = getInfo[4]?.mapValue?.entries.filter { $0.value == true }.compactMap(\.key.textValue) ?? []
        options = Words(named, of: Self.optionNames)
        self.features = Words(features, of: Self.featureNames)
        let bytes = getInfo[3]?.bytesValue ?? []
        aaguid =
            bytes == Self.appleAAGUID
            ? "icloud" : bytes.count == Self.appleAAGUID.count && bytes.allSatisfy { $0 == 0 } ? "zeros" : "other"
    }

    /// The quirks of phones that can be seen in a ceremony, each true if it was seen; those of an advert that was not
    /// heard, or of a channel that was not offered, are missing.
    package var seen: [String: Bool] {
        var seen = [
            "get-info-icloud": aaguid == "icloud", "get-info-android": aaguid == "zeros",
            "device-pub-key": extensions.known.contains("devicePubKey"),
            "features-with-dc": features.known.contains("dc"),
        ]
        guard let advert else { return seen }
        seen["domain-apple"] = advert.domain == 1
        seen["uuid-fde2"] = advert.service == 0xFDE2
        seen["time-in-nonce"] = advert.nonceEndsInZeros
        // Adverts that are lost make it longer, and nothing makes it shorter.
        if let interval = advert.interval, interval < Self.lowLatency.upperBound {
            seen["advert-each-100-ms"] = interval >= Self.lowLatency.lowerBound
        }
        if offeredNearby { seen["no-suffix"] = advert.suffixByteCount == 0 }
        return seen
    }

    /// The persona of a phone from which this one differs least, the one with the fewest quirks if there are several,
    /// and the differences.
    package func nearest(
        of personas: [Persona] = PersonaCatalogue.personas(.authenticator)
    ) -> (persona: Persona, differences: [Difference])? {
        let seen = seen
        return personas.map { persona in
            (
                persona,
                seen.filter { persona.quirks.contains($0.key) != $0.value }
                    .map { Difference(quirk: $0.key, isSeen: $0.value) }.sorted { $0.quirk < $1.quirk }
            )
        }.min { ($0.1.count, $0.0.quirks.count, $0.0.name) < ($1.1.count, $1.0.quirks.count, $1.0.name) }
    }
}
