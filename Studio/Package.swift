// swift-tools-version: 6.2
import PackageDescription

// Travertine Studio: the program `travertine-studio`, which shows a realm in a browser. A separate
// package, so that neither the library nor the command `travertine` needs an HTTP library.
//
//   swift build -c release --package-path Studio
let package = Package(
    name: "Studio",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "travertine-studio", targets: ["travertine-studio"])
    ],
    dependencies: [
        .package(name: "Travertine", path: "..", traits: ["Encryption"]),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        // The files of `Page`, as `Studio/embed` wrote them.
        .target(name: "StudioPage"),
        .target(
            name: "StudioServer",
            dependencies: [
                "StudioPage",
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "StoreMaintenance", package: "Travertine"),
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineDocuments", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
        .executableTarget(
            name: "travertine-studio",
            dependencies: [
                "StudioServer", .product(name: "TravertineStore", package: "Travertine"),
            ],
            path: "Sources/StudioCommand"),
        // What the tests in a browser look at.
        .executableTarget(
            name: "studio-sample",
            dependencies: [.product(name: "Travertine", package: "Travertine")],
            path: "Tests/Sample"),
        .testTarget(
            name: "StudioServerTests",
            dependencies: [
                "StudioPage", "StudioServer",
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
