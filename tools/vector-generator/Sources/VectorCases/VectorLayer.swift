internal import Conformance
internal import Encodings

/// A layer of the project's vectors: the definition of its cases, and its file.
package struct VectorLayer: Sendable {
    /// The layer, and with `.json` the file.
    package let name: String
    private let define: @Sendable (VectorSeed, VectorSources) throws -> LayerCases

    /// Every layer of the field that is defined here, in the order of the index.
    package static let all: [VectorLayer] = [
        VectorLayer("qr-digits", QRDigitsCases.layer),
        VectorLayer("qr-contents", InvitationCases.layer),
        VectorLayer("tunnel-domain", TunnelDomainCases.layer),
        VectorLayer("key-schedule", KeyScheduleCases.layer),
        VectorLayer("advert", AdvertCases.layer),
        VectorLayer("cbor", CBORCases.layer),
        VectorLayer("noise", NoiseCases.layer),
        VectorLayer("transport", TransportCases.layer),
        VectorLayer("message", MessageCases.layer),
        VectorLayer("linking", LinkingCases.layer),
        VectorLayer("session", SessionCases.layer),
        VectorLayer("l2cap", L2CAPCases.layer),
        VectorLayer("ctaphid", CTAPHIDCases.layer),
    ]

    /// The layers of protocols of this project's own, which no other implementation has, by the folder of each.
    package static let own: [String: [VectorLayer]] = [
        "passkey-exchange": [VectorLayer("hand-over", HandOverCases.layer)]
    ]

    /// The edition of the files' format; `Vectors/README.md` says when it rises.
    static let version = 5

    private init(_ name: String, _ define: @escaping @Sendable (VectorSeed) throws -> LayerCases) {
        self.init(name) { (seed, _) in try define(seed) }
    }

    private init(_ name: String, _ define: @escaping @Sendable (VectorSeed, VectorSources) throws -> LayerCases) {
        self.name = name
        self.define = define
    }

    /// Makes the cases: the layer's own, then the published numbers that belong to it.
    ///
    /// - Throws: `VectorError`, above all `unexpectedOutcome` if this implementation gives a case another outcome than
    ///   the case must have; the errors of modules that an input is made with.
    package func cases(_ sources: VectorSources) throws -> LayerCases {
        var cases = try define(VectorSeed(), sources)
        try PublishedCases.add(sources, to: &cases)
        return cases
    }
}

extension LayerCases {
    /// The file's name.
    package var fileName: String { "\(name).json" }

    /// The file's text: JSON, ASCII alone, with a line feed at the end.
    package var fileText: String {
        let file: JSONValue = [
            "$schema": .string("schema/\(name).schema.json"), "layer": .string(name),
            "version": .integer(VectorLayer.version), "about": .string(about), "cases": .array(cases),
        ]
        return file.fileText
    }
}
