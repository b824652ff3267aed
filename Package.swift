// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// The modules whose coverage is kept (tools/coverage): they count what is reached where HYBRID_COVERAGE is set.
let counting: Set =
    Context.environment["HYBRID_COVERAGE"] == nil
    ? [] : ["Cryptography", "CBOR", "Noise", "QRCode", "HybridProtocol", "CTAP", "CTAPHID"]

/// The trait with which security keys that are plugged in can be lent, through libfido2.
let lending = "SecurityKeyLending"
/// The trait with which nodes of a tunnel service wake authenticators for each other, through NATS and libnats.
let cluster = "TunnelServiceCluster"
/// The traits that are on for tests, each by its variable.
let enabledTraits = [("SECURITY_KEY_LENDING", lending), ("TUNNEL_SERVICE_CLUSTER", cluster)]
    .filter { Context.environment[$0.0] == "yes" }.map(\.1)

/// A layer: a folder of Sources and its modules. A module imports modules of the layers after its own in this manifest,
/// and of its own layer those that it names; tools/imports checks that.
func layer(_ folder: String, _ modules: [Module]) -> [Target] { modules.map { $0.target(in: folder) } }

struct Module {
    let name: String
    let dependencies: [Target.Dependency]

    init(_ name: String, _ dependencies: [Target.Dependency] = []) {
        self.name = name
        self.dependencies = dependencies
    }

    func target(in folder: String) -> Target {
        let counts = counting.contains(name)
        return .target(
            name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)",
            swiftSettings: settings
                + (counts ? [.unsafeFlags(["-profile-generate", "-profile-coverage-mapping"])] : []),
            linkerSettings: counts ? [.unsafeFlags(["-profile-generate"])] : [])
    }
}

/// The tests of a module.
func tests(_ module: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: [.byName(name: module), "TestPeers"] + dependencies, exclude: exclude,
        swiftSettings: settings)
}

/// A program that shows how the modules are used.
func example(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "example-\(name)", dependencies: dependencies, path: "Sources/examples/\(name)", swiftSettings: settings)
}

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// The libraries, each with the modules whose types its interface shows.
let products: [Product] = [
    .library(
        name: "HybridTransport",
        targets: [
            "HybridTransport", "HybridProtocol", "TunnelProtocol", "TransportInterfaces", "BluetoothLE", "TunnelClient",
            "LinkStorage", "DigitalCredentials", "JSON", "Cryptography",
        ]),
    .library(name: "HybridProtocol", targets: ["HybridProtocol", "TunnelProtocol", "Cryptography"]),
    .library(name: "CTAP", targets: ["CTAP", "CBOR"]),
    .library(
        name: "PasskeyAuthenticator",
        targets: ["PasskeyAuthenticator", "UserVerification", "Vault", "CTAP", "Cryptography"]),
    .library(name: "RelyingParty", targets: ["RelyingParty", "CTAP"]),
    .library(name: "TunnelService", targets: ["TunnelService", "TunnelProtocol", "Cryptography"]),
    .library(name: "QRCode", targets: ["QRCode"]),
    .library(name: "Conformance", targets: ["Conformance"]),
]

let sources: [Target] =
    [
        .executableTarget(
            name: "hybrid",
            dependencies: [
                "AuthenticatorAgent", "BluetoothLE", "CBOR", "CTAP", "CTAPHID", "Captures", "Conformance",
                "Cryptography",
                "DBus", "DesktopAgent", "DesktopDialogues", "DesktopSession", "DigitalCredentials", "Doctor",
                "HybridProtocol", "HybridTransport", "JSON", "LentKey", "LinkStorage", "LinuxSupport", "NATSBus",
                "PacketCapture", "PasskeyAuthenticator", "PasskeyFormats", "PhoneKey", "QRCode", "RelyingParty",
                "SecurityKey",
                "TestVectors", "TextEncodings", "TransportInterfaces", "TunnelClient", "TunnelProtocol",
                "TunnelService", "UHID", "UserVerification", "Vault",
                logging, unixSignals, system,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            swiftSettings: settings),
        // The only part that needs privileges.
        .executableTarget(
            name: "hybrid-key-broker", dependencies: ["KeyBroker", "UHID"], swiftSettings: settings),
    ]
    + layer(
        "Applications",
        [
            Module(
                "SecurityKey",
                [
                    "KeyBroker", "PasskeyAuthenticator", "UserVerification", "Vault", "CTAP", "CTAPHID", "UHID",
                    "LinuxSupport", "CBOR", system,
                ]),
            Module("KeyBroker", ["CTAPHID", "UHID", "LinuxSupport"]),
            Module("DesktopAgent", ["PasskeyAuthenticator", "Vault", "CTAP", "DBus", "Cryptography"]),
            Module(
                "AuthenticatorAgent",
                [
                    "LentKey", "PasskeyAuthenticator", "PasskeyFormats", "UserVerification", "Vault", "HybridTransport",
                    "TransportInterfaces", "LinkStorage", "HybridProtocol", "CTAP", "DigitalCredentials", "DBus",
                    "LinuxSupport", "CBOR",
                    "Cryptography", subprocess, system,
                ]),
            Module(
                "PhoneKey",
                [
                    "SecurityKey", "UserVerification", "HybridTransport", "HybridProtocol", "CTAP", "CTAPHID",
                    "LinuxSupport", "CBOR", "Cryptography",
                ]),
            Module(
                "Doctor",
                [
                    "AuthenticatorAgent", "KeyBroker", "UHID", "UserVerification", "Vault", "BluetoothLE",
                    "TunnelClient", "TransportInterfaces", "HybridProtocol", "TunnelProtocol", "DBus", "LinuxSupport",
                    "Cryptography", subprocess, system,
                ]),
        ])
    + layer(
        "Testing",
        [
            Module(
                "Captures", ["HybridProtocol", "TunnelProtocol", "PacketCapture", "TextEncodings", "Cryptography"]),
            Module(
                "TestVectors",
                ["CRules", "CTAPHID", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"]),
            Module(
                "Conformance",
                [
                    "TestVectors", "PasskeyAuthenticator", "BluetoothLE", "TransportInterfaces", "HybridProtocol",
                    "Noise", "TunnelProtocol", "CTAP", "LinuxSupport", "CBOR", "JSON", "TextEncodings", "Cryptography",
                    nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"), nioSSL, subprocess,
                ]),
        ])
    + layer(
        "Authenticator",
        [
            Module(
                "Vault",
                ["PasskeyAuthenticator", "CTAP", "DBus", "LinuxSupport", "CBOR", "TextEncodings", "Cryptography"]),
            Module(
                "PasskeyFormats",
                [
                    "PasskeyAuthenticator", "UserVerification", "CTAP", "JSON", "TextEncodings", "CZlib",
                    "Cryptography",
                ]),
            Module("PasskeyAuthenticator", ["UserVerification", "CTAP", "CBOR", "Cryptography"]),
            Module(
                "LentKey",
                [
                    "PasskeyAuthenticator", "UserVerification", "CTAP", "LinuxSupport", "CBOR", "Cryptography", system,
                    .target(name: "CFIDO2", condition: .when(traits: [lending])),
                ]),
            Module("DesktopDialogues", ["UserVerification", "LinuxSupport", "Cryptography", subprocess, system]),
            Module("UserVerification", ["DBus", "LinuxSupport", "CBOR"]),
        ])
    + layer(
        "Client",
        [Module("RelyingParty", ["CTAP", "LinuxSupport", "CBOR", "JSON", "TextEncodings", "Cryptography"])])
    + layer(
        "Service",
        [
            Module(
                "NATSBus",
                [
                    "TunnelService", nio("NIOConcurrencyHelpers"),
                    .target(name: "CNATS", condition: .when(traits: [cluster])),
                ]),
            Module(
                "TunnelService",
                [
                    "WebSocketFraming", "TunnelProtocol", "CBOR", "TextEncodings", "Cryptography", nio("NIOCore"),
                    nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"), nioSSL,
                    logging, metrics, serviceLifecycle,
                ]),
        ])
    + layer(
        "Transport",
        [
            Module("HybridTransport", ["TransportInterfaces", "HybridProtocol", "TunnelProtocol", "Cryptography"]),
            Module(
                "BluetoothLE",
                ["TransportInterfaces", "DBus", "CBlueZ", "LinuxSupport", system, nio("NIOCore"), nio("NIOPosix")]),
            Module(
                "TunnelClient",
                [
                    "TransportInterfaces", "WebSocketFraming", "TunnelProtocol", nio("NIOCore"), nio("NIOPosix"),
                    nio("NIOHTTP1"), nio("NIOWebSocket"), nio("NIOTLS"), nioSSL, logging,
                ]),
            Module("WebSocketFraming", ["TunnelProtocol", nio("NIOCore"), nio("NIOWebSocket")]),
            Module("TransportInterfaces", ["TunnelProtocol", "TextEncodings"]),
            Module("LinkStorage", ["HybridProtocol", "LinuxSupport", "CBOR", "Cryptography"]),
        ])
    + layer(
        "Protocol",
        [
            Module("HybridProtocol", ["Noise", "TunnelProtocol", "CBOR", "TextEncodings", "Cryptography"]),
            Module("Noise", ["Cryptography"]),
            Module("TunnelProtocol", ["CBOR", "TextEncodings", "Cryptography"]),
            Module("CTAP", ["CBOR"]),
            Module("CTAPHID"),
            Module("DigitalCredentials", ["CBOR", "JSON", "TextEncodings"]),
        ])
    + layer(
        "Linux",
        [
            Module("DesktopSession", ["DBus", "LinuxSupport"]),
            Module("UHID", [system]),
            Module("DBus", ["CSystemd", "LinuxSupport", "TextEncodings", system]),
            Module("LinuxSupport", ["CSystemd", subprocess, system]),
        ])
    + layer(
        "Formats",
        [
            Module("CBOR"), Module("JSON"), Module("PacketCapture"), Module("QRCode", ["CZlib"]),
            Module("TextEncodings"),
        ])
    + layer("Cryptography", [Module("Cryptography", ["COpenSSL"])])
    + [
        .target(name: "CRules", path: "Sources/Testing/CRules"),
        .systemLibrary(
            name: "CBlueZ", path: "Sources/Linux/CBlueZ", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(
            name: "CSystemd", path: "Sources/Linux/CSystemd", providers: [.apt(["libsystemd-dev"])]),
        // With their traits alone.
        .systemLibrary(
            name: "CNATS", path: "Sources/Linux/CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(
            name: "CFIDO2", path: "Sources/Linux/CFIDO2", pkgConfig: "libfido2",
            providers: [.apt(["libfido2-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/Formats/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/Cryptography/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
    ]

let examples: [Target] = [
    example("client", ["HybridTransport", "HybridProtocol", "BluetoothLE", "TunnelClient", "CTAP", "RelyingParty"]),
    example(
        "authenticator",
        [
            "HybridTransport", "HybridProtocol", "BluetoothLE", "TunnelClient", "PasskeyAuthenticator",
            "UserVerification",
        ]),
    example("tunnel-service", ["TunnelService", unixSignals]),
    example("credential-handler", ["DigitalCredentials", "JSON"]),
    // One of each product, shown by the overview of its documentation.
    example(
        "passkeys",
        [
            "HybridTransport", "HybridProtocol", "BluetoothLE", "TunnelClient", "PasskeyAuthenticator",
            "UserVerification", "Vault", "CTAP", "RelyingParty", "QRCode",
        ]),
    example("ctap", ["CTAP"]),
    example("vault", ["PasskeyAuthenticator", "UserVerification", "Vault", "Cryptography"]),
    example("relying-party", ["RelyingParty", "CTAP", "PasskeyAuthenticator", "UserVerification"]),
    example("qr-code", ["QRCode"]),
    example("protocol", ["HybridProtocol", "TunnelProtocol", "Cryptography"]),
    example("conformance", ["Conformance"]),
]

/// What makes the project's vectors from a fixed seed; for maintainers, hence no product.
let vectorGenerator: [Target] = [
    .target(
        name: "VectorCases",
        dependencies: [
            "TestVectors", "CTAPHID", "HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings",
        ],
        path: "tools/vector-generator/Sources/VectorCases", swiftSettings: settings),
    .executableTarget(
        name: "vector-generator", dependencies: ["VectorCases", "TestVectors"],
        path: "tools/vector-generator/Sources/vector-generator", swiftSettings: settings),
]

let testTargets: [Target] = [
    // What the tests of several modules share: foreign programs as peers, and what stands before TLS.
    .target(
        name: "TestPeers", dependencies: [nio("NIOCore")], path: "Tests/TestPeers", exclude: ["Python"],
        swiftSettings: settings),
    // What is killed while it writes.
    .executableTarget(
        name: "vault-writer", dependencies: ["Vault", "PasskeyAuthenticator", "Cryptography"],
        path: "Tests/VaultWriter", swiftSettings: settings),
    // A security key for the lab.
    .executableTarget(
        name: "security-key-device", dependencies: ["CTAPHID", "UHID", "LinuxSupport"], path: "Tests/SecurityKeyDevice",
        swiftSettings: settings),
    tests("Cryptography", exclude: ["Fixtures", "Peer"]),
    tests("CBOR", exclude: ["Fixtures"]),
    tests("JSON"),
    tests("DigitalCredentials", ["JSON"], exclude: ["Fixtures"]),
    tests("Noise", ["HybridProtocol", "Cryptography"], exclude: ["Fixtures"]),
    tests("PacketCapture"),
    tests("Captures", ["PacketCapture", "HybridProtocol", "Cryptography"]),
    tests("QRCode"),
    tests("TextEncodings"),
    tests("CTAP", ["CBOR"], exclude: ["Fixtures"]),
    tests("CTAPHID", exclude: ["Peers"]),
    tests("HybridProtocol", ["Noise", "CBOR", "Cryptography"]),
    tests("TunnelProtocol", ["CBOR", "Cryptography"]),
    tests(
        "HybridTransport",
        [
            "HybridProtocol", "TunnelProtocol", "Noise", "CBOR", "Cryptography", "TransportInterfaces", "TunnelClient",
            "TunnelService", "BluetoothLE", logging,
        ]),
    tests("PasskeyAuthenticator", ["UserVerification", "CTAP", "CBOR", "Cryptography"], exclude: ["Peer"]),
    tests(
        "SecurityKey",
        [
            "KeyBroker", "PasskeyAuthenticator", "UserVerification", "Vault", "CTAP", "CTAPHID", "UHID",
            "LinuxSupport", "Cryptography", system,
        ], exclude: ["Peers"]),
    tests(
        "PasskeyFormats",
        ["PasskeyAuthenticator", "CTAP", "JSON", "TextEncodings", "Cryptography"], exclude: ["Peer"]),
    tests(
        "LentKey",
        [
            "SecurityKey", "PasskeyAuthenticator", "UserVerification", "CTAP", "CTAPHID", "CBOR", "Cryptography",
            "LinuxSupport", system,
        ], exclude: ["Peers"]),
    tests("LinuxSupport"),
    tests("UHID"),
    tests("LinkStorage", ["LinuxSupport", "HybridProtocol", "CBOR", "Cryptography"]),
    tests(
        "Vault",
        ["LinuxSupport", "PasskeyAuthenticator", "CTAP", "CBOR", "Cryptography", "DBus"], exclude: ["Peers"]),
    tests(
        "RelyingParty", ["LinuxSupport", "CTAP", "CBOR", "TextEncodings", "Cryptography"],
        exclude: ["Fixtures", "Peer"]),
    tests("DBus", exclude: ["Peers"]),
    tests("UserVerification", ["DBus"], exclude: ["Peers"]),
    tests("DesktopDialogues", ["UserVerification", "LinuxSupport", "Cryptography"], exclude: ["Peers"]),
    tests("DesktopSession", ["DBus"], exclude: ["Peers"]),
    tests("BluetoothLE", ["DBus", "TransportInterfaces"], exclude: ["Peers"]),
    tests("WebSocketFraming", [nio("NIOCore"), nio("NIOEmbedded"), nio("NIOWebSocket")]),
    tests(
        "TunnelClient",
        [
            "TransportInterfaces", "TunnelProtocol", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"),
            nio("NIOHTTP1"),
            nio("NIOWebSocket"), nioSSL,
        ],
        exclude: ["Peers"]),
    tests(
        "TunnelService",
        [
            "TunnelProtocol", "CBOR", "TextEncodings", "Cryptography",
            nio("NIOCore"), nio("NIOEmbedded"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            nio("NIOConcurrencyHelpers"), nioSSL, logging, metrics,
            .product(name: "MetricsTestKit", package: "swift-metrics"), serviceLifecycle,
        ], exclude: ["Peers"]),
    tests(
        "NATSBus",
        [
            "TunnelService", "TunnelProtocol", "Cryptography", nio("NIOCore"), nio("NIOPosix"), logging, metrics,
        ]),
    tests("Conformance", ["TransportInterfaces"]),
    tests(
        "AuthenticatorAgent",
        [
            "PasskeyAuthenticator", "PasskeyFormats", "UserVerification", "Vault", "HybridTransport",
            "TransportInterfaces",
            "LinkStorage", "HybridProtocol", "TunnelProtocol", "CTAP", "DigitalCredentials", "Cryptography",
            "TunnelClient",
            "TunnelService", "BluetoothLE", "QRCode", logging,
        ]),
    tests("DesktopAgent", ["DBus", "PasskeyAuthenticator", "Vault", "Cryptography"], exclude: ["Peers"]),
    tests(
        "PhoneKey",
        [
            "SecurityKey", "AuthenticatorAgent", "PasskeyAuthenticator", "UserVerification", "HybridTransport",
            "HybridProtocol", "TunnelProtocol", "LinkStorage", "TransportInterfaces", "BluetoothLE", "TunnelClient",
            "TunnelService", "CTAP", "CTAPHID", "CBOR", "Cryptography", logging,
        ], exclude: ["Peers"]),
    tests(
        "Doctor",
        [
            "hybrid", "AuthenticatorAgent", "BluetoothLE", "TransportInterfaces", "HybridTransport", "HybridProtocol",
            "TunnelClient", "TunnelService", "UserVerification", "Vault", "Cryptography", logging,
        ]),
    tests("TestVectors", ["HybridProtocol", "Noise", "CBOR", "Cryptography", "JSON", "TextEncodings"]),
    tests("VectorCases", ["TestVectors", "HybridProtocol", "CBOR", "Cryptography", "JSON"]),
    tests("hybrid", [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
    // The program as it is run; building the tests builds it too.
    .testTarget(
        name: "CommandLineTests", dependencies: ["HybridProtocol"], exclude: ["Fixtures", "Peers", "Scripts"],
        swiftSettings: settings),
]

let package = Package(
    name: "hybrid-transport",
    products: [
        .executable(name: "hybrid", targets: ["hybrid"]),
        .executable(name: "hybrid-key-broker", targets: ["hybrid-key-broker"]),
        // For tools/fuzz alone: nothing of them is public.
        .library(name: "Captures", targets: ["Captures", "PacketCapture"]),
        .library(name: "CTAPHID", targets: ["CTAPHID"]),
        .library(name: "PasskeyFormats", targets: ["PasskeyFormats"]),
    ] + products,
    traits: [
        .trait(
            name: lending,
            description:
                "Lends security keys: hybrid authenticator answer --security-key. Needs libfido2 (libfido2-dev)."),
        .trait(
            name: cluster,
            description:
                "Wakes authenticators at other nodes: hybrid tunnel-service --nats. Needs libnats (libnats-dev)."),
        // By the variables too, for tests: SECURITY_KEY_LENDING=yes TUNNEL_SERVICE_CLUSTER=yes tools/test.
        .default(enabledTraits: Set(enabledTraits)),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Without its traits, which add formats of files, and watching them.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Without its traits, one of which adds Foundation.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: sources + examples + vectorGenerator + testTargets
)
