import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// What the server has of values of all types.
@Suite("Values of properties on the server")
struct ValueTests {
    /// The tables are filled by COPY and, in another schema, by INSERT, and are the same.
    private func filled(
        _ change: (inout MappingOptions) -> Void = { _ in }
    ) throws -> SyncFixture {
        let fixture = try SyncFixture()
        change(&fixture.options.mapping)
        let realm = try fixture.open(ValueModels.types)
        try fixture.sync(realm)
        try ValueModels.fill(realm)
        try fixture.sync(realm)
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
        return fixture
    }

    @Test("COPY and INSERT give the same tables with all options, and deletions empty them")
    func options() throws {
        var objectIds = MappingOptions.ObjectIds.text
        for collections in MappingOptions.Collections.allCases {
            for embedded in MappingOptions.Embedded.allCases {
                objectIds = objectIds == .text ? .bytea : .text
                let fixture = try SyncFixture()
                fixture.options.mapping.collections = collections
                fixture.options.mapping.embedded = embedded
                fixture.options.mapping.objectIds = objectIds
                let realm = try fixture.open(ValueModels.types)
                try ValueModels.fill(realm)
                try fixture.sync(realm)
                try realm.write {
                    realm.objects(Collected.self)[0].texts.removeAll()
                    for object in realm.objects(Linking.self) { object.bares.removeAll() }
                    for object in realm.objects(Owning.self) { object.places.removeAll() }
                }
                try fixture.sync(realm)
                #expect(
                    try fixture.differencesFromFreshCopy(realm) == [],
                    "\(collections) \(embedded) \(objectIds)")
                try realm.write { realm.deleteAll() }
                try fixture.sync(realm)
                for table in try fixture.tables() where !table.hasPrefix("Measured") {
                    #expect(try fixture.value("SELECT count(*) FROM \"\(table)\"") == "0")
                }
            }
        }
    }

    @Test("single values of all types arrive as they are")
    func singles() throws {
        let fixture = try filled()
        #expect(
            try fixture.lines(
                "SELECT id, tiny, small, medium, large, flag, float, double, \"decimal\", uuid, "
                    + "\"objectId\", \"any\", data, date FROM \"Everything\"") == [
                    "-7 -128 32767 -2147483648 9223372036854775807 t 1.5 -0.1 -12.50 "
                        + "01020304-0506-0708-090a-0b0c0d0e0faf 0102030405060708090a0b0c "
                        + #""any \"\\ text" \x00275cff 2001-01-01 00:00:00.25+00"#
                ])
        #expect(try fixture.value("SELECT text FROM \"Everything\"") == ValueModels.text)
        #expect(
            try fixture.lines(
                "SELECT number, flag, text, data, date, float, double, \"decimal\", uuid, "
                    + "\"objectId\" FROM \"Optionals\"") == [
                    Array(repeating: "null", count: 10).joined(separator: " ")
                ])
    }

    @Test("an ObjectId is text or 12 bytes, as the options say")
    func objectIds() throws {
        let fixture = try filled { $0.objectIds = .bytea }
        let digits = "\\x0102030405060708090a0b0c"
        #expect(try fixture.value("SELECT \"objectId\" FROM \"Everything\"") == digits)
        #expect(
            try fixture.lines("SELECT identified FROM \"Linking\" ORDER BY 1") == [digits, "null"])
        #expect(
            try fixture.lines("SELECT DISTINCT \"Collected_id\" FROM \"Collected_numbers\"")
                == [digits])
    }

    @Test("a link is the key of its target, and can be joined with it")
    func links() throws {
        let fixture = try filled()
        #expect(
            try fixture.lines(
                """
                SELECT l.text, l.number, l.identified, l.animal, b.note FROM "Linking" l \
                JOIN "BareTarget" b ON b._key = l.bare
                """) == [
                    "it's -3 0102030405060708090a0b0c {\"key\": \"gull\", \"type\": \"Bird\"} b"
                ])
        #expect(
            try fixture.lines(
                "SELECT text, number, bare, animal FROM \"Linking\" WHERE text IS NULL")
                == ["null null null null"])
        #expect(
            try fixture.lines("SELECT position, value FROM \"Linking_texts\" ORDER BY 1")
                == ["0 it's", "1 it's"])
        #expect(
            try fixture.lines("SELECT position, value FROM \"Linking_animals\" ORDER BY 1")
                == ["0 \"cat\"", "1 {\"key\": \"gull\", \"type\": \"Bird\"}"])
        #expect(
            try fixture.lines("SELECT named FROM \"Linking\" WHERE text IS NOT NULL")
                == ["{\"t\": \"it's\", \"none\": null}"])
    }

    @Test("elements of lists and sets are rows, with their positions, nulls among them")
    func tables() throws {
        let fixture = try filled()
        func values(_ name: String) throws -> [String] {
            try fixture.lines("SELECT value FROM \"Collected_\(name)\" ORDER BY position")
        }
        #expect(try values("numbers") == ["3", "null", "-1"])
        #expect(try values("flags") == ["t", "null", "f"])
        #expect(try values("texts") == ["", "null", "null", "NULL", ValueModels.text, "{a,\"b\"}"])
        #expect(try values("blobs") == ["\\x", "null", "\\x5c2200"])
        #expect(try values("dates") == ["2001-01-01 00:00:00+00", "null"])
        #expect(try values("floats") == ["1.5", "null", "NaN", "-Infinity"])
        #expect(try values("doubles") == ["0.1", "null", "Infinity", "-0"])
        #expect(try values("decimals") == ["1.50", "null", "1000"])
        #expect(try values("numberSet").sorted() == ["1", "2", "null"])
        #expect(try values("anySet").sorted() == ["\"a\"", "1", "null"])
        #expect(try values("anything").last == "[1, null, {\"k \\\"\": [false]}]")
        #expect(
            try values("anything").prefix(6) == ["null", "-5", "true", "1.5", "-2.25", "\"inf\""])
        #expect(
            try values("anything").dropFirst(7).dropLast() == [
                "\"AAk=\"", "\"2001-01-01 00:00:00.500000+00\"", "\"0102030405060708090a0b0c\"",
                "1.50", "\"01020304-0506-0708-090a-0b0c0d0e0faf\"",
            ])
        #expect(
            try fixture.value("SELECT \"textMap\" ->> 'quote \" and \\' FROM \"Collected\"")
                == ValueModels.text)
    }

    @Test("elements are an array, where the options ask for it")
    func arrays() throws {
        let fixture = try filled { $0.collections = .arrays }
        #expect(
            try fixture.lines(
                "SELECT numbers, flags, floats, doubles, decimals, \"numberSet\", \"blobs\" "
                    + "FROM \"Collected\"") == [
                    "{3,NULL,-1} {t,NULL,f} {1.5,NULL,NaN,-Infinity} {0.1,NULL,Infinity,-0} "
                        + "{1.50,NULL,1000} {NULL,1,2} "
                        + #"{"\\x",NULL,"\\x5c2200"}"#
                ])
        #expect(
            try fixture.lines("SELECT t FROM \"Collected\", unnest(texts) t")
                == ["", "null", "null", "NULL", ValueModels.text, "{a,\"b\"}"])
        #expect(
            try fixture.lines("SELECT numbers, bares FROM \"Linking\" ORDER BY text").last
                == "{} {}")
        #expect(
            try fixture.lines(
                "SELECT p ->> 'name' FROM \"Owning\", jsonb_array_elements(places) p")
                == ["A", "B \"q\""])
    }

    @Test("elements are a JSON array, where the options ask for it")
    func json() throws {
        let fixture = try filled { ($0.collections, $0.embedded) = (.jsonb, .jsonb) }
        #expect(
            try fixture.lines("SELECT numbers, doubles FROM \"Collected\"")
                == ["[3, null, -1] [0.1, null, \"inf\", 0.0]"])
        #expect(
            try fixture.value("SELECT home FROM \"Owning\" WHERE home IS NOT NULL") == """
                {"name": "Porto", "codes": ["x", "y"], "since": null, "country": \
                {"name": "PT", "cities": ["Lisboa"]}}
                """)
    }

    @Test("an embedded object is columns, as deep as its types go, and null where there is none")
    func embedded() throws {
        let fixture = try filled()
        #expect(
            try fixture.columns("Owning") == [
                "_key", "home_name", "home_since", "home_country_name", "named",
            ])
        #expect(
            try fixture.lines(
                "SELECT home_name, home_country_name FROM \"Owning\" ORDER BY 1")
                == ["Porto PT", "null null"])
        #expect(
            try fixture.lines("SELECT value FROM \"Owning_home_country_cities\"") == ["Lisboa"])
        #expect(
            try fixture.lines("SELECT value FROM \"Owning_home_codes\" ORDER BY position")
                == ["x", "y"])
        #expect(
            try fixture.lines("SELECT value ->> 'name' FROM \"Owning_places\" ORDER BY position")
                == ["A", "B \"q\""])
    }

    @Test("stored names are the names of tables and columns")
    func names() throws {
        let fixture = try filled()
        #expect(
            try fixture.lines("SELECT \"the key\", \"Nr.\" FROM \"stored things\"") == ["k 4"])
        #expect(
            try fixture.lines("SELECT \"stored things_the key\", value FROM \"stored things_m\"")
                == ["k 5", "k 6"])
    }

    @Test("asymmetric objects arrive, with what they own")
    func asymmetric() throws {
        let fixture = try filled()
        #expect(
            try fixture.lines("SELECT celsius, place_name FROM \"Measured\"") == ["1.5 null"])
        #expect(
            try fixture.lines("SELECT value FROM \"Measured_notes\" ORDER BY position")
                == ["a", "b"])
    }
}
