import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import StoreMaintenance
@testable import Travertine
@testable import TravertineStore

/// Object stores of earlier schema formats, kept for ever: every later version must read them.
///
/// In each folder of `Golden`, which is named after the format in the header of the schema keyspace
/// (and after what it holds, where there are several of one format), `closed` was closed cleanly,
/// and `crashed` was not and has a transaction after its newest checkpoint. `GoldenObjects…` made
/// each of them, compiled with the last code whose newest format it was; zeros at the ends of
/// segments and `lock` files are left out. A new format gets its own enum, an entry in
/// `Version.all`, and a new folder from
///
///     TRAVERTINE_MAKE_GOLDEN=schema-6 swift test --filter makeGoldenObjectStores
///
/// and the folders before it stay as they are.
@Suite("Golden object stores")
struct GoldenObjectStoreTests {
    private static let folder = ProjectFiles.url("Tests/TravertineTests/Golden")
    private static let newVersion = ProcessInfo.processInfo.environment["TRAVERTINE_MAKE_GOLDEN"]

    /// A folder of golden stores.
    struct Version: CustomTestStringConvertible, Sendable {
        var number: UInt32
        /// The version of the application's schema.
        var schemaVersion: UInt64
        var objects: any GoldenObjects.Type
        /// What the stores are of, where a format has more than one folder.
        var subject: String?

        var testDescription: String { "schema format \(number) \(subject ?? "")" }
        var folder: URL {
            let name = "schema-\(number)" + (subject.map { "-\($0)" } ?? "")
            return GoldenObjectStoreTests.folder.appendingPathComponent(name)
        }

        static let all = [
            Version(number: 1, schemaVersion: 1, objects: GoldenObjectsOfSchemaOne.self),
            Version(number: 2, schemaVersion: 0, objects: GoldenObjectsOfSchemaTwo.self),
            Version(number: 3, schemaVersion: 0, objects: GoldenObjectsOfSchemaThree.self),
            Version(number: 4, schemaVersion: 0, objects: GoldenObjectsOfSchemaFour.self),
            Version(
                number: 4, schemaVersion: 0, objects: GoldenObjectsOfPlaces.self,
                subject: "places"),
            Version(number: 5, schemaVersion: 0, objects: GoldenObjectsOfSchemaFive.self),
        ]
    }

    @Test("an object store of an earlier format that was closed is read", arguments: Version.all)
    func closed(version: Version) throws {
        let directory = try copy("closed", of: version)
        try checkFiles(directory, version)
        try read(directory, version, isChanged: false)
        try goOn(directory, version)
    }

    @Test(
        "an object store of an earlier format that was not closed is recovered",
        arguments: Version.all)
    func crashed(version: Version) throws {
        let directory = try copy("crashed", of: version)
        let realm = try directory.open(version.objects.types, version: version.schemaVersion)
        #expect(realm.store.openingReport.replayedTransactions > 0)
        try version.objects.check(realm, isChanged: true)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test(
        "an object store of an earlier format is read without its checkpoints",
        arguments: Version.all)
    func fullReplay(version: Version) throws {
        for name in ["closed", "crashed"] {
            let directory = try copy(name, of: version)
            let files = FileManager.default
            for file in try files.contentsOfDirectory(atPath: directory.url.path)
            where file.hasSuffix(".pages") {
                try files.removeItem(at: directory.url.appendingPathComponent(file))
            }
            let realm = try directory.open(version.objects.types, version: version.schemaVersion)
            // Or from the empty index, where that is one of the two checkpoints that are kept.
            let source = realm.store.openingReport.source
            #expect(source == .fullReplay || source == .previousCheckpoint)
            #expect(realm.store.openingReport.checkpointLSN == 0)
            try version.objects.check(realm, isChanged: name == "crashed")
            #expect(try realm.brokenInvariants() == [])
        }
    }

    @Test(
        "types and properties that came later are added to an object store of an earlier format",
        arguments: Version.all)
    func schemaChange(version: Version) throws {
        let directory = try copy("closed", of: version)
        let types = version.objects.types + [GoldenLatecomer.self]
        do {
            let realm = try directory.open(types, version: version.schemaVersion + 1)
            try version.objects.check(realm, isChanged: false)
            try realm.write { _ = realm.create(GoldenLatecomer.self, value: ["parts": [1, 2]]) }
        }
        let realm = try directory.open(types, version: version.schemaVersion + 1)
        #expect(realm.objects(GoldenLatecomer.self).first?.parts.map { $0 } == [1, 2])
        try version.objects.check(realm, isChanged: false)
    }

    @Test(
        "a format that this version does not know is refused, and stays", arguments: [true, false])
    func laterFormat(isReadOnly: Bool) throws {
        let version = try #require(Version.all.first)
        let directory = try copy("closed", of: version)
        do {
            let store = try Store.open(at: directory.url.path)
            let keyspace = try #require(try store.keyspace(named: StoredSchema.keyspaceName))
            var header = try #require(
                try store.snapshot().get(StoredSchema.headerKey, in: keyspace))
            header[0] = UInt8(StoredSchema.formatVersion) + 1
            try store.write { try $0.put(header, forKey: StoredSchema.headerKey, in: keyspace) }
            try store.close()
        }
        let error = try #require(throws: Realm.Error.self) {
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, readOnly: isReadOnly,
                    schemaVersion: version.schemaVersion, objectTypes: version.objects.types))
        }
        #expect(error.code == .unsupportedFileFormatVersion)
        #expect(error.message.contains("formats up to \(StoredSchema.formatVersion)"))
        #expect(try format(directory) == StoredSchema.formatVersion + 1)
    }

    // MARK: Steps

    /// A golden store is never opened itself: opening may change files.
    private func copy(_ name: String, of version: Version) throws -> TemporaryDirectory {
        let directory = TemporaryDirectory()
        try FileManager.default.copyItem(
            at: version.folder.appendingPathComponent(name), to: directory.url)
        return directory
    }

    private func checkFiles(_ directory: TemporaryDirectory, _ version: Version) throws {
        let found = try StoreVerifier.verify(path: directory.url.path, level: .deep)
        #expect(found.isSound && found.wasClosedCleanly, "\(found.findings)")
        let objects = try ObjectVerifier.verify(path: directory.url.path)
        #expect(objects.findings.isEmpty && objects.objectCount > 0, "\(objects.findings)")
        #expect(try format(directory) == version.number)
    }

    /// The format in the header of the schema keyspace.
    private func format(_ directory: TemporaryDirectory) throws -> UInt32 {
        let store = try Store.open(at: directory.url.path)
        let keyspace = try #require(try store.keyspace(named: StoredSchema.keyspaceName))
        let header = try #require(try store.snapshot().get(StoredSchema.headerKey, in: keyspace))
        try store.close()
        return header.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) }
    }

    private func read(
        _ directory: TemporaryDirectory, _ version: Version, isChanged: Bool
    ) throws {
        let realm = try directory.open(version.objects.types, version: version.schemaVersion)
        #expect(realm.store.openingReport.source == .newestCheckpoint)
        try version.objects.check(realm, isChanged: isChanged)
        #expect(try realm.brokenInvariants() == [])
    }

    /// Makes the changes that `crashed` has, by the code as it is now.
    private func goOn(_ directory: TemporaryDirectory, _ version: Version) throws {
        do {
            let realm = try directory.open(version.objects.types, version: version.schemaVersion)
            try version.objects.change(realm)
            try version.objects.check(realm, isChanged: true)
            try realm.store.compact()
        }
        try read(directory, version, isChanged: true)
        let objects = try ObjectVerifier.verify(path: directory.url.path)
        #expect(objects.findings.isEmpty, "\(objects.findings)")
    }

    // MARK: The generator

    @Test(
        "golden object stores of a new format are written",
        .enabled(if: newVersion?.hasPrefix("schema-") == true))
    func makeGoldenObjectStores() throws {
        let name = try #require(Self.newVersion)
        let version = try #require(Version.all.first { $0.folder.lastPathComponent == name })
        try GoldenObjectStore.make(of: version.objects, in: version.folder)
    }
}

class GoldenLatecomer: Object {
    @Persisted var parts: MutableSet<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
