import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

/// Writes the golden object stores of one schema format.
enum GoldenObjectStore {
    private static let blockByteCount = 4096

    /// Makes the folder with both stores. Fails when it is there: golden stores are never written
    /// again.
    static func make(of objects: any GoldenObjects.Type, in folder: URL) throws {
        let files = FileManager.default
        try files.createDirectory(
            at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        let directory = TemporaryDirectory()
        do {
            let realm = try objects.fill(directory)
            try realm.session.shared.store.checkpoint()
        }
        try copy(directory.url, to: folder.appendingPathComponent("closed"))
        let other = TemporaryDirectory()
        let realm = try objects.fill(other)
        try realm.session.shared.store.checkpoint()
        try objects.change(realm)
        try copy(other.url, to: folder.appendingPathComponent("crashed"))
    }

    /// Copies a store's files, segments without the zeros at their ends.
    private static func copy(_ store: URL, to target: URL) throws {
        let files = FileManager.default
        try files.createDirectory(at: target, withIntermediateDirectories: false)
        for name in try files.contentsOfDirectory(atPath: store.path) where name != "lock" {
            var bytes = try Data(contentsOf: store.appendingPathComponent(name))
            if name.hasSuffix(".segment") {
                let end = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
                let blocks = (end + blockByteCount - 1) / blockByteCount
                bytes = bytes.prefix(blocks * blockByteCount)
            }
            try bytes.write(to: target.appendingPathComponent(name))
        }
    }
}
