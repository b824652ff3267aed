// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// The setting that makes the modules count their lines that are reached (tools/coverage).
let counts = Context.environment["HYBRID_COVERAGE"] != nil

/// A module at its path in Sources. It imports modules of the folders before its own in this manifest, and of its own
/// folder those that it names; tools/imports checks that, and that each target names exactly its imports.
func module(_ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    let name = String(path.split(separator: "/").last ?? "")
    return .target(
        name: name, dependencies: dependencies, path: "Sources/\(path)",
        swiftSettings: settings
            + (counts ? [.unsafeFlags(["-profile-generate", "-profile-coverage-mapping"])] : []),
        linkerSettings: counts ? [.unsafeFlags(["-profile-generate"])] : [])
}

/// A program at its path in Sources.
func program(_ path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: String(path.split(separator: "/").last ?? ""), dependencies: dependencies, path: "Sources/\(path)",
        swiftSettings: settings)
}

/// The tests of a folder of Tests.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

// Traits for packages that depend on this one: they name the products they use, and packages that none of their
// traits asks for are not fetched. All are on by default.

/// The trait of the products `HybridTransport`, `WebAuthnClient` and `Conformance`.
let transport = "Transport"
/// The trait of the products `PasskeyAuthenticator` and `Vault`.
let authenticator = "Authenticator"
/// The trait of the product `TunnelService`.
let service = "Service"
/// The trait of the programs.
let programsTrait = "Programs"

/// A product of another package, which is fetched for these traits.
func product(_ name: String, _ package: String, _ traits: Set<String>) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: traits))
}
func nio(_ name: String) -> Target.Dependency { product(name, "swift-nio", [transport, service]) }

let argumentParser = product("ArgumentParser", "swift-argument-parser", [programsTrait])
let logging = product("Logging", "swift-log", [transport, authenticator, service])
let metrics = product("Metrics", "swift-metrics", [service])
let metricsTestKit = product("MetricsTestKit", "swift-metrics", [service])
let nioSSL = product("NIOSSL", "swift-nio-ssl", [transport, service])
let serviceLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", [service])
let subprocess = product("Subprocess", "swift-subprocess", [transport, authenticator])
let system = product("SystemPackage", "swift-system", [transport, authenticator])
let unixSignals = product("UnixSignals", "swift-service-lifecycle", [service])

/// The libraries, each with the modules that its signatures name, which it exports; tools/api checks that.
let products: [Product] = [
    .library(name: "HybridTransport", targets: ["HybridTransport"]),
    .library(name: "HybridProtocol", targets: ["HybridProtocol", "Encodings", "Cryptography"]),
    .library(name: "CTAP", targets: ["CTAP", "Encodings"]),
    .library(
        name: "PasskeyAuthenticator",
        targets: ["PasskeyAuthenticator", "UserVerification", "CTAP", "Encodings", "Cryptography"]),
    .library(
        name: "Vault",
        targets: ["Vault", "PasskeyAuthenticator", "UserVerification", "CTAP", "Encodings", "Cryptography"]),
    .library(
        name: "WebAuthnClient",
        targets: ["WebAuthnClient", "HybridTransport", "HybridProtocol", "CTAP", "Encodings", "Cryptography"]),
    .library(
        name: "TunnelService", targets: ["TunnelService", "HybridProtocol", "Encodings", "Cryptography"]),
    .library(name: "QRCode", targets: ["QRCode", "Encodings"]),
    .library(name: "Conformance", targets: ["Conformance", "Encodings"]),
]

let modules: [Target] = [
    // Core
    module("Core/Encodings", ["CZlib"]),
    module("Core/Cryptography", ["Encodings", "COpenSSL"]),
    module("Core/QRCode", ["Encodings", "CZlib"]),
    module("Core/CTAP", ["Encodings", "Cryptography"]),
    module("Core/HybridProtocol", ["Encodings", "Cryptography"]),
    // Linux
    module("Linux/LinuxSupport", ["Encodings", "CLinux", logging, subprocess, system]),
    // Transport
    module(
        "Transport/BluetoothLE",
        ["CBlueZ", "LinuxSupport", "HybridProtocol", nio("NIOCore"), nio("NIOPosix"), logging, system]),
    module(
        "Transport/TunnelClient",
        [
            "Encodings", "HybridProtocol", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            nio("NIOTLS"), nioSSL, logging,
        ]),
    module(
        "Transport/HybridTransport",
        [
            "CPersonas", "Encodings", "Cryptography", "HybridProtocol", "LinuxSupport", "BluetoothLE", "TunnelClient",
            logging,
        ]),
    // Authenticator
    module("Authenticator/UserVerification", ["Encodings", "LinuxSupport"]),
    module("Authenticator/PasskeyAuthenticator", ["Encodings", "Cryptography", "CTAP", "UserVerification"]),
    module(
        "Authenticator/Vault", ["Encodings", "Cryptography", "CTAP", "LinuxSupport", "PasskeyAuthenticator"]),
    module(
        "Authenticator/PasskeyExchange",
        [
            "Encodings", "Cryptography", "CTAP", "HybridProtocol", "PasskeyAuthenticator",
        ]),
    module(
        "Authenticator/KeyPassthrough",
        [
            "Encodings", "Cryptography", "CTAP", "LinuxSupport", "UserVerification", "PasskeyAuthenticator", system,
            "COptionalLibraries",
        ]),
    // Client
    module(
        "Client/WebAuthnClient",
        ["Encodings", "Cryptography", "CTAP", "HybridProtocol", "LinuxSupport", "HybridTransport"]),
    // Service
    module(
        "Service/TunnelService",
        [
            "Encodings", "HybridProtocol", "TunnelClient", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
            nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"), nioSSL, logging, metrics, serviceLifecycle,
            "COptionalLibraries",
        ]),
    // Conformance
    module(
        "Conformance/Conformance",
        [
            "Encodings", "Cryptography", "CTAP", "HybridProtocol", "LinuxSupport", "HybridTransport", "BluetoothLE",
            "PasskeyAuthenticator", "PasskeyExchange", "CRules", nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"),
            nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"), nioSSL, subprocess,
        ]),
    module("Conformance/Captures", ["HybridProtocol"]),
    // Desktop
    module("Desktop/KeyBroker", ["LinuxSupport"]),
    module(
        "Desktop/SecurityKey",
        [
            "Encodings", "Cryptography", "CTAP", "LinuxSupport", "UserVerification", "PasskeyAuthenticator",
            "KeyBroker", system,
        ]),
    module(
        "Desktop/DesktopAuthenticator",
        [
            "Encodings", "Cryptography", "CTAP", "HybridProtocol", "LinuxSupport", "HybridTransport",
            "UserVerification", "PasskeyAuthenticator", "Vault", "PasskeyExchange", "KeyPassthrough",
            "COptionalLibraries", subprocess, system,
        ]),
]

let librariesOfC: [Target] = [
    // The rules, which the compiler embeds from Vectors/rules.json, the IDs of cases, and the frame of reports.
    .target(name: "CRules", path: "Sources/Conformance/CRules", exclude: ["cases.txt", "page.html"]),
    // The quirks and personas of devices, which the compiler embeds likewise.
    .target(name: "CPersonas", path: "Sources/Transport/CPersonas", exclude: ["personas.json"]),
    .systemLibrary(
        name: "COpenSSL", path: "Sources/Core/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CBlueZ", path: "Sources/Linux/CBlueZ", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CLinux", path: "Sources/Linux/CLinux", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
        name: "CZlib", path: "Sources/Core/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // libfido2, libnats, libpng and libzbar, in our own declarations, loaded when they are first used; and the end of a
    // process's rights.
    .target(name: "COptionalLibraries", path: "Sources/Linux/COptionalLibraries"),
]

let programs: [Target] = [
    // The common parts of the programs.
    module(
        "Programs/CommandLine",
        [
            "Cryptography", "Encodings", "HybridProtocol", "LinuxSupport", "HybridTransport", "BluetoothLE", logging,
            system, unixSignals, argumentParser,
        ]),
    program(
        "Programs/hybrid",
        [
            "CommandLine", "Encodings", "Cryptography", "QRCode", "CTAP", "HybridProtocol", "LinuxSupport",
            "HybridTransport", "BluetoothLE", "TunnelClient", "UserVerification", "PasskeyAuthenticator", "Vault",
            "PasskeyExchange", "KeyPassthrough", "WebAuthnClient", "TunnelService", "SecurityKey",
            "DesktopAuthenticator", logging, subprocess, system, unixSignals, argumentParser,
        ]),
    program(
        "Programs/hybrid-conformance",
        [
            "CommandLine", "Cryptography", "Encodings", "QRCode", "CTAP", "HybridProtocol", "LinuxSupport",
            "HybridTransport", "TunnelClient", "PasskeyExchange", "WebAuthnClient", "Conformance", "Captures",
            system, argumentParser,
        ]),
    program(
        "Programs/hybrid-tunnel-service",
        [
            "CommandLine", "Cryptography", "HybridProtocol", "LinuxSupport", "TunnelService", logging, unixSignals,
            argumentParser,
        ]),
    program("Programs/hybrid-key-broker", ["KeyBroker"]),
]

/// The program that makes the project's vectors from a fixed seed; for maintainers, hence no product.
let vectorGenerator: [Target] = [
    .target(
        name: "VectorCases",
        dependencies: [
            "Cryptography", "Encodings", "CTAP", "HybridProtocol", "LinuxSupport", "PasskeyExchange", "KeyBroker",
            "Conformance",
        ],
        path: "tools/vector-generator/Sources/VectorCases", swiftSettings: settings),
    .executableTarget(
        name: "vector-generator", dependencies: ["VectorCases"],
        path: "tools/vector-generator/Sources/vector-generator", swiftSettings: settings),
]

/// The targets of the fuzzers, which tests try too. Where the code is optimised they are built, but cannot be run: they
/// use internal symbols, which are not there.
let fuzzTargets: [Target] = [
    .target(name: "CFuzzCost", path: "tools/fuzz/Sources/CFuzzCost"),
    .target(
        name: "FuzzTargets",
        dependencies: [
            "CFuzzCost", "Encodings", "Cryptography", "CTAP", "HybridProtocol", "LinuxSupport", "TunnelClient",
            "HybridTransport", "PasskeyAuthenticator", "Vault", "PasskeyExchange", "WebAuthnClient", "TunnelService",
            "Conformance", "Captures", nio("NIOCore"), nio("NIOEmbedded"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            logging, metrics,
        ],
        path: "tools/fuzz/Sources/FuzzTargets",
        swiftSettings: settings + [
            .unsafeFlags(
                ["-Xfrontend", "-disable-testable-attr-requires-testable-module"], .when(configuration: .release))
        ]),
    .executableTarget(
        name: "fuzz-corpora", dependencies: ["Encodings", "FuzzTargets"], path: "tools/fuzz/Sources/fuzz-corpora",
        swiftSettings: settings,
        linkerSettings: [
            // So that the Swift runtime finds VirtualClock's function before the C library's.
            .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=clock_gettime"]),
            .unsafeFlags(["-Xlinker", "--unresolved-symbols=ignore-all"], .when(configuration: .release)),
        ]),
]

let testTargets: [Target] = [
    // The common parts of several modules' tests: foreign programs as peers, and a handler before TLS.
    .target(
        name: "TestPeers", dependencies: [nio("NIOCore")], path: "Tests/TestPeers", exclude: ["Python"],
        swiftSettings: settings),
    // The program that is killed while it writes.
    .executableTarget(
        name: "vault-writer", dependencies: ["Cryptography", "PasskeyAuthenticator", "Vault"],
        path: "Tests/VaultWriter", swiftSettings: settings),
    // Shows the secrets left in memory, and the order in which files are changed; building the tests builds it too.
    .target(name: "CLibraryCalls", path: "Tests/CLibraryCalls"),
    .executableTarget(
        name: "library-calls",
        dependencies: [
            "CLibraryCalls", "Cryptography", "Encodings", "HybridProtocol", "LinuxSupport", "HybridTransport",
            "PasskeyAuthenticator", "PasskeyExchange", "Vault", "DesktopAuthenticator", system,
        ],
        path: "Tests/LibraryCalls", swiftSettings: settings),
    tests("LibraryCallsTests", ["TestPeers"]),
    // A security key for the lab.
    .executableTarget(
        name: "security-key-device", dependencies: ["CTAP", "LinuxSupport", "KeyBroker"],
        path: "Tests/SecurityKeyDevice", swiftSettings: settings),
    tests(
        "AuthenticatorAgentTests",
        [
            "Cryptography", "QRCode", "CTAP", "HybridProtocol", "LinuxSupport", "HybridTransport", "BluetoothLE",
            "TunnelClient", "UserVerification", "PasskeyAuthenticator", "Vault", "PasskeyExchange", "TunnelService",
            "DesktopAuthenticator", "TestPeers", logging,
        ]),
    tests("ErrorsTests", ["Encodings", "Cryptography", "HybridProtocol", "HybridTransport"]),
    tests(
        "BluetoothLETests",
        ["Encodings", "HybridProtocol", "LinuxSupport", "HybridTransport", "BluetoothLE", "TestPeers"],
        exclude: ["Peers"]),
    tests("CBORTests", ["Encodings"], exclude: ["Fixtures"]),
    tests(
        "CTAPDispatcherTests",
        ["CTAP", "LinuxSupport", "UserVerification", "PasskeyAuthenticator", "KeyPassthrough", "SecurityKey"]),
    tests("CTAPHIDTests", ["CTAP", "LinuxSupport", "KeyBroker", "TestPeers"], exclude: ["Peers"]),
    tests("CTAPTests", ["Cryptography", "Encodings", "CTAP", "TestPeers"], exclude: ["Fixtures"]),
    tests("CapturesTests", ["Cryptography", "HybridProtocol", "Captures"]),
    tests(
        "ConformanceTests",
        ["Encodings", "HybridProtocol", "HybridTransport", "BluetoothLE", "Conformance", "TestPeers", nioSSL],
        exclude: ["Peers"]),
    tests("CryptographyTests", ["Cryptography", "TestPeers"], exclude: ["Fixtures", "Peer"]),
    tests("DBusTests", ["LinuxSupport", "TestPeers"], exclude: ["Peers"]),
    tests(
        "DesktopAgentTests",
        ["Cryptography", "LinuxSupport", "PasskeyAuthenticator", "Vault", "DesktopAuthenticator", "TestPeers"],
        exclude: ["Peers"]),
    tests(
        "DesktopDialoguesTests",
        ["Cryptography", "LinuxSupport", "UserVerification", "DesktopAuthenticator", "TestPeers"], exclude: ["Peers"]),
    tests("DesktopSessionTests", ["LinuxSupport", "TestPeers"], exclude: ["Peers"]),
    tests("DigitalCredentialsTests", ["Encodings", "HybridProtocol"], exclude: ["Fixtures"]),
    tests(
        "DoctorTests",
        [
            "Cryptography", "HybridProtocol", "LinuxSupport", "HybridTransport", "BluetoothLE", "TunnelClient",
            "UserVerification", "Vault", "TunnelService", "DesktopAuthenticator", "CommandLine", "hybrid", logging,
        ]),
    // The program as it is run, as its allocator is not that of tests; building the tests builds it too.
    tests("FuzzCorporaTests", ["TestPeers"]),
    tests("HybridProtocolTests", ["Cryptography", "Encodings", "HybridProtocol", "TestPeers"]),
    tests(
        "HybridTransportTests",
        [
            "Cryptography", "Encodings", "HybridProtocol", "LinuxSupport", "HybridTransport", "BluetoothLE",
            "TunnelClient", "TunnelService", "TestPeers", logging,
        ]),
    tests("JSONTests", ["Encodings"]),
    tests(
        "KeyPassthroughTests",
        [
            "Cryptography", "Encodings", "CTAP", "LinuxSupport", "UserVerification", "PasskeyAuthenticator",
            "KeyPassthrough", "SecurityKey", "TestPeers",
        ], exclude: ["Peers"]),
    tests("LinkStorageTests", ["Cryptography", "Encodings", "HybridProtocol", "HybridTransport"]),
    tests("LinuxSupportTests", ["LinuxSupport", "TestPeers"], exclude: ["Peers"]),
    tests("NATSBusTests", ["TunnelService", "TestPeers", nio("NIOConcurrencyHelpers")]),
    tests("NoiseTests", ["Cryptography", "HybridProtocol", "TestPeers"], exclude: ["Fixtures"]),
    tests("PacketCaptureTests", ["Captures"]),
    tests(
        "PasskeyAuthenticatorTests",
        ["Cryptography", "Encodings", "CTAP", "LinuxSupport", "UserVerification", "PasskeyAuthenticator"],
        exclude: ["Peer"]),
    tests(
        "PasskeyExchangeTests",
        [
            "Cryptography", "Encodings", "CTAP", "HybridProtocol", "PasskeyAuthenticator", "PasskeyExchange",
            "TestPeers",
        ], exclude: ["Peer"]),
    tests(
        "PhoneKeyTests",
        [
            "Cryptography", "Encodings", "CTAP", "HybridProtocol", "HybridTransport", "BluetoothLE", "TunnelClient",
            "UserVerification", "PasskeyAuthenticator", "TunnelService", "SecurityKey", "DesktopAuthenticator",
            "hybrid", "TestPeers", logging,
        ], exclude: ["Peers"]),
    tests("QRCodeTests", ["Encodings", "QRCode", "TestPeers"]),
    tests(
        "SecurityKeyTests",
        [
            "Cryptography", "CTAP", "LinuxSupport", "UserVerification", "PasskeyAuthenticator", "Vault", "KeyBroker",
            "SecurityKey", "TestPeers", system,
        ], exclude: ["Peers"]),
    tests("TestVectorsTests", ["Cryptography", "Encodings", "HybridProtocol", "Conformance"]),
    tests("TextEncodingsTests", ["Encodings"]),
    tests(
        "TunnelClientTests",
        [
            "HybridProtocol", "HybridTransport", "TunnelClient", "TestPeers", nio("NIOCore"), nio("NIOPosix"),
            nio("NIOHTTP1"), nio("NIOWebSocket"), nio("NIOEmbedded"), nioSSL,
        ], exclude: ["Peers"]),
    tests("TunnelProtocolTests", ["Cryptography", "Encodings", "HybridProtocol"]),
    tests(
        "TunnelServiceTests",
        [
            "Cryptography", "Encodings", "HybridProtocol", "TunnelService", "TestPeers", nio("NIOCore"),
            nio("NIOPosix"), nio("NIOWebSocket"), nio("NIOConcurrencyHelpers"), nio("NIOEmbedded"), nioSSL, logging,
            metrics, metricsTestKit, serviceLifecycle,
        ], exclude: ["Peers"]),
    tests("UHIDTests", ["LinuxSupport", "TestPeers"]),
    tests("UserVerificationTests", ["LinuxSupport", "UserVerification", "TestPeers"], exclude: ["Peers"]),
    tests(
        "VaultTests", ["Cryptography", "Encodings", "CTAP", "PasskeyAuthenticator", "Vault", "TestPeers"],
        exclude: ["Peers"]),
    tests("VectorCasesTests", ["Encodings", "Conformance", "VectorCases"]),
    tests(
        "WebAuthnClientTests",
        [
            "Cryptography", "Encodings", "CTAP", "HybridProtocol", "UserVerification", "PasskeyAuthenticator",
            "WebAuthnClient", "TestPeers",
        ], exclude: ["Fixtures", "Peer"]),
    tests(
        "hybridTests",
        [
            "LinuxSupport", "CTAP", "UserVerification", "DesktopAuthenticator", "CommandLine", "hybrid",
            "hybrid-conformance", "hybrid-tunnel-service", "TestPeers", argumentParser, logging,
        ]),
    // The program as it is run; building the tests builds it too.
    tests("CommandLineTests", ["TestPeers"], exclude: ["Fixtures", "Peers", "Scripts"]),
]

let package = Package(
    name: "hybrid-transport",
    products: [
        .executable(name: "hybrid", targets: ["hybrid"]),
        .executable(name: "hybrid-tunnel-service", targets: ["hybrid-tunnel-service"]),
        .executable(name: "hybrid-conformance", targets: ["hybrid-conformance"]),
        .executable(name: "hybrid-key-broker", targets: ["hybrid-key-broker"]),
        // For tools/fuzz alone: nothing of it is public.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ] + products,
    traits: [
        .default(enabledTraits: [programsTrait]),
        .trait(name: transport, description: "What HybridTransport, WebAuthnClient and Conformance need."),
        .trait(name: authenticator, description: "What PasskeyAuthenticator and Vault need."),
        .trait(name: service, description: "What TunnelService needs."),
        .trait(
            name: programsTrait, description: "What the programs need: all.",
            enabledTraits: [transport, authenticator, service]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Without its traits, one of which adds Foundation.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: modules + librariesOfC + programs + vectorGenerator + fuzzTargets + testTargets
)
