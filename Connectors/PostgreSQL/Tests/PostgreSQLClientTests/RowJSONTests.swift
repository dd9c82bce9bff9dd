import Foundation
import PostgreSQLClient
import Testing

/// Rows of a query as JSON, in the three forms.
struct RowJSONTests {
    private let connection: Connection

    init() throws {
        connection = try SharedServer.connect()
        try connection.execute("SET timezone = 'UTC'")
    }

    /// The lines that a query's rows become.
    private func lines(_ query: String, _ form: RowJSON.Form) throws -> [String] {
        let statement = try connection.prepare(query)
        let rows = try RowJSON(connection.columns(of: statement), form: form)
        var bytes: [UInt8] = []
        try connection.forEachRow(of: statement) { try rows.append($0, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The value that an expression becomes.
    private func value(_ expression: String, _ form: RowJSON.Form = .objects) throws -> String {
        let line = try #require(try lines("SELECT \(expression) AS v", form).first)
        return String(line.dropFirst(5).dropLast())
    }

    /// Why an expression has no value.
    private func refusal(
        _ expression: String, _ form: RowJSON.Form = .objects
    ) throws -> String {
        try "\(#require(throws: RowJSON.Failure.self) { try value(expression, form) })"
    }

    @Test func aRowIsAnObjectWithItsColumnsInOrder() throws {
        let query =
            #"SELECT i AS "the \ ""key"" "#
            + #"", i * 2 AS b, NULL::text AS n FROM generate_series(1, 3) i"#
        #expect(
            try lines(query, .plain)
                == (1...3).map { #"{"the \\ \"key\" ":\#($0),"b":\#($0 * 2),"n":null}"# })
        #expect(try lines("SELECT 1 AS a WHERE false", .plain).isEmpty)
    }

    @Test func valuesThatJSONHasAreThoseOfJSON() throws {
        for form in RowJSON.Form.allCases {
            #expect(try value("9223372036854775807", form) == "9223372036854775807")
            #expect(try value("(-32768)::smallint", form) == "-32768")
            #expect(try value("true", form) == "true")
            #expect(try value("1 = 2", form) == "false")
            #expect(try value("1::float8", form) == "1.0")
            #expect(try value("0.1::float8", form) == "0.1")
            #expect(try value("1e300::float8", form) == "1e+300")
            #expect(try value("'-0'::float8", form) == "-0.0")
            // What a property of type Double has of it is the number that the server has.
            #expect(try value("0.1::real", form) == "\(Double(Float(0.1)))")
            #expect(try value("NULL::uuid", form) == "null")
            #expect(
                try value(#"E'it''s \\ "q" \t\n é 🦊'"#, form)
                    == #""it's \\ \"q\" \u0009\u000a é 🦊""#)
            #expect(try value("'b'::varchar(3)", form) == #""b""#)
            #expect(try value("'1 day'::interval", form) == #""1 day""#)
            #expect(try value("'[1,2]'::int4range", form) == #""[1,3)""#)
            #expect(try value("(1, 'x')", form) == #""(1,x)""#)
        }
    }

    @Test func otherValuesAreExtendedJSONOrPlainTexts() throws {
        let uuid = "01020304-0506-0708-090a-0b0c0d0e0faf"
        for form in [RowJSON.Form.objects, .documents] {
            #expect(try value("1.50::numeric", form) == #"{"$numberDecimal":"1.50"}"#)
            #expect(try value("'NaN'::numeric", form) == #"{"$numberDecimal":"NaN"}"#)
            #expect(try value("'NaN'::float8", form) == #"{"$numberDouble":"NaN"}"#)
            #expect(try value("'-Infinity'::real", form) == #"{"$numberDouble":"-Infinity"}"#)
            #expect(try value("'\(uuid)'::uuid", form) == #"{"$uuid":"\#(uuid)"}"#)
            #expect(
                try value("'\\x00ff27'::bytea", form)
                    == #"{"$binary":{"base64":"AP8n","subType":"00"}}"#)
        }
        #expect(try value("12345678901234567890.10", .plain) == "12345678901234567890.10")
        #expect(try value("'NaN'::numeric", .plain) == #""NaN""#)
        #expect(try value("'Infinity'::float8", .plain) == #""Infinity""#)
        #expect(try value("'\(uuid)'::uuid", .plain) == #""\#(uuid)""#)
        #expect(try value("'\\x00ff27'::bytea", .plain) == #""AP8n""#)
    }

    @Test func bytesOfEachLengthAreTheirBase64() throws {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
            let digits = bytes.map { String(format: "%02x", $0) }.joined()
            #expect(
                try value("'\\x\(digits)'::bytea", .plain)
                    == "\"\(Data(bytes).base64EncodedString())\"")
        }
    }

    @Test func timesAreISO8601InUTC() throws {
        #expect(
            try value("'2026-01-02 03:04:05.123456+02'::timestamptz")
                == #""2026-01-02T01:04:05.123456Z""#)
        #expect(try value("'2026-01-02 03:04:05.5'::timestamp") == #""2026-01-02T03:04:05.5Z""#)
        #expect(try value("'2026-01-02'::date") == #""2026-01-02T00:00:00Z""#)
        #expect(try value("'0044-03-15 BC'::date") == #""-0043-03-15T00:00:00Z""#)
        #expect(try value("'0001-03-15 BC'::date") == #""0000-03-15T00:00:00Z""#)
        #expect(
            try value("'294276-12-31 23:59:59.999999+00'::timestamptz")
                == #""+294276-12-31T23:59:59.999999Z""#)
        #expect(
            try value("'2026-01-02 03:04:05.123+00'::timestamptz", .documents)
                == #"{"$date":"2026-01-02T03:04:05.123Z"}"#)
        // Milliseconds are all that documents have: others are not cut off.
        for text in ["2026-01-02 03:04:05.1234", "10000-01-01", "0044-03-15 BC"] {
            #expect(try refusal("'\(text)'::timestamp", .documents).contains("column v: "))
        }
        for form in RowJSON.Form.allCases {
            #expect(try refusal("'infinity'::timestamptz", form).contains("infinite"))
            #expect(try refusal("'-infinity'::date", form).contains("infinite"))
        }
    }

    @Test func aNumberHasAllOfItsDigitsOrIsRefused() throws {
        let digits = String(repeating: "1234567890", count: 3) + "1234"
        for text in [digits, "-0.000\(digits)", "\(digits)000000", "0.\(digits)00"] {
            #expect(try value("\(text)::numeric") == #"{"$numberDecimal":"\#(text)"}"#)
        }
        #expect(try refusal("\(digits)5::numeric").contains("more than 34 digits"))
        #expect(try refusal("1.\(digits)::numeric", .documents).contains("more than 34 digits"))
        #expect(try value("\(digits)5::numeric", .plain) == "\(digits)5")
    }

    @Test func jsonStaysWhatItIsOnOneLine() throws {
        #expect(
            try value(#"'{"b": [1, null], "a": "\n"}'::jsonb"#)
                == #"{"a": "\n", "b": [1, null]}"#)
        #expect(try value("E'{\\n\"a\":\\r\\n1}'::json") == #"{ "a":  1}"#)
        #expect(try value(#"ARRAY['{"a": "x,}"}'::jsonb, NULL]"#) == #"[{"a": "x,}"},null]"#)
    }

    @Test func aNumberOfJSONThatADoubleWouldRoundIsADecimal() throws {
        for text in ["1", "-0.5", "0.1", "0.30000000000000004", "1e3", "12.50", "9007199254740993"]
        {
            #expect(try value("'[\(text)]'::json") == "[\(text)]")
        }
        for text in ["12345678901234567890.5", "-0.12345678901234567890", "1e-400", "1e400"] {
            #expect(try value("'[\(text)]'::json") == #"[{"$numberDecimal":"\#(text)"}]"#)
            #expect(try value("'[\(text)]'::json", .documents) == "[\(text)]")
        }
        let text = #"{"a\\":"-1.23456789012345678901","b\"":{"c":[true,null,-1]}}"#
        #expect(try value("'\(text)'::json") == text)
    }

    @Test func arraysOfAllTypesAreArrays() throws {
        #expect(try value("'{}'::int[]") == "[]")
        #expect(try value("'{3,NULL,-1}'::bigint[]") == "[3,null,-1]")
        #expect(try value("'{{1,2},{3,4}}'::int[]") == "[[1,2],[3,4]]")
        #expect(try value("'[0:1]={7,8}'::int[]") == "[7,8]")
        #expect(try value("'{t,f}'::bool[]") == "[true,false]")
        #expect(
            try value(#"ARRAY['', NULL, 'NULL', 'a,"b"\c{}', ' ']"#)
                == #"["",null,"NULL","a,\"b\"\\c{}"," "]"#)
        #expect(try value("ARRAY['2026-01-02']::date[]") == #"["2026-01-02T00:00:00Z"]"#)
        #expect(try value("ARRAY[1.5]::numeric[]") == #"[{"$numberDecimal":"1.5"}]"#)
        #expect(
            try value(#"ARRAY['\x00'::bytea]"#)
                == #"[{"$binary":{"base64":"AA==","subType":"00"}}]"#)
        #expect(
            try value("'{(1,2),(0,0);(3,4),(5,6)}'::box[]")
                == #"["(1,2),(0,0)","(5,6),(3,4)"]"#)
        try connection.execute("CREATE TYPE pg_temp.mood AS ENUM ('so so', 'null')")
        #expect(try value("ARRAY['so so', 'null']::pg_temp.mood[]") == #"["so so","null"]"#)
        #expect(try value("'null'::pg_temp.mood") == #""null""#)
    }

    @Test func columnsNeedNamesThatDiffer() throws {
        for query in ["SELECT 1 AS a, 2 AS a", "SELECT 1", "SELECT 1 AS \"$oid\""] {
            #expect(throws: RowJSON.Failure.self) { try lines(query, .objects) }
        }
        #expect(throws: RowJSON.Failure.self) { try lines("CREATE TEMP TABLE x (a int)", .plain) }
        #expect(try lines("SELECT 1 AS \"$oid\"", .plain) == [#"{"$oid":1}"#])
    }
}
