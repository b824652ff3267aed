// swift-tools-version: 6.2
import PackageDescription

// The rooms whose coverage is kept, and their tests, apart from the rest: without SwiftNIO and the command line they build in a
// minute. Sources, Tests and Vectors are links to the project's.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ room: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(room)Tests", dependencies: [.byName(name: room), "TestPeers"] + dependencies, exclude: exclude,
        swiftSettings: settings)
}

let package = Package(
    name: "hybrid-transport",
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        room("Cryptography", ["COpenSSL"]),
        room("CBOR"),
        room("Noise", ["Cryptography"]),
        room("QRCode"),
        room("CTAP", ["CBOR"]),
        room("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
        room("JSON"),
        room("Conformance", ["HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
        room("VectorCases", ["Conformance", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
        .target(name: "TestPeers", path: "Tests/TestPeers", exclude: ["Python"], swiftSettings: settings),
        tests("Cryptography", exclude: ["Fixtures", "Peer"]),
        tests("CBOR", exclude: ["Fixtures"]),
        tests("Noise", ["Cryptography"], exclude: ["Fixtures"]),
        tests("QRCode"),
        tests("CTAP", ["CBOR"], exclude: ["Fixtures"]),
        tests("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
        tests("Conformance", ["VectorCases", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
    ]
)
