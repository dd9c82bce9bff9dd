import Foundation
import Testing
import Travertine

@Suite("Snippets: opening a realm")
struct RealmSnippets {
    class Dog: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
    }

    @Test("realms in files and in memory, only read, copied and deleted")
    func configurations() throws {
        let temporary = SnippetDirectory()
        let directory = temporary.url
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        do {
            let configuration = Realm.Configuration(
                fileURL: directory.appendingPathComponent("dogs.realm"), objectTypes: [Dog.self])
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Dog.self, value: ["id": 1, "name": "Rex"]) }
            try realm.writeCopy(toFile: directory.appendingPathComponent("copy.realm"))
        }
        do {
            let reader = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.appendingPathComponent("dogs.realm"), readOnly: true,
                    objectTypes: [Dog.self]))
            #expect(reader.objects(Dog.self).map(\.name) == ["Rex"])
            #expect(throws: Realm.Error.self) { try reader.write {} }
        }
        do {
            let scratch = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "scratch", objectTypes: [Dog.self]))
            #expect(scratch.isEmpty)
        }
        do {
            let seeded = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.appendingPathComponent("mine.realm"),
                    objectTypes: [Dog.self],
                    seedFilePath: directory.appendingPathComponent("copy.realm")))
            #expect(seeded.objects(Dog.self).count == 1)
        }
        let copy = Realm.Configuration(fileURL: directory.appendingPathComponent("copy.realm"))
        if Realm.fileExists(for: copy) {
            try Realm.deleteFiles(for: copy)
        }
        #expect(!Realm.fileExists(for: copy))
    }

    @Test("an error says what happened, and what to do")
    func errors() throws {
        let temporary = SnippetDirectory()
        let directory = temporary.url
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent("notes.txt")
        try Data("no realm".utf8).write(to: file)
        do {
            _ = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: []))
        } catch let error as Realm.Error {
            print(error.code, error.message)
        }
        #expect(throws: Realm.Error.self) {
            try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: []))
        }
    }
}
