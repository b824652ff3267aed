// swift-tools-version: 6.2
import PackageDescription

// Makes the project's vectors from a fixed seed; for maintainers, hence apart from the program that is shipped. Project is
// a link to the project's Sources: the few modules that a vector needs build in a minute, without SwiftNIO.

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// A module of the project.
func module(_ name: String, in layer: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Project/\(layer)/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "vector-generator",
    targets: [
        .systemLibrary(
            name: "COpenSSL", path: "Project/Cryptography/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        module("Cryptography", in: "Cryptography", ["COpenSSL"]),
        module("CBOR", in: "Formats"),
        module("JSON", in: "Formats"),
        module("TextEncodings", in: "Formats"),
        module("Noise", in: "Protocol", ["Cryptography"]),
        module("TunnelProtocol", in: "Protocol", ["CBOR", "TextEncodings", "Cryptography"]),
        module("HybridProtocol", in: "Protocol", ["Noise", "TunnelProtocol", "CBOR", "TextEncodings", "Cryptography"]),
        module(
            "TestVectors", in: "Testing",
            ["HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"]),
        .target(
            name: "VectorCases",
            dependencies: ["TestVectors", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"],
            swiftSettings: settings),
        .executableTarget(
            name: "vector-generator", dependencies: ["VectorCases", "TestVectors"], swiftSettings: settings),
        .testTarget(
            name: "VectorCasesTests",
            dependencies: ["VectorCases", "TestVectors", "HybridProtocol", "CBOR", "Cryptography", "JSON"],
            swiftSettings: settings),
    ]
)
