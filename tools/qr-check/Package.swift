// swift-tools-version: 6.2
import PackageDescription

// Checks the QR encoder against real peers: zbar reads its codes, libqrencode draws the same modules.
// Needs the Debian packages libzbar-dev and libqrencode-dev.
let package = Package(
    name: "qr-check",
    dependencies: [.package(name: "hybrid-transport", path: "../..")],
    targets: [
        .systemLibrary(name: "CZBar", providers: [.apt(["libzbar-dev"])]),
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .executableTarget(
            name: "qr-check",
            dependencies: [.product(name: "QRCode", package: "hybrid-transport"), "CZBar", "CQREncode"],
            path: "Sources/QRCheck",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
            ]),
    ]
)
