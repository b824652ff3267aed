// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableExperimentalFeature("Lifetimes"),
    // As part of the project's own package: symbols with `package` access are used here.
    .unsafeFlags(["-package-name", "hybrid_transport"]),
]

let package = Package(
    name: "hybrid-transport-fuzz",
    dependencies: [
        // A link to the checkout, whose folder may have any name: SwiftPM names a package after the last part of its
        // path.
        .package(path: "hybrid-transport")
    ],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [.product(name: "FuzzTargets", package: "hybrid-transport")],
            packageAccess: false, swiftSettings: settings,
            linkerSettings: [
                // So that the Swift runtime finds VirtualClock's function before the C library's.
                .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=clock_gettime"]),
                // Without optimisation libFuzzer's own main function is linked, which never runs, and wants this.
                .unsafeFlags(["-Xlinker", "--defsym=LLVMFuzzerTestOneInput=0"], .when(configuration: .debug)),
            ])
    ]
)
