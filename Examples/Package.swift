// swift-tools-version: 6.2
import PackageDescription

// What a package that uses Travertine looks like. In yours, `path: ".."` becomes a URL.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Travertine", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "Geonames",
            dependencies: [
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ],
            path: "Geonames"),
        .executableTarget(
            name: "ChatLog",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "ChatLog"),
        .executableTarget(
            name: "Contacts",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "Contacts"),
        .executableTarget(
            name: "Telemetry",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "Telemetry"),
        // A vehicle of three; `Fleet/run` starts all, with the servers that they need.
        .executableTarget(
            name: "Fleet",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "Fleet", exclude: ["run"]),
        // Every kind of misuse in a release build, which must say what is wrong.
        .executableTarget(
            name: "Misuse",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "Misuse"),
        // The code of the documentation's articles, compiled and run. The directory is not called
        // `Snippets`: of each file in such a one SwiftPM makes a separate program.
        .testTarget(
            name: "Articles",
            dependencies: [
                .product(name: "RealmSwift", package: "Travertine"),
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineDocuments", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
                .product(name: "StoreMaintenance", package: "Travertine"),
            ],
            path: "Articles"),
    ],
    swiftLanguageModes: [.v6]
)
