import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineDocuments

@Suite("Documents wait for the targets of required links")
struct HeldDocumentTests {
    private let workspace: Workspace
    private let realm: Realm
    private let importer: DocumentImporter

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm(
            "a.realm", [Deputy.self, Office.self, Seal.self, Errand.self])
        importer = try DocumentImporter(realm, type: "Deputy")
        importer.holdsDocuments = true
    }

    private func insert(_ documents: String...) throws {
        try realm.write {
            for text in documents {
                try importer.insert(extendedJSON: text)
            }
        }
    }

    private func ids() -> [Int] { realm.objects(Deputy.self).map(\._id) }

    @Test("a target that comes in a later transaction brings those that waited, in their order")
    func laterTransaction() throws {
        try insert(
            #"{"_id": 1, "chief": 3}"#, #"{"_id": 2, "chief": 1}"#, #"{"_id": 4, "chief": 4}"#)
        #expect(ids() == [4] && importer.heldCount == 2)
        try insert(#"{"_id": 5, "chief": 4}"#)
        #expect(ids() == [4, 5])
        try insert(#"{"_id": 3, "chief": 4}"#)
        #expect(ids() == [1, 2, 3, 4, 5] && importer.heldCount == 0)
        #expect(realm.object(ofType: Deputy.self, forPrimaryKey: 2)?.chief?._id == 1)
        #expect(importer.insertedCount == 5 && importer.heldRefusals.isEmpty)
    }

    @Test("those that need each other are stored at the end; others are refused with their places")
    func end() throws {
        try insert(
            #"{"_id": 1, "chief": 2}"#, #"{"_id": 2, "chief": 1}"#, #"{"_id": 3, "chief": 9}"#,
            #"{"_id": 4, "chief": 3}"#, #"{"_id": 5, "chief": 2}"#)
        #expect(ids().isEmpty && importer.heldCount == 5)
        try realm.write { try importer.resolveLinks() }
        #expect(ids() == [1, 2, 5] && importer.heldCount == 0)
        #expect(realm.objects(Deputy.self).map { $0.chief?._id } == [2, 1, 2])
        #expect(
            importer.heldRefusals.map(\.description) == [
                "document 3: chief: the required link leads to a Deputy that is not there: 9",
                "document 4: chief: the required link leads to a Deputy that is not there: 3",
            ])
    }

    @Test("a later document of the same object takes the place of the one that is held")
    func overtaken() throws {
        try insert(#"{"_id": 1, "chief": 2}"#, #"{"_id": 7, "chief": 7}"#)
        try insert(#"{"_id": 1, "chief": 7}"#, #"{"_id": 2, "chief": 7}"#)
        #expect(importer.heldCount == 0)
        #expect(realm.object(ofType: Deputy.self, forPrimaryKey: 1)?.chief?._id == 7)
        try insert(#"{"_id": 3, "chief": 9}"#, #"{"_id": 3, "chief": 8}"#)
        try insert(#"{"_id": 9, "chief": 7}"#)
        #expect(ids() == [1, 2, 7, 9] && importer.heldCount == 1)
        try insert(#"{"_id": 8, "chief": 7}"#)
        #expect(realm.object(ofType: Deputy.self, forPrimaryKey: 3)?.chief?._id == 8)
    }

    @Test("targets of other types are looked for at the end, embedded objects' required links too")
    func otherTypes() throws {
        let offices = try DocumentImporter(realm, type: "Office")
        offices.holdsDocuments = true
        try realm.write {
            try offices.insert(["_id": 1, "head": 5, "seal": ["keeper": 6]])
            try offices.insert(["_id": 2, "head": 5, "seal": ["keeper": 7]])
        }
        #expect(realm.objects(Office.self).isEmpty && realm.objects(Seal.self).isEmpty)
        try insert(#"{"_id": 5, "chief": 5}"#, #"{"_id": 6, "chief": 5}"#)
        try realm.write { try offices.resolveLinks() }
        let office = try #require(realm.objects(Office.self).first)
        #expect(office.head?._id == 5 && office.seal?.keeper?._id == 6)
        #expect(
            offices.heldRefusals.map(\.description) == [
                "document 2: seal.keeper: the required link leads to a Deputy that is not there: 7"
            ])
        #expect(realm.objects(Office.self).count == 1)
    }

    @Test("a held document that a unique index forbids in the end is refused with its own place")
    func unique() throws {
        try insert(
            #"{"_id": 1, "chief": 9, "desk": "a"}"#, #"{"_id": 2, "chief": 2, "desk": "a"}"#,
            #"{"_id": 9, "chief": 9}"#)
        #expect(ids() == [2, 9] && importer.heldRefusals.map(\.position) == [1])
    }

    /// Inserts documents in one transaction, leaving out those that are refused.
    private func insertSkipping(_ documents: String...) throws -> [Int] {
        var refused: [Int] = []
        try realm.write {
            for (index, text) in documents.enumerated() {
                do {
                    try importer.insert(extendedJSON: text)
                } catch is DocumentRefusal {
                    refused.append(index + 1)
                }
            }
        }
        return refused
    }

    @Test("a document that is refused does not take the place of the one that is held")
    func refusedSuccessor() throws {
        #expect(
            try insertSkipping(
                #"{"_id": 2, "chief": 2, "desk": "a"}"#, #"{"_id": 1, "chief": 3}"#,
                #"{"_id": 1, "chief": 2, "desk": "a"}"#, #"{"_id": 3, "chief": 3}"#) == [3])
        #expect(ids() == [1, 2, 3] && importer.heldCount == 0 && importer.heldRefusals.isEmpty)
        #expect(realm.object(ofType: Deputy.self, forPrimaryKey: 1)?.chief?._id == 3)
    }

    @Test("a target that is refused leaves those that wait for it held, to be refused at the end")
    func refusedTarget() throws {
        #expect(
            try insertSkipping(
                #"{"_id": 1, "chief": 9}"#, #"{"_id": 2, "chief": 2, "desk": "a"}"#,
                #"{"_id": 9, "chief": 9, "desk": "a"}"#) == [3])
        #expect(ids() == [2] && importer.heldCount == 1)
        try realm.write { try importer.resolveLinks() }
        #expect(ids() == [2] && importer.heldCount == 0)
        #expect(importer.heldRefusals.map(\.position) == [1])
    }

    @Test("of documents that need each other one is refused: with it what needs it, and no more")
    func refusedInGroup() throws {
        try insert(
            #"{"_id": 7, "chief": 7, "desk": "a"}"#, #"{"_id": 1, "chief": 2}"#,
            #"{"_id": 2, "chief": 1}"#, #"{"_id": 3, "chief": 4, "other": 1}"#,
            #"{"_id": 4, "chief": 3, "desk": "a"}"#, #"{"_id": 5, "chief": 2, "other": 1}"#,
            #"{"_id": 6, "chief": 1, "desk": "a"}"#)
        #expect(ids() == [7] && importer.heldCount == 6)
        try realm.write { try importer.resolveLinks() }
        #expect(ids() == [1, 2, 5, 7] && importer.heldCount == 0)
        #expect(importer.heldRefusals.map(\.position).sorted() == [4, 5, 7])
        #expect(importer.insertedCount == 4 && importer.unknownFields == ["other": 1])
        #expect(realm.object(ofType: Deputy.self, forPrimaryKey: 5)?.chief?._id == 2)
    }

    @Test("documents of a type without key are held by their places")
    func keyless() throws {
        let errands = try DocumentImporter(realm, type: "Errand")
        errands.holdsDocuments = true
        try realm.write {
            for (text, clerk) in [("a", 5), ("b", 6), ("c", 5)] {
                try errands.insert(["text": .string(text), "clerk": .int64(Int64(clerk))])
            }
        }
        #expect(realm.objects(Errand.self).isEmpty && errands.heldCount == 3)
        try insert(#"{"_id": 5, "chief": 5}"#)
        try realm.write { try errands.resolveLinks() }
        #expect(realm.objects(Errand.self).map(\.text) == ["a", "c"])
        #expect(errands.heldRefusals.map(\.position) == [2])
    }
}

final class Errand: HiddenObject {
    @Persisted var text: String
    @Persisted(required: true) var clerk: Deputy?
}

final class Deputy: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(required: true) var chief: Deputy?
    @Persisted var desk: String?
    override class func indexes() -> [ObjectIndex] { [ObjectIndex("desk", isUnique: true)] }
}

final class Seal: HiddenEmbeddedObject {
    @Persisted(required: true) var keeper: Deputy?
}

final class Office: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(required: true) var head: Deputy?
    @Persisted var seal: Seal?
}

extension DocumentImporter {
    /// Makes an object of a document of Extended JSON.
    fileprivate func insert(extendedJSON text: String) throws {
        var text = text
        try text.withUTF8 { try insert(extendedJSON: UnsafeRawBufferPointer($0)) }
    }
}
