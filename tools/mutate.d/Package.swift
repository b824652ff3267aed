// swift-tools-version: 6.2
import PackageDescription

// What a vector needs, and a program that runs them; copied to .build-mutate together with the sources that are broken there.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "hybrid-transport",
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        room("Cryptography", ["COpenSSL"]),
        room("CBOR"),
        room("Noise", ["Cryptography"]),
        room("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
        room("JSON"),
        room("Conformance", ["HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
        .executableTarget(name: "vector-check", dependencies: ["Conformance"], swiftSettings: settings),
    ]
)
