// swift-tools-version: 6.2
import PackageDescription

/// `Tools/test --thread-sanitizer` sets it: locks are then ones that the sanitizer sees. Nothing else
/// is different, and without it the library has no trace of them.
let isForThreadSanitizer = Context.environment["TRAVERTINE_TSAN"] != nil
let locks: [Target.Dependency] = isForThreadSanitizer ? ["VisibleLocks"] : []
let locksSettings: [SwiftSetting] = isForThreadSanitizer ? [.define("TRAVERTINE_TSAN")] : []

/// The layers of the library: a target depends only on targets above it in this list.
let layers: [Target] = [
    .systemLibrary(
        name: "CLZ4", pkgConfig: "liblz4",
        providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "CPlatform"),
    .target(
        name: "SegmentLog", dependencies: ["CLZ4", "CPlatform"] + locks,
        swiftSettings: locksSettings),
    .target(
        name: "OrderedIndex", dependencies: ["CPlatform"] + locks, swiftSettings: locksSettings),
    .target(
        name: "TravertineStore", dependencies: ["CPlatform", "OrderedIndex", "SegmentLog"] + locks,
        swiftSettings: locksSettings),
    .target(name: "Travertine", dependencies: ["CPlatform", "TravertineStore"]),
    .target(name: "RealmSwift", dependencies: ["Travertine"]),
    .target(name: "TravertineDocuments", dependencies: ["Travertine"]),
]

/// What tests share, and the programs that they start.
let testSupport: [Target] = [
    .target(
        name: "SimulatedDisk", dependencies: ["SegmentLog"] + locks, path: "Tests/SimulatedDisk",
        swiftSettings: locksSettings),
    .target(
        name: "StoreWorkload", dependencies: ["TravertineStore"], path: "Tests/StoreWorkload"),
    .target(
        name: "StoreSimulation",
        dependencies: ["SegmentLog", "SimulatedDisk", "StoreWorkload", "TravertineStore"],
        path: "Tests/StoreSimulation"),
    .executableTarget(
        name: "store-simulator", dependencies: ["StoreSimulation"], path: "Tests/StoreSimulator"),
    .executableTarget(
        name: "store-crash-writer", dependencies: ["StoreWorkload", "TravertineStore"],
        path: "Tests/StoreCrashWriter"),
]

let tests: [Target] = [
    .testTarget(name: "CPlatformTests", dependencies: ["CPlatform"]),
    .testTarget(
        name: "SegmentLogTests",
        dependencies: ["CPlatform", "SegmentLog", "SimulatedDisk"] + locks,
        swiftSettings: locksSettings),
    .testTarget(name: "OrderedIndexTests", dependencies: ["CPlatform", "OrderedIndex"]),
    .testTarget(
        name: "TravertineStoreTests",
        dependencies: [
            "SegmentLog", "SimulatedDisk", "StoreSimulation", "StoreWorkload", "TravertineStore",
            "store-crash-writer",
        ] + locks,
        exclude: ["Golden"], swiftSettings: locksSettings),
    .testTarget(
        name: "TravertineTests",
        dependencies: ["RealmSwift", "Travertine", "TravertineStore", "store-crash-writer"],
        exclude: ["Decimals", "Golden"]),
    .testTarget(
        name: "TravertineDocumentsTests",
        dependencies: ["RealmSwift", "Travertine", "TravertineDocuments"],
        exclude: ["Guide", "Models", "Python", "Schemas"]),
]

let package = Package(
    name: "Travertine",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Travertine", targets: ["Travertine"]),
        .library(name: "TravertineStore", targets: ["TravertineStore"]),
        .library(name: "RealmSwift", targets: ["RealmSwift"]),
        .library(name: "TravertineDocuments", targets: ["TravertineDocuments"]),
    ],
    targets: layers + testSupport + tests
        + (isForThreadSanitizer
            ? [.target(name: "VisibleLocks", path: "Tests/VisibleLocks")] : []),
    swiftLanguageModes: [.v6]
)
