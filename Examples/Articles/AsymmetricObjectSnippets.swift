import Testing
import Travertine

@Suite("Snippets: asymmetric objects")
struct AsymmetricObjectSnippets {
    class Reading: AsymmetricObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var sensor: String
        @Persisted var celsius: Double
        @Persisted var position: Position?
    }

    class Position: EmbeddedObject {
        @Persisted var latitude: Double
        @Persisted var longitude: Double
    }

    @Test("they are kept in order until a consumer acknowledges them")
    func consuming() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Reading.self, Position.self])
        try realm.write {
            realm.create(Reading.self, value: ["sensor": "roof", "celsius": 21.5])
            realm.create(
                Reading.self,
                value: [
                    "sensor": "car", "celsius": 24.0,
                    "position": ["latitude": 41.9, "longitude": 12.5],
                ])
        }
        var sent: [StoredDocument] = []
        func send(_ documents: [StoredDocument]) { sent += documents }
        var last: UInt64 = 0
        while case let entries = try realm.outbox.read(after: last, limit: 500), !entries.isEmpty {
            send(entries.map(\.document))
            last = entries.last?.sequence ?? last
            try realm.outbox.acknowledge(upTo: last)
        }
        #expect(sent.map { $0["sensor"] } == ["roof", "car"] && last == 2)
        #expect(try realm.outbox.read().isEmpty)
    }
}
