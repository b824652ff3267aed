// swift-tools-version: 6.2
import PackageDescription

// The modules that vectors need, and a program that runs them; copied to .build-mutate together with the sources that
// are broken there.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, at path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: settings)
}

let package = Package(
    name: "hybrid-transport",
    targets: [
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Core/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/Core/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        module("Encodings", at: "Core/Encodings", ["CZlib"]),
        module("Cryptography", at: "Core/Cryptography", ["COpenSSL", "Encodings"]),
        module("CTAP", at: "Core/CTAP", ["Cryptography", "Encodings"]),
        module("HybridProtocol", at: "Core/HybridProtocol", ["Cryptography", "Encodings"]),
        // Of the module PasskeyExchange the hand-over alone.
        .target(
            name: "PasskeyExchange", dependencies: ["Cryptography", "Encodings", "HybridProtocol"],
            path: "Sources/Authenticator/PasskeyExchange/HandOver", swiftSettings: settings),
        .target(name: "CRules", path: "Sources/Conformance/CRules"),
        module(
            "Conformance", at: "Conformance/Conformance/Vectors",
            ["Cryptography", "Encodings", "CTAP", "HybridProtocol", "PasskeyExchange", "CRules"]),
        .executableTarget(name: "vector-check", dependencies: ["Conformance"], swiftSettings: settings),
    ]
)
