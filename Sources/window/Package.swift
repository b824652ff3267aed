// swift-tools-version: 6.2
import PackageDescription

// The window of `hybrid`, a package of its own: nothing else needs GTK 4 to be built.
//
//     swift build --package-path Sources/window --scratch-path .build-window
//     hybrid client sign-in --rp-id example.com --qr window --window "$PWD/.build-window/debug/hybrid-window"

let package = Package(
    name: "hybrid-transport-window",
    products: [.executable(name: "hybrid-window", targets: ["hybrid-window"])],
    // Of its products only JSON and errors are used; no trait, so nothing else is fetched.
    dependencies: [.package(name: "hybrid-transport", path: "../..", traits: [])],
    targets: [
        .systemLibrary(name: "CGTK", path: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .executableTarget(
            name: "hybrid-window", dependencies: ["CGTK", .product(name: "CTAP", package: "hybrid-transport")],
            path: "hybrid-window",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ]
)
