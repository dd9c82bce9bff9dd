import Foundation
import TestSupport
import Testing
import Travertine

@testable import TravertineDocuments

@Suite("Extended JSON")
struct ExtendedJSONTests {
    @Test("the two forms write each type as the specification says")
    func forms() throws {
        let cases: [(AnyBSON, String, String)] = [
            (7, #"{"$numberInt":"7"}"#, "7"),
            (.int64(7), #"{"$numberLong":"7"}"#, "7"),
            (1.0, #"{"$numberDouble":"1.0"}"#, "1.0"),
            (-0.0, #"{"$numberDouble":"-0.0"}"#, "-0.0"),
            (
                .double(.infinity), #"{"$numberDouble":"Infinity"}"#,
                #"{"$numberDouble":"Infinity"}"#
            ),
            (.decimal128("1.50"), #"{"$numberDecimal":"1.50"}"#, #"{"$numberDecimal":"1.50"}"#),
            (
                .datetime(BSONDateTime(milliseconds: 1_356_351_330_501)),
                #"{"$date":{"$numberLong":"1356351330501"}}"#,
                #"{"$date":"2012-12-24T12:15:30.501Z"}"#
            ),
            (
                .datetime(BSONDateTime(milliseconds: 1_356_351_330_000)),
                #"{"$date":{"$numberLong":"1356351330000"}}"#,
                #"{"$date":"2012-12-24T12:15:30Z"}"#
            ),
            (
                .datetime(BSONDateTime(milliseconds: -1)),
                #"{"$date":{"$numberLong":"-1"}}"#, #"{"$date":{"$numberLong":"-1"}}"#
            ),
            (
                .datetime(BSONDateTime(milliseconds: 253_402_300_800_000)),
                #"{"$date":{"$numberLong":"253402300800000"}}"#,
                #"{"$date":{"$numberLong":"253402300800000"}}"#
            ),
            (
                .datetime(BSONDateTime(milliseconds: 253_402_300_799_999)),
                #"{"$date":{"$numberLong":"253402300799999"}}"#,
                #"{"$date":"9999-12-31T23:59:59.999Z"}"#
            ),
            (.undefined, #"{"$undefined":true}"#, #"{"$undefined":true}"#),
            (
                .string("\u{0}\n\"\\/\u{7F}é"), #""\u0000\n\"\\/\#u{7F}é""#,
                #""\u0000\n\"\\/\#u{7F}é""#
            ),
            (
                .binary(BSONBinary(Data([255]), subtype: 128)),
                #"{"$binary":{"base64":"/w==","subType":"80"}}"#,
                #"{"$binary":{"base64":"/w==","subType":"80"}}"#
            ),
        ]
        for (value, canonical, relaxed) in cases {
            #expect(try value.extendedJSON(.canonical) == canonical)
            #expect(try value.extendedJSON(.relaxed) == relaxed)
            #expect(try AnyBSON(extendedJSON: canonical) == value)
        }
        let uuid = try AnyBSON(extendedJSON: #"{"$uuid":"c8edabc3-f738-4ca3-b68d-ab92a91478a3"}"#)
        #expect(
            uuid == .uuid(try #require(UUID(uuidString: "C8EDABC3-F738-4CA3-B68D-AB92A91478A3"))))
        #expect(
            try uuid.extendedJSON()
                == #"{"$binary":{"base64":"yO2rw/c4TKO2jauSqRR4ow==","subType":"04"}}"#)
    }

    @Test("wrappers with a wrong value or with company are refused at their place")
    func badWrappers() {
        for text in [
            #"{"$oid":"0123"}"#, #"{"$oid":1}"#, #"{"$numberInt":"2147483648"}"#,
            #"{"$numberInt":1}"#, #"{"$numberInt":"+1"}"#, #"{"$numberInt":""}"#,
            #"{"$numberLong":"9223372036854775808"}"#, #"{"$numberDouble":"0x1p3"}"#,
            #"{"$numberDouble":"inf"}"#, #"{"$numberDouble":""}"#,
            #"{"$numberDecimal":"1E+7000"}"#, #"{"$numberDecimal":"x"}"#,
            #"{"$binary":{"base64":"?","subType":"00"}}"#,
            #"{"$binary":{"base64":"","subType":"100"}}"#,
            #"{"$binary":{"base64":"","subType":"+1"}}"#, #"{"$binary":""}"#,
            #"{"$uuid":"c8edabc3f7384ca3b68dab92a91478a3"}"#, #"{"$timestamp":{"t":-1,"i":0}}"#,
            #"{"$timestamp":{"t":1}}"#, #"{"$timestamp":{"t":1,"i":4294967296}}"#,
            #"{"$regularExpression":{"pattern":"a"}}"#, #"{"$dbPointer":{"$ref":"a","$id":1}}"#,
            #"{"$date":"yesterday"}"#, #"{"$date":"2023-02-29T00:00:00Z"}"#,
            #"{"$date":"2023-01-01T24:00:00Z"}"#, #"{"$date":"2023-01-01T00:00:00"}"#,
            #"{"$date":true}"#, #"{"$minKey":2}"#, #"{"$maxKey":"1"}"#, #"{"$undefined":false}"#,
            #"{"$oid":"0123456789abcdef01234567","a":1}"#,
            #"{"a":1,"$oid":"0123456789abcdef01234567"}"#,
            #"{"$code":"x","a":1}"#, #"{"$scope":{}}"#, #"{"$code":"x","$scope":1}"#,
        ] {
            let error = #expect(throws: DocumentError.self, "\(text)") {
                try AnyBSON(extendedJSON: "[1,\n " + text + "]")
            }
            guard case .invalidJSON(_, let position)? = error else { continue }
            #expect(position.line == 2 && position.column == 2, "\(text): \(position)")
        }
        #expect((try? Document(extendedJSON: #"{"$regex":"a","$options":"i"}"#))?.count == 2)
    }

    @Test("an object whose names make it another value when it is read is not written")
    func ambiguousNames() throws {
        let id = "0123456789abcdef01234567"
        for (document, path) in [
            (["a": ["$oid": .string(id)]], "a.$oid"), (["$date": 0, "b": 1], "$date"),
            (["a": .array([1, ["b": ["$numberLong": "1", "c": 2]]])], "a.1.b.$numberLong"),
            (
                ["a": .javascriptWithScope(BSONCode("x", scope: ["s": ["$code": "y"]]))],
                "a.$scope.s.$code"
            ),
        ] as [(Document, String)] {
            for mode in [ExtendedJSONMode.relaxed, .canonical] {
                let error = #expect(throws: DocumentError.self) {
                    try document.extendedJSON(mode)
                }
                guard case .notEncodable(let reason, path)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason.contains("as a value of another type"))
                var bytes: [UInt8] = [1]
                #expect(throws: DocumentError.self) {
                    try document.appendExtendedJSON(to: &bytes, mode: mode)
                }
                #expect(bytes == [1])
            }
            #expect(throws: (any Error).self) { try JSONEncoder().encode(document) }
            #expect(try Document(bson: document.bson()) == document)
            #expect(!document.description.isEmpty)
        }
        // Other names with a dollar sign stand for nothing.
        let plain: Document = ["a": ["$oids": 1], "b": ["$ref": "c", "$id": 1], "$": 2]
        #expect(try Document(extendedJSON: plain.extendedJSON()) == plain)
    }

    @Test("what is wrong with a wrapper is said in its own words")
    func wrapperReasons() {
        for (text, reason) in [
            (
                #"{"a":{"$oid":"0123456789abcdef01234567","b":1}}"#,
                "\"$oid\" makes an object represent"
            ),
            (#"{"a":{"$date":0,"$numberInt":"1"}}"#, "\"$date\" makes an object represent"),
            (#"{"a":{"$code":"x","b":1}}"#, "\"$code\" makes an object represent"),
            (#"{"a":{"$scope":{}}}"#, "\"$scope\" is a document and must be beside \"$code\""),
            (#"{"a":{"$code":"x","$scope":1}}"#, "\"$scope\" is a document"),
        ] {
            let error = #expect(throws: DocumentError.self) { try Document(extendedJSON: text) }
            #expect("\(String(describing: error))".contains(reason), "\(text): \(error as Any)")
        }
    }

    @Test("ISO dates are read in every zone and year, and exist")
    func isoDates() throws {
        for (text, milliseconds) in [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000), ("1900-03-01T00:00:00Z", -2_203_891_200_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("2012-12-24T13:15:30.501+01:00", 1_356_351_330_501),
            ("2012-12-24T06:45:30.5019-0530", 1_356_351_330_501), ("1970-01-01T00:00:00.5Z", 500),
        ] as [(String, Int64)] {
            #expect(
                try AnyBSON(extendedJSON: "{\"$date\":\"\(text)\"}")
                    == .datetime(BSONDateTime(milliseconds: milliseconds)), "\(text)")
        }
        var random = SeededRandom(seed: 1)
        for _ in 0..<5_000 {
            let time = BSONDateTime(milliseconds: Int64(random.next() % 253_402_300_800_000))
            let text = try AnyBSON.datetime(time).extendedJSON()
            #expect(try AnyBSON(extendedJSON: text) == .datetime(time))
        }
    }

    @Test("numbers are exact: integers to 64 bits, others the nearest floating-point number")
    func numbers() throws {
        for (text, value) in [
            ("0", 0), ("-0", 0), ("2147483647", .int32(.max)), ("2147483648", .int64(1 << 31)),
            ("-9223372036854775808", .int64(.min)), ("9223372036854775807", .int64(.max)),
            ("9223372036854775808", .double(0x1p63)),
            ("-18446744073709549568", -18446744073709549568.0),
            ("1.0", 1.0), ("1e0", 1.0), ("-0.0", .double(-0.0)), ("0.1", 0.1), ("1e-5", 1e-5),
            ("9007199254740993.0", .double(9_007_199_254_740_992)),
            ("0.000000000000000000000000000001", 1e-30),
            ("5e-324", .double(.leastNonzeroMagnitude)), ("1E22", 1e22),
            ("1e23", 1e23), ("8.5e-23", 8.5e-23),
            ("0e99999999999999999999", 0.0),
        ] as [(String, AnyBSON)] {
            #expect(try AnyBSON(extendedJSON: text) == value, "\(text)")
        }
        var random = SeededRandom(seed: 2)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            #expect(try AnyBSON(extendedJSON: number.description) == .double(number))
        }
    }

    @Test("what is not JSON is refused with line and column")
    func badJSON() {
        for text in [
            "", " ", "nul", "nulll", "tru", "True", "01", "-", "-01", "1.", ".5", "1e", "1e+", "+1",
            "0x1", "NaN", "Infinity", "'a'", "\"a", "\"\u{1}\"", "\"\\x\"", "\"\\u12\"",
            "\"\\u12G4\"",
            "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\u0041\"", "\"\\uD800x\"", "[1,]", "[1 2]",
            "[",
            "[1", "]", "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}",
            "{,}", "[,1]", "1 2", "{} x", "// x\n1", "\u{FEFF}1", "{\"a\":1,\"a\":2}", "\"\\",
        ] {
            let error = #expect(throws: DocumentError.self, "\(text)") {
                try AnyBSON(extendedJSON: text)
            }
            guard case .invalidJSON? = error else {
                Issue.record("\(text)")
                continue
            }
        }
        let error = #expect(throws: DocumentError.self) {
            try Document(extendedJSON: "{\n  \"a\": 1,\n  \"b\": ?\n}")
        }
        #expect("\(error!)" == "invalid JSON at line 3, column 8 (byte 19): a value expected")
        let wide = (0..<40).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect((try? Document(extendedJSON: "{\(wide)}"))?.count == 40)
        #expect(throws: DocumentError.self) { try Document(extendedJSON: "{\(wide),\"7\":0}") }
        let bytes: [UInt8] = [0x22, 0xC3, 0x28, 0x22]
        #expect(throws: DocumentError.self) {
            try bytes.withUnsafeBytes { _ = try Document(extendedJSON: $0) }
        }
    }

    @Test("escapes are read, pairs of surrogates too")
    func escapes() throws {
        #expect(
            try AnyBSON(extendedJSON: #""a\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00\u0000""#)
                == .string("a\"\\/\u{8}\u{C}\n\r\té😀\u{0}"))
    }

    @Test("damaged text throws or reads as something sound, and never stops the process")
    func damage() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("damaged Extended JSON, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let samples = try Pymongo.samples().flatMap { [$0.canonical, $0.relaxed] }
        var soundCount = 0
        for _ in 0..<20_000 {
            let text = random.damage(Array(samples[random.below(samples.count)].utf8))
            let document = text.withUnsafeBytes { try? Document(extendedJSON: $0) }
            guard let document else { continue }
            soundCount += 1
            let canonical = try document.extendedJSON(.canonical)
            let again = try Document(extendedJSON: canonical)
            #expect(try again.extendedJSON(.canonical) == canonical, "seed \(seed)")
        }
        #expect(soundCount > 100)
    }
}
