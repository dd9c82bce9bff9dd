import GRDB
import Travertine

/// 25 properties, as Travertine's app declares them.
final class WideObject: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var i1: Int
    @Persisted var i2: Int
    @Persisted var i3: Int
    @Persisted var i4: Int
    @Persisted var i5: Int
    @Persisted var i6: Int
    @Persisted var i7: Int
    @Persisted var i8: Int
    @Persisted var i9: Int
    @Persisted var d1: Double
    @Persisted var d2: Double
    @Persisted var d3: Double
    @Persisted var d4: Double
    @Persisted var d5: Double
    @Persisted var s1: String
    @Persisted var s2: String
    @Persisted var s3: String
    @Persisted var s4: String
    @Persisted var s5: String
    @Persisted var b1: Bool
    @Persisted var b2: Bool
    @Persisted var b3: Bool
    @Persisted var t1: String?
    @Persisted var t2: String?

    /// An unmanaged object with the values of a number.
    convenience init(_ facts: WideFacts) {
        self.init()
        id = facts.id
        i1 = facts.number(0)
        i2 = facts.number(1)
        i3 = facts.number(2)
        i4 = facts.number(3)
        i5 = facts.number(4)
        i6 = facts.number(5)
        i7 = facts.number(6)
        i8 = facts.number(7)
        i9 = facts.number(8)
        d1 = Double(facts.number(9)) / 8
        d2 = Double(facts.number(10)) / 8
        d3 = Double(facts.number(11)) / 8
        d4 = Double(facts.number(12)) / 8
        d5 = Double(facts.number(13)) / 8
        s1 = facts.text(14)
        s2 = facts.text(15)
        s3 = facts.text(16)
        s4 = facts.text(17)
        s5 = facts.text(18)
        b1 = facts.number(19) & 1 == 1
        b2 = facts.number(20) & 1 == 1
        b3 = facts.number(21) & 1 == 1
        t1 = facts.number(22) & 1 == 1 ? nil : facts.text(22)
        t2 = facts.number(23) & 1 == 1 ? nil : facts.text(23)
    }
}

/// The same as GRDB's record, decoded by hand.
struct WideRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "wide"
    /// The columns after `id`, with their types in SQL.
    static let columns: [(name: String, type: Database.ColumnType, isOptional: Bool)] = [
        ("i1", .integer, false),
        ("i2", .integer, false),
        ("i3", .integer, false),
        ("i4", .integer, false),
        ("i5", .integer, false),
        ("i6", .integer, false),
        ("i7", .integer, false),
        ("i8", .integer, false),
        ("i9", .integer, false),
        ("d1", .double, false),
        ("d2", .double, false),
        ("d3", .double, false),
        ("d4", .double, false),
        ("d5", .double, false),
        ("s1", .text, false),
        ("s2", .text, false),
        ("s3", .text, false),
        ("s4", .text, false),
        ("s5", .text, false),
        ("b1", .boolean, false),
        ("b2", .boolean, false),
        ("b3", .boolean, false),
        ("t1", .text, true),
        ("t2", .text, true),
    ]

    var id: Int64
    var i1: Int
    var i2: Int
    var i3: Int
    var i4: Int
    var i5: Int
    var i6: Int
    var i7: Int
    var i8: Int
    var i9: Int
    var d1: Double
    var d2: Double
    var d3: Double
    var d4: Double
    var d5: Double
    var s1: String
    var s2: String
    var s3: String
    var s4: String
    var s5: String
    var b1: Bool
    var b2: Bool
    var b3: Bool
    var t1: String?
    var t2: String?

    init(_ facts: WideFacts) {
        id = Int64(facts.id)
        i1 = facts.number(0)
        i2 = facts.number(1)
        i3 = facts.number(2)
        i4 = facts.number(3)
        i5 = facts.number(4)
        i6 = facts.number(5)
        i7 = facts.number(6)
        i8 = facts.number(7)
        i9 = facts.number(8)
        d1 = Double(facts.number(9)) / 8
        d2 = Double(facts.number(10)) / 8
        d3 = Double(facts.number(11)) / 8
        d4 = Double(facts.number(12)) / 8
        d5 = Double(facts.number(13)) / 8
        s1 = facts.text(14)
        s2 = facts.text(15)
        s3 = facts.text(16)
        s4 = facts.text(17)
        s5 = facts.text(18)
        b1 = facts.number(19) & 1 == 1
        b2 = facts.number(20) & 1 == 1
        b3 = facts.number(21) & 1 == 1
        t1 = facts.number(22) & 1 == 1 ? nil : facts.text(22)
        t2 = facts.number(23) & 1 == 1 ? nil : facts.text(23)
    }

    init(row: Row) throws {
        id = row[0]
        i1 = row[1]
        i2 = row[2]
        i3 = row[3]
        i4 = row[4]
        i5 = row[5]
        i6 = row[6]
        i7 = row[7]
        i8 = row[8]
        i9 = row[9]
        d1 = row[10]
        d2 = row[11]
        d3 = row[12]
        d4 = row[13]
        d5 = row[14]
        s1 = row[15]
        s2 = row[16]
        s3 = row[17]
        s4 = row[18]
        s5 = row[19]
        b1 = row[20]
        b2 = row[21]
        b3 = row[22]
        t1 = row[23]
        t2 = row[24]
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["i1"] = i1
        container["i2"] = i2
        container["i3"] = i3
        container["i4"] = i4
        container["i5"] = i5
        container["i6"] = i6
        container["i7"] = i7
        container["i8"] = i8
        container["i9"] = i9
        container["d1"] = d1
        container["d2"] = d2
        container["d3"] = d3
        container["d4"] = d4
        container["d5"] = d5
        container["s1"] = s1
        container["s2"] = s2
        container["s3"] = s3
        container["s4"] = s4
        container["s5"] = s5
        container["b1"] = b1
        container["b2"] = b2
        container["b3"] = b3
        container["t1"] = t1
        container["t2"] = t2
    }

    /// All values in the order of the columns.
    var arguments: StatementArguments {
        [
            id, i1, i2, i3, i4, i5, i6, i7, i8, i9, d1, d2, d3, d4, d5, s1, s2, s3, s4, s5, b1, b2,
            b3, t1, t2,
        ]
    }
}
