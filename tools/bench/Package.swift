// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
    // As part of the project's own package: symbols with `package` access are used here.
    .unsafeFlags(["-package-name", "hybrid_transport"]),
]

/// A library of the project that is measured here, with the modules below it.
func library(_ name: String) -> Target.Dependency { .product(name: name, package: "hybrid-transport") }

let package = Package(
    name: "hybrid-transport-bench",
    dependencies: [
        // A link to the checkout, whose folder may have any name: SwiftPM names a package after the last part of its
        // path.
        .package(path: "hybrid-transport"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(name: "CFloor", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CAllocations"),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "Measuring", dependencies: ["CAllocations"], packageAccess: false, swiftSettings: settings),
        .target(
            name: "QRBench", dependencies: ["CQREncode", "Measuring", library("QRCode")],
            packageAccess: false, swiftSettings: settings),
        .target(
            name: "TunnelServiceBench",
            dependencies: [
                "Measuring", library("HybridTransport"), library("TunnelService"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Logging", package: "swift-log"),
            ],
            packageAccess: false, swiftSettings: settings),
        // Needs the Debian package libwebsockets-dev; a program of its own, so that the other benchmarks do not.
        .executableTarget(
            name: "libwebsockets-relay",
            linkerSettings: [.linkedLibrary("websockets"), .linkedLibrary("ssl")]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CFloor", "Measuring", "QRBench", "TunnelServiceBench",
                library("HybridTransport"), library("PasskeyAuthenticator"), library("WebAuthnClient"),
                library("TunnelService"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            packageAccess: false, swiftSettings: settings),
    ]
)
