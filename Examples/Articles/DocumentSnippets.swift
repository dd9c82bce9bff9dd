import Foundation
import Testing
import Travertine
import TravertineDocuments

@Suite("Snippets: documents")
struct DocumentSnippets {
    class Reading: AsymmetricObject {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var sensor: String
        @Persisted var celsius: Double
    }

    class Dog: Object {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted var name: String
        @Persisted var mother: Dog?
    }

    struct City: Codable, Equatable {
        var _id: ObjectId
        var name: String
        var population: Int
    }

    @Test("documents are made, looked into, written and read")
    func documents() throws {
        var city: Document = ["name": "Ouagadougou", "population": 2_415_266]
        city["twins"] = ["Lyon", "Bordeaux"]
        city["mayor"] = .null
        assert(city.keys == ["name", "population", "twins", "mayor"])
        assert(city.value(at: "twins.1")?.stringValue == "Bordeaux")
        city["mayor"] = nil  // takes the name away
        #expect(city.count == 3)
        let bytes = try city.bson()
        let fromBSON = try Document(bson: bytes)

        let relaxed = try city.extendedJSON()
        let canonical = try city.extendedJSON(.canonical)
        let fromJSON = try Document(extendedJSON: canonical)
        assert(fromBSON == city && fromJSON == city)
        let expectedRelaxed = """
            {"name":"Ouagadougou","population":2415266,"twins":["Lyon","Bordeaux"]}
            """
        let expectedCanonical = """
            {"name":"Ouagadougou","population":{"$numberInt":"2415266"},"twins":["Lyon","Bordeaux"]}
            """
        #expect(relaxed == expectedRelaxed && canonical == expectedCanonical)
        do {
            _ = try Document(extendedJSON: "{\"name\": \"Lyon\",}")
        } catch {
            print(error)  // says what is wrong, with line, column and byte
        }
        let error = #expect(throws: DocumentError.self) {
            try Document(extendedJSON: "{\"name\": \"Lyon\",}")
        }
        #expect(error.map { "\($0)".contains("line 1, column 17") } == true, "\(error as Any)")
    }

    @Test("a stream gives one document after the other and goes on after a bad line")
    func stream() throws {
        let lines = "{\"_id\": 1}\n{\"_id\": oops}\n{\"_id\": 3}\n"
        var pieces = [Array(lines.utf8)].makeIterator()
        var stream = DocumentStream(.extendedJSON) { pieces.next() ?? [] }
        var keys: [Int] = []
        var errors: [DocumentError] = []
        var isAtEnd = false
        while !isAtEnd {
            do {
                let document = try stream.next()
                if let key = document?["_id"]?.intValue { keys.append(key) }
                isAtEnd = document == nil
            } catch let error as DocumentError {
                errors.append(error)
            }
        }
        #expect(keys == [1, 3] && errors.count == 1 && stream.documentCount == 3)
    }

    @Test("Codable values become documents and come back")
    func coding() throws {
        let lyon = City(_id: .generate(), name: "Lyon", population: 522_250)
        let document = try DocumentEncoder().encode(lyon)
        let again = try DocumentDecoder().decode(City.self, from: document)
        #expect(again == lyon && document["_id"]?.objectIdValue == lyon._id)
    }

    @Test("documents become objects, and objects documents")
    func objects() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Dog.self])
        let text = """
            {"_id": 1, "name": "Rex", "mother": 2}
            {"_id": 2, "name": "Bella", "mother": null}
            {"_id": 3}
            """
        var documents = DocumentStream(.extendedJSON, Array(text.utf8))
        let importer = try DocumentImporter(realm, type: "Dog")
        try realm.write {
            var isAtEnd = false
            while !isAtEnd {
                do {
                    isAtEnd = try !documents.next(into: importer)
                } catch let refusal as DocumentRefusal {
                    print(documents.documentCount, refusal)  // 3, and that the name is missing
                }
            }
        }
        let rex = realm.object(ofType: Dog.self, forPrimaryKey: 1)
        assert(rex?.mother?.name == "Bella" && importer.insertedCount == 2)
        #expect(realm.objects(Dog.self).count == 2 && documents.documentCount == 3)
        let exporter = try DocumentExporter(realm, type: "Dog")
        var exported: [UInt8] = []
        try exporter.export(as: .extendedJSON(.relaxed)) { bytes, _ in exported += bytes }
        let lines = String(decoding: exported, as: UTF8.self).split(separator: "\n")
        let expected = [
            #"{"_id":1,"name":"Rex","mother":2}"#, #"{"_id":2,"name":"Bella","mother":null}"#,
        ]
        #expect(lines.map { String($0) } == expected)
    }

    @Test("documents are checked without being imported")
    func checking() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Dog.self])
        let text = """
            {"_id": 1, "name": "Rex", "mother": 2}
            {"_id": 3}
            """
        var unchecked = DocumentStream(.extendedJSON, Array(text.utf8))
        let checker = try DocumentChecker(realm, type: "Dog")
        realm.beginWrite()
        while let document = try unchecked.next() {
            let problems = try checker.check(document)
            if !problems.isEmpty { print(unchecked.documentCount, problems) }
        }
        print(try checker.finish())  // documents whose required links lead nowhere
        realm.cancelWrite()
        realm.beginWrite()
        defer { realm.cancelWrite() }
        #expect(checker.documentCount == 2 && realm.objects(Dog.self).isEmpty)
        #expect(try checker.check(["_id": 3]).map(\.path) == ["name", "_id"])
    }

    @Test("asymmetric objects come out as documents")
    func asymmetric() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Reading.self])
        try realm.write {
            realm.create(Reading.self, value: ["_id": 1, "sensor": "roof", "celsius": 21.5])
        }
        for entry in try realm.outbox.read() {
            print(entry.type, try Document(entry.document).extendedJSON())
        }
        let lines = try realm.outbox.read().map { try Document($0.document).extendedJSON() }
        #expect(lines == ["{\"_id\":1,\"sensor\":\"roof\",\"celsius\":21.5}"])
    }
}
