// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that a user of the library does not depend on swift-argument-parser.
//
// The target is not called `travertine`: on a file system that ignores case its module would be
// the same file as the module of the library `Travertine`.
let package = Package(
    name: "Tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "travertine", targets: ["TravertineCommand"])
    ],
    dependencies: [
        .package(name: "Travertine", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "TravertineCommand",
            dependencies: [
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineDocuments", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "travertine"),
        .testTarget(
            name: "TravertineCommandTests",
            dependencies: [
                "TravertineCommand",
                .product(name: "RealmSwift", package: "Travertine"),
                .product(name: "Travertine", package: "Travertine"),
                .product(name: "TravertineStore", package: "Travertine"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
