import RealmSwift
import TestSupport
import Testing

@Suite("Descriptions of schemas")
struct SchemaDescriptionTests {
    @Test("links and linking objects name their class and origin, as RealmSwift prints them")
    func links() {
        #expect(
            Described().objectSchema.description == """
                Described {
                \tlink {
                \t\ttype = object;
                \t\tobjectClassName = Described;
                \t\tlinkOriginPropertyName = (null);
                \t\tcolumnName = next;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = NO;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = YES;
                \t}
                \tbefore {
                \t\ttype = linking objects;
                \t\tobjectClassName = Described;
                \t\tlinkOriginPropertyName = link;
                \t\tcolumnName = before;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = YES;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = NO;
                \t}
                }
                """)
        #expect(Described().objectSchema["before"]?.type == .linkingObjects)
        #expect(Described().objectSchema.properties.map(\.name) == ["link"])
    }

    @Test("a realm's schema has every type in the order of the names")
    func schema() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Tag.self, Described.self])
        #expect(realm.schema.description.hasPrefix("Schema {\n\tDescribed {\n\t\tlink {"))
        #expect(realm.schema.description.hasSuffix("\t}\n}"))
        #expect(realm.schema.objectSchema.map(\.className) == ["Described", "Tag"])
        #expect(realm.schema == realm.schema && realm.schema["Other"] == nil)
        #expect(PropertyType.allCases.map(\.rawValue) == Array(0...12))
    }
}

class Described: Object {
    override class func propertiesMapping() -> [String: String] { ["link": "next"] }
    @Persisted var link: Described?
    @Persisted(originProperty: "link") var before: LinkingObjects<Described>
}
