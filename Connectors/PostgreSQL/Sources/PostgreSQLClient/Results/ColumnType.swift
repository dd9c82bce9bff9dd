/// How the text of a value is read that a column of a result has.
public enum ColumnType: Hashable, Sendable {
    /// `boolean`.
    case bool
    /// `smallint`, `integer`, `bigint` and `oid`.
    case integer
    /// `real`.
    case float
    /// `double precision`.
    case double
    /// `numeric`.
    case numeric
    /// `bytea`.
    case bytes
    /// `uuid`.
    case uuid
    /// `date`, `timestamp`, which is taken for UTC, and `timestamptz`.
    case time
    /// `json` and `jsonb`.
    case json
    /// An array of such values, whose text has this character between elements.
    indirect case array(of: ColumnType, delimiter: UInt8)
    /// Anything else, as the server writes it.
    case text

    /// The type with an object identifier of PostgreSQL's catalog (`pg_type.dat`), in which its own
    /// types have fixed ones; nil for all others.
    init?(identifier: UInt32) {
        if let scalar = Self.scalars[identifier] {
            self = scalar
        } else if let element = Self.elements[identifier].flatMap({ Self.scalars[$0] }) {
            self = .array(of: element, delimiter: UInt8(ascii: ","))
        } else {
            return nil
        }
    }

    private static let scalars: [UInt32: ColumnType] = [
        16: .bool, 17: .bytes, 18: .text, 19: .text, 20: .integer, 21: .integer, 22: .text,
        23: .integer, 25: .text, 26: .integer, 30: .text, 114: .json, 142: .text, 700: .float,
        701: .double, 705: .text, 790: .text, 1042: .text, 1043: .text, 1082: .time, 1083: .text,
        1114: .time, 1184: .time, 1186: .text, 1266: .text, 1700: .numeric, 2950: .uuid,
        3802: .json,
    ]

    /// The types of the elements of arrays.
    private static let elements: [UInt32: UInt32] = [
        199: 114, 1000: 16, 1001: 17, 1003: 19, 1005: 21, 1007: 23, 1009: 25, 1014: 1042,
        1015: 1043, 1016: 20, 1021: 700, 1022: 701, 1028: 26, 1115: 1114, 1182: 1082, 1183: 1083,
        1185: 1184, 1187: 1186, 1231: 1700, 2951: 2950, 3807: 3802,
    ]
}
