// swift-tools-version: 6.2
import PackageDescription

// A separate package, because it needs unsafe flags, which nobody can depend on. `Layers` is a link
// to the library's sources: they are compiled here once more, with counters of coverage and the
// address sanitizer, and as parts of this package, so that the fuzzers reach what is not public.
let sanitizers = "-sanitize=fuzzer,address"
let swiftSettings: [SwiftSetting] = [
    // Optimised, but with the assertions.
    .unsafeFlags([sanitizers, "-parse-as-library", "-enable-testing", "-assert-config", "Debug"])
]

let layers: [Target] = [
    .systemLibrary(
        name: "CLZ4", path: "Layers/CLZ4", pkgConfig: "liblz4",
        providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(
        name: "CPlatform", path: "Layers/CPlatform",
        cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]),
    .target(name: "Locks", path: "Layers/Locks", swiftSettings: swiftSettings),
    .target(
        name: "SegmentLog", dependencies: ["CLZ4", "CPlatform", "Locks"],
        path: "Layers/SegmentLog", swiftSettings: swiftSettings),
    .target(
        name: "OrderedIndex", dependencies: ["CPlatform", "Locks"], path: "Layers/OrderedIndex",
        swiftSettings: swiftSettings),
    .target(
        name: "TravertineJSON", path: "Layers/TravertineJSON", swiftSettings: swiftSettings),
    .target(
        name: "TravertineStore",
        dependencies: ["CPlatform", "Locks", "OrderedIndex", "SegmentLog"],
        path: "Layers/TravertineStore", swiftSettings: swiftSettings),
    .target(
        name: "StoreMaintenance",
        dependencies: [
            "CPlatform", "OrderedIndex", "SegmentLog", "TravertineJSON", "TravertineStore",
        ],
        path: "Layers/StoreMaintenance", swiftSettings: swiftSettings),
    .target(
        name: "Travertine",
        dependencies: ["CPlatform", "Locks", "StoreMaintenance", "TravertineStore"],
        path: "Layers/Travertine", swiftSettings: swiftSettings),
    .target(
        name: "TravertineDocuments", dependencies: ["Travertine", "TravertineJSON"],
        path: "Layers/TravertineDocuments", swiftSettings: swiftSettings),
]

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    targets: layers + [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CPlatform", "OrderedIndex", "SegmentLog", "StoreMaintenance", "Travertine",
                "TravertineDocuments", "TravertineStore",
            ],
            swiftSettings: swiftSettings,
            linkerSettings: [.unsafeFlags([sanitizers])])
    ],
    swiftLanguageModes: [.v6]
)
