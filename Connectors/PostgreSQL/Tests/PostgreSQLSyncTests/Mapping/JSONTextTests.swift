import Foundation
import PostgreSQLServer
import Testing
import Travertine

@testable import PostgreSQLSync

@Suite("Texts of JSON")
struct JSONTextTests {
    private func text(_ value: StoredValue) -> String {
        var bytes: [UInt8] = []
        JSONText.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("any text is read back as it was")
    func strings() throws {
        var random = SeededRandom(seed: 3)
        var texts = (1..<128).compactMap { UnicodeScalar(UInt32($0)).map { String($0) } }
        for _ in 0..<200 { texts.append(random.text()) }
        let json = text(.array(texts.map { .string($0) }))
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == texts)
    }

    @Test("numbers are numbers, and what JSON has no number for is a text")
    func numbers() {
        #expect(text(.array([.int(.min), .double(0.1), .float(1.5)])) == "[\(Int64.min),0.1,1.5]")
        #expect(text(.array([.double(1e300), .double(5e-324)])) == "[1e+300,5e-324]")
        #expect(text(.array([.double(.nan), .float(-.infinity)])) == "[\"nan\",\"-inf\"]")
        #expect(text(.decimal128("1E-6000")) == "1E-6000")
    }

    @Test("documents keep the order of their fields, and links have type and key")
    func documents() {
        #expect(
            text(.document(["b": 1, "a \"": .array([true, .null])]))
                == #"{"b":1,"a \"":[true,null]}"#)
        #expect(text(.link(type: "T", key: "k")) == #"{"type":"T","key":"k"}"#)
    }

    @Test("bytes are Base64, identifiers are their usual texts")
    func identifiers() {
        #expect(text(.data(Data([0, 255]))) == "\"AP8=\"")
        #expect(text(.objectId(ValueModels.objectId)) == "\"0102030405060708090a0b0c\"")
        #expect(text(.uuid(ValueModels.uuid)) == "\"01020304-0506-0708-090a-0b0c0d0e0faf\"")
    }
}
