// swift-tools-version: 6.2
import PackageDescription

// What a vector needs, and a program that runs them; copied to .build-mutate together with the sources that are broken there.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, in layer: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "hybrid-transport",
    targets: [
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Cryptography/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        module("Cryptography", in: "Cryptography", ["COpenSSL"]),
        module("CBOR", in: "Formats"),
        module("Noise", in: "Protocol", ["Cryptography"]),
        module("HybridProtocol", in: "Protocol", ["Noise", "TunnelProtocol", "CBOR", "TextEncodings", "Cryptography"]),
        module("TunnelProtocol", in: "Protocol", ["CBOR", "TextEncodings", "Cryptography"]),
        module("CTAPHID", in: "Protocol"),
        module("JSON", in: "Formats"),
        module("TextEncodings", in: "Formats"),
        module(
            "TestVectors", in: "Testing",
            ["CTAPHID", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"]),
        .executableTarget(name: "vector-check", dependencies: ["TestVectors"], swiftSettings: settings),
    ]
)
