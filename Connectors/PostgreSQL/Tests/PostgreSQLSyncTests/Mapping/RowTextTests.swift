import Foundation
import PostgreSQLClient
import PostgreSQLServer
import Testing
import Travertine

@testable import PostgreSQLSync

@Suite("Fields of rows")
struct RowTextTests {
    @Test("random values are the same through COPY and through INSERT")
    func equal() throws {
        let fixture = try SyncFixture()
        try fixture.connection.execute(
            """
            CREATE TEMPORARY TABLE copied (n bigint, t text, b bytea, d double precision, \
            f real, j jsonb, a text[], aj jsonb[]); CREATE TEMPORARY TABLE inserted (LIKE copied)
            """)
        var random = SeededRandom(seed: 11)
        var (copy, insert) = (CopyText(), ValuesText())
        var values = ValueWriter(policy: .refuse)
        for number in 0..<500 {
            let row = fields(Int64(number), &random)
            for (value, type) in row {
                try values.write(value, type, to: &copy)
                try values.write(value, type, to: &insert)
            }
            copy.endRow()
            insert.endRow()
        }
        try fixture.connection.copyIn("COPY copied FROM STDIN") { writer in
            try copy.bytes.withUnsafeBytes { try writer.write($0) }
        }
        try fixture.connection.execute(
            "INSERT INTO inserted VALUES " + String(decoding: insert.bytes, as: UTF8.self))
        for (one, other) in [("copied", "inserted"), ("inserted", "copied")] {
            #expect(
                try fixture.lines("SELECT * FROM \(one) EXCEPT ALL SELECT * FROM \(other)") == [])
        }
        #expect(try fixture.value("SELECT count(*) FROM copied") == "500")
    }

    private func fields(
        _ number: Int64, _ random: inout SeededRandom
    ) -> [(StoredValue, SQLType)] {
        let text = StoredValue.string(random.text())
        let elements = StoredValue.array([text, .null, .string(random.text())])
        let document = StoredValue.document([random.text(): text, "x": elements])
        let bytes = (0..<random.below(9)).map { _ in UInt8(random.below(256)) }
        return [
            (.int(number), SQLType(base: .bigint)),
            (random.chance(10) ? .null : text, SQLType(base: .text)),
            (.data(Data(bytes)), SQLType(base: .bytea)),
            (.double(Double(bitPattern: random.next())), SQLType(base: .double)),
            (
                .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))),
                SQLType(base: .real)
            ),
            (document, SQLType(base: .jsonb)),
            (elements, SQLType(base: .text, isArray: true)),
            (.array([document, .null, text]), SQLType(base: .jsonb, isArray: true)),
        ]
    }

    @Test("a value that its column is not for is refused")
    func mismatched() {
        var (copy, values) = (CopyText(), ValueWriter(policy: .refuse))
        #expect(throws: MismatchedValue.self) {
            try values.write(.string("x"), SQLType(base: .bigint), to: &copy)
        }
    }
}
