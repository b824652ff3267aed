// swift-tools-version: 6.2
import PackageDescription

// The modules whose coverage is kept, and their tests, apart from the rest: without SwiftNIO and the command line they
// build in a minute. Sources, Tests and Vectors are links to the project's.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, in layer: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: settings)
}

func tests(_ module: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: [.byName(name: module), "TestPeers"] + dependencies, exclude: exclude,
        swiftSettings: settings)
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
        module("QRCode", in: "Formats"),
        module("CTAP", in: "Protocol", ["CBOR"]),
        module("CTAPHID", in: "Protocol"),
        module("HybridProtocol", in: "Protocol", ["Noise", "TunnelProtocol", "CBOR", "TextEncodings", "Cryptography"]),
        module("TunnelProtocol", in: "Protocol", ["CBOR", "TextEncodings", "Cryptography"]),
        module("JSON", in: "Formats"),
        module("TextEncodings", in: "Formats"),
        module(
            "TestVectors", in: "Testing",
            ["CTAPHID", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"]),
        .target(name: "TestPeers", path: "Tests/TestPeers", exclude: ["Python"], swiftSettings: settings),
        tests("Cryptography", exclude: ["Fixtures", "Peer"]),
        tests("CBOR", exclude: ["Fixtures"]),
        tests("Noise", ["HybridProtocol", "Cryptography"], exclude: ["Fixtures"]),
        tests("QRCode"),
        tests("CTAP", ["CBOR"], exclude: ["Fixtures"]),
        tests("CTAPHID", exclude: ["Peers"]),
        tests("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
        tests(
            "TestVectors",
            ["HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"]),
    ]
)
