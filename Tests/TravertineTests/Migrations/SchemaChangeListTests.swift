import TestSupport
import Testing

@testable import Travertine

@Suite("What opening would change")
struct SchemaChangeListTests {
    @Test("each change has what it needs, and nothing is changed")
    func changes() throws {
        let (old, new) = (MigratedRealm(), MigratedRealm())
        try old.open(Before.types, version: 0) { before in
            try Before.fill(before)
            try new.open(After.types, version: 0) { after in
                let changes = before.schemaChanges(to: after.schema.objectSchema)
                func need(_ type: String, _ property: String?) -> SchemaChange.Need? {
                    changes.first { $0.typeName == type && $0.propertyName == property }?.need
                }
                #expect(need("Person", "id") == .step && need("Person", "age") == .step)
                #expect(need("Person", "friend") == nil && need("Person", "house") == .version)
                // A list of texts that is removed beside one that is added may be renamed.
                #expect(need("Person", "tags") == .step && need("Person", "firstName") == .step)
                #expect(need("Dog", "age") == .version && need("Dog", "born") == .version)
                #expect(need("Draft", nil) == .nothing && need("Dog", "name") == nil)
                #expect(before.schemaChanges(to: before.schema.objectSchema).isEmpty)
                #expect(
                    before.schemaChanges(
                        to: [ObjectSchema("Dog", kind: .embedded, properties: [])], areAll: false
                    ).map(\.need) == [.refused])
            }
            #expect(before.objects(Before.Person.self).count == 5)
        }
    }
}
