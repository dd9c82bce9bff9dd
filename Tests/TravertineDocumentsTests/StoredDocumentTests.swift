import Foundation
import Testing
import Travertine
import TravertineDocuments

@Suite("Documents of stored objects")
struct StoredDocumentTests {
    @Test("every value becomes the BSON value of its type, in the same order")
    func values() throws {
        let id = ObjectId.generate()
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 1.5)
        let stored: StoredDocument = [
            "_id": .objectId(id), "count": 7, "isOpen": true, "half": .float(0.5), "pi": 3.25,
            "text": "a", "bytes": .data(Data([1, 2])), "since": .date(date), "none": nil,
            "price": .decimal128(Decimal128(12)), "uuid": .uuid(uuid), "list": [1, nil, "b"],
            "place": ["type": "Point"], "owner": .link(type: "Person", key: "P1"),
        ]
        let document = Document(stored)
        #expect(document.map(\.key) == stored.fields.map(\.name))
        let expected: Document = [
            "_id": .objectId(id), "count": .int64(7), "isOpen": true, "half": 0.5, "pi": 3.25,
            "text": "a", "bytes": .binary(Data([1, 2])), "since": .datetime(date), "none": .null,
            "price": .decimal128(Decimal128(12)), "uuid": .uuid(uuid),
            "list": .array([.int64(1), .null, "b"]), "place": ["type": "Point"],
            "owner": ["$ref": "Person", "$id": "P1"],
        ]
        #expect(document == expected)
        guard case .document(let reference)? = document["owner"] else {
            Issue.record("a link is a document")
            return
        }
        #expect(DBRef(reference)?.collection == "Person")
        #expect(try !document.bson().isEmpty)
    }
}
