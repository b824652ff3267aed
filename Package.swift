// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// A room of the house and the rooms below it; see the README's architecture section.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of a room.
func tests(_ room: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(room)Tests", dependencies: [.byName(name: room), "TestPeers"] + dependencies, exclude: exclude,
        swiftSettings: settings)
}

/// A program that shows how the rooms are used.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "example-\(name)", dependencies: dependencies, path: "Sources/examples/\(name)", swiftSettings: settings)
}

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let rooms = [
    "AtomicFile", "BluetoothLE", "CBOR", "CTAP", "Conformance", "ConformanceRunner", "ContactProtocol",
    "Cryptography",
    "DesktopVerification", "DigitalCredentials", "Edges", "HybridProtocol", "HybridTransport", "JSON", "Links",
    "Noise",
    "PasskeyAuthenticator", "QRCode", "RelyingParty", "TunnelClient", "TunnelService", "Vault",
]

/// The modules of the product HybridTransport.
let transport = ["HybridTransport", "HybridProtocol", "Edges", "BluetoothLE", "TunnelClient"]

let package = Package(
    name: "hybrid-transport",
    // What a client or an authenticator needs of the transport comes in one product.
    products: [.executable(name: "hybrid", targets: ["hybrid"])]
        + rooms.map { .library(name: $0, targets: $0 == "HybridTransport" ? transport : [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CBlueZ", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        room("Cryptography", ["COpenSSL"]),
        room("CBOR"),
        room("JSON"),
        room("Noise", ["Cryptography"]),
        room("QRCode"),
        room("Edges"),
        room("CTAP", ["CBOR"]),
        room("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
        room("ContactProtocol", ["CBOR", "Cryptography"]),
        room("HybridTransport", ["HybridProtocol", "ContactProtocol", "Edges", "Cryptography"]),
        room("PasskeyAuthenticator", ["AtomicFile", "CTAP", "CBOR", "Cryptography"]),
        room("AtomicFile"),
        room("Links", ["AtomicFile", "HybridProtocol", "CBOR", "Cryptography"]),
        room("Vault", ["AtomicFile", "PasskeyAuthenticator", "CBOR", "Cryptography", "DBus"]),
        room("RelyingParty", ["AtomicFile", "CTAP", "CBOR", "Cryptography", "JSON"]),
        room("DigitalCredentials", ["JSON"]),
        room("Polling"),
        room("ChildProcess"),
        room("DBus", ["CSystemd", "Polling"]),
        room("DesktopVerification", ["DBus", "PasskeyAuthenticator"]),
        room("BluetoothLE", ["CBlueZ", "DBus", "Polling", "Edges", nio("NIOCore"), nio("NIOPosix")]),
        room(
            "TunnelClient",
            [
                "Edges", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"), nio("NIOTLS"), nioSSL,
                logging,
            ]),
        room(
            "TunnelService",
            [
                "ContactProtocol", "Cryptography",
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"),
                nioSSL,
                logging, metrics, serviceLifecycle,
            ]),
        room("Conformance", ["HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
        room("VectorCases", ["Conformance", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
        room(
            "ConformanceRunner",
            [
                "BluetoothLE", "CBOR", "ChildProcess", "CTAP", "ContactProtocol", "Cryptography", "Edges",
                "HybridProtocol", "JSON",
                "Noise",
                "PasskeyAuthenticator",
                nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"), nioSSL,
            ]),
        .executableTarget(
            name: "hybrid",
            dependencies: [
                "AtomicFile", "ChildProcess", "Conformance", "ConformanceRunner", "ContactProtocol", "HybridTransport",
                "HybridProtocol", "Links", "VectorCases",
                "PasskeyAuthenticator",
                "RelyingParty", "BluetoothLE", "DesktopVerification", "DigitalCredentials", "JSON", "TunnelClient",
                "TunnelService", "Vault",
                "QRCode", "CTAP", "CBOR", "Cryptography", "Edges",
                logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        example(
            "client",
            ["HybridTransport", "HybridProtocol", "BluetoothLE", "TunnelClient", "CTAP", "RelyingParty"]),
        example(
            "authenticator",
            ["HybridTransport", "HybridProtocol", "BluetoothLE", "TunnelClient", "PasskeyAuthenticator"]),
        example(
            "tunnel-service",
            ["TunnelService", .product(name: "UnixSignals", package: "swift-service-lifecycle")]),
        example("credential-handler", ["DigitalCredentials", "JSON"]),
        // What the tests of several rooms share: foreign programs as peers.
        .target(name: "TestPeers", path: "Tests/TestPeers", exclude: ["Python"], swiftSettings: settings),
        // What is killed while it writes.
        .executableTarget(
            name: "vault-writer", dependencies: ["Vault", "PasskeyAuthenticator", "Cryptography"],
            path: "Tests/VaultWriter", swiftSettings: settings),
        tests("Cryptography", exclude: ["Fixtures", "Peer"]),
        tests("CBOR", exclude: ["Fixtures"]),
        tests("JSON"),
        tests("DigitalCredentials", ["JSON"]),
        tests("Noise", ["Cryptography"], exclude: ["Fixtures"]),
        tests("QRCode"),
        tests("CTAP", ["CBOR"], exclude: ["Fixtures"]),
        tests("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
        tests("ContactProtocol", ["CBOR", "Cryptography"]),
        tests(
            "HybridTransport",
            [
                "HybridProtocol", "ContactProtocol", "Noise", "CBOR", "Cryptography", "Edges", "TunnelClient",
                "TunnelService", logging,
            ]),
        tests("PasskeyAuthenticator", ["CTAP", "CBOR", "Cryptography"], exclude: ["Peer"]),
        tests("AtomicFile"),
        tests("Links", ["AtomicFile", "HybridProtocol", "CBOR", "Cryptography"]),
        tests("Vault", ["AtomicFile", "PasskeyAuthenticator", "CBOR", "Cryptography", "DBus"], exclude: ["Peers"]),
        tests("RelyingParty", ["AtomicFile", "CTAP", "CBOR", "Cryptography"], exclude: ["Fixtures", "Peer"]),
        tests("DBus", exclude: ["Peers"]),
        tests("DesktopVerification", ["DBus", "PasskeyAuthenticator"], exclude: ["Peers"]),
        tests("BluetoothLE", ["DBus", "Edges"], exclude: ["Peers"]),
        tests(
            "TunnelClient",
            [
                "Edges", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                nioSSL,
            ],
            exclude: ["Peers"]),
        tests(
            "TunnelService",
            [
                "ContactProtocol", "CBOR", "Cryptography",
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                nio("NIOConcurrencyHelpers"), nioSSL, logging, metrics,
                .product(name: "MetricsTestKit", package: "swift-metrics"), serviceLifecycle,
            ], exclude: ["Peers"]),
        tests("ConformanceRunner"),
        tests("Conformance", ["VectorCases", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON"]),
        // The program as it is run; building the tests builds it too.
        .testTarget(
            name: "CommandLineTests", exclude: ["Peers", "Scripts"], swiftSettings: settings),
    ]
)
