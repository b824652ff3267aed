// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
]

/// A library of the project that is measured here.
func room(_ name: String) -> Target.Dependency { .product(name: name, package: "hybrid-transport") }

let package = Package(
    name: "hybrid-transport-bench",
    dependencies: [
        .package(name: "hybrid-transport", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(name: "CFloor", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CAllocations"),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "Measuring", dependencies: ["CAllocations"], swiftSettings: settings),
        .target(name: "QRBench", dependencies: ["CQREncode", "Measuring", room("QRCode")], swiftSettings: settings),
        .target(
            name: "TunnelServiceBench",
            dependencies: [
                room("ContactProtocol"), room("Cryptography"), room("Edges"), room("HybridProtocol"),
                room("HybridTransport"), room("TunnelClient"), room("TunnelService"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CFloor", "Measuring", "QRBench", "TunnelServiceBench",
                room("Cryptography"), room("HybridProtocol"), room("HybridTransport"), room("BluetoothLE"),
                room("CTAP"),
                room("PasskeyAuthenticator"), room("RelyingParty"), room("TunnelClient"), room("TunnelService"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
    ]
)
