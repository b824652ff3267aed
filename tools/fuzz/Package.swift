// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
    // As part of the project's own package: symbols with `package` access are used here.
    .unsafeFlags(["-package-name", "hybrid_transport"]),
]

/// A library of the project whose parsers are fuzzed here, with the modules below it.
func library(_ name: String) -> Target.Dependency { .product(name: name, package: "hybrid-transport") }

func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }

let package = Package(
    name: "hybrid-transport-fuzz",
    dependencies: [
        // A link to the checkout, whose folder may have any name: SwiftPM names a package after the last part of its
        // path.
        .package(path: "hybrid-transport"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                library("CTAP"), library("Captures"), library("Conformance"), library("HybridTransport"),
                library("PasskeyAuthenticator"), library("PasskeyExchange"), library("Vault"),
                library("WebAuthnClient"),
                library("TunnelService"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                nio("NIOCore"), nio("NIOEmbedded"), nio("NIOHTTP1"), nio("NIOWebSocket"),
            ],
            packageAccess: false, swiftSettings: settings,
            linkerSettings: [
                // So that the Swift runtime finds VirtualClock's function before the C library's.
                .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=clock_gettime"]),
                // Without optimisation libFuzzer's own main function is linked, which never runs, and wants this.
                .unsafeFlags(["-Xlinker", "--defsym=LLVMFuzzerTestOneInput=0"], .when(configuration: .debug)),
            ])
    ]
)
