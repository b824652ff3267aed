// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

// The library from outside, as anyone who depends on it can use it: its products and their public symbols.
//
//     swift run --package-path Sources/examples example-relying-party

/// A program that shows how products of the project are used.
func example(_ name: String, _ products: [String], _ others: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: "example-\(name)",
        dependencies: products.map { .product(name: $0, package: "hybrid-transport") } + others, path: name,
        swiftSettings: settings)
}

let package = Package(
    name: "hybrid-transport-examples",
    dependencies: [
        .package(name: "hybrid-transport", path: "../..", traits: ["Transport", "Authenticator", "Service"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        example("authenticator", ["HybridTransport", "PasskeyAuthenticator"]),
        example("client", ["HybridTransport", "WebAuthnClient"]),
        example("conformance", ["Conformance"]),
        example("credential-handler", ["HybridProtocol"]),
        example("ctap", ["CTAP"]),
        example("passkeys", ["HybridTransport", "PasskeyAuthenticator", "QRCode", "Vault", "WebAuthnClient"]),
        example("phone", ["QRCode", "WebAuthnClient"]),
        example("protocol", ["HybridProtocol"]),
        example("qr-code", ["QRCode"]),
        example("relying-party", ["PasskeyAuthenticator", "WebAuthnClient"]),
        example(
            "tunnel-service", ["TunnelService"],
            [.product(name: "UnixSignals", package: "swift-service-lifecycle")]),
        example("vault", ["Vault"]),
        example("web-client", ["WebAuthnClient"]),
    ]
)
