// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

/// A library of the project whose parsers are fuzzed here.
func room(_ name: String) -> Target.Dependency { .product(name: name, package: "hybrid-transport") }

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let package = Package(
    name: "hybrid-transport-fuzz",
    dependencies: [
        .package(name: "hybrid-transport", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                room("CBOR"), room("CTAP"), room("ConformanceRunner"), room("ContactProtocol"), room("Cryptography"),
                room("DigitalCredentials"),
                room("Edges"), room("HybridProtocol"), room("HybridTransport"), room("JSON"), room("Links"),
                room("Noise"),
                room("PasskeyAuthenticator"), room("TunnelClient"), room("TunnelService"), room("Vault"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            ],
            swiftSettings: settings,
            // So that the Swift runtime finds VirtualClock's function before the C library's.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=clock_gettime"])])
    ]
)
