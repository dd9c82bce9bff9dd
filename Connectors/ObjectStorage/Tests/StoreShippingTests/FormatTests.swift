import Foundation
import Testing

@testable import StoreShipping

@Suite("Objects of a backup")
struct FormatTests {
    private let hash = ContentHash(of: Array("a".utf8))

    @Test("Keys say what they are of")
    func keys() throws {
        let summary = PointSummary(number: 12, history: 3, timeMilliseconds: 1_700, lsn: 99)
        #expect(ObjectName.point(summary) == "points/0000000000000012-1700-99-3")
        #expect(ObjectName.summary(inPointKey: ObjectName.point(summary)) == summary)
        #expect(ObjectName.summary(inPointKey: "points/12-1700-99-3") == nil)
        let reference = ListReference(point: 7, sha256: hash)
        #expect(ObjectName.list(reference) == "lists/0000000000000007-\(hash.text)")
        #expect(ObjectName.firstPoint(inKey: ObjectName.list(reference)) == 7)
        let file = ShippedFile(
            name: "0000000001.segment", mark: HexadecimalNumber(255),
            parts: [
                ShippedPart(point: 1, end: 10, sha256: hash),
                ShippedPart(point: 2, end: 30, sha256: hash),
            ])
        let keys = file.locatedParts.map(\.key)
        #expect(
            keys[1]
                == "data/0000000001.segment-00000000000000ff/0000000000000002-10-30-\(hash.text)")
        #expect(keys.map(ObjectName.firstPoint) == [1, 2])
        #expect(ObjectName.firstPoint(inKey: "manifest") == nil)
        #expect(ObjectName.firstPoint(inKey: "data/x/y") == nil)
        // Of a backup whose prefix is `data` or `lists` in that of this one.
        for key in keys + [ObjectName.list(reference), ObjectName.point(summary)] {
            #expect(ObjectName.firstPoint(inKey: "data/" + key) == nil)
            #expect(ObjectName.firstPoint(inKey: "lists/" + key) == nil)
        }
    }

    @Test("A manifest is what the document says, field by field")
    func manifest() throws {
        let point = RestorePoint(
            number: 2, history: 1, timeMilliseconds: 5, lsn: 9, storeUUID: "U",
            lineage: HexadecimalNumber(1), manifest: Data([1, 2]), byteCount: 3,
            lists: [ListReference(point: 1, sha256: hash)], files: [])
        let manifest = ShippingManifest(
            sequence: 4, nonce: HexadecimalNumber(16), timeMilliseconds: 6,
            holder: ShipperIdentity(
                id: HexadecimalNumber(2), host: "h", boot: "b", machine: "m", process: 3,
                sinceMilliseconds: 1),
            isHeld: true, histories: [ShippingHistory(number: 1, firstPoint: 1, note: "n")],
            point: point)
        let text = String(decoding: try ObjectCoding.encode(manifest), as: UTF8.self)
        #expect(
            text == """
                {"format":"travertine-shipping","histories":[{"firstPoint":1,"note":"n","number":1}],\
                "holder":{"boot":"b","host":"h","id":"0000000000000002","machine":"m","process":3,"sinceMilliseconds":1},\
                "isHeld":true,"nonce":"0000000000000010","point":{"byteCount":3,"files":[],\
                "history":1,"lineage":"0000000000000001","lists":[{"point":1,"sha256":"\(hash.text)"}],\
                "lsn":9,"manifest":"AQI=","number":2,"storeUUID":"U","timeMilliseconds":5},\
                "sequence":4,"timeMilliseconds":6,"version":1}
                """)
        #expect(try ObjectCoding.manifest(Array(text.utf8)) == manifest)
    }

    @Test("What is no manifest, or a newer one, is refused")
    func refused() {
        #expect(throws: ShippingError.notABackup) { try ObjectCoding.manifest(Array("{}".utf8)) }
        #expect(throws: ShippingError.newerFormat(version: 2)) {
            try ObjectCoding.manifest(
                Array(#"{"format":"travertine-shipping","version":2}"#.utf8))
        }
    }

    @Test("Numbers and hashes have one form")
    func numbers() {
        #expect(HexadecimalNumber("00000000000000FF")?.value == 255)
        #expect(HexadecimalNumber("ff") == nil)
        #expect(HexadecimalNumber("+00000000000000f") == nil)
        #expect(ContentHash("ab") == nil)
        #expect(ContentHash(hash.text) == hash)
        #expect(hash.text.hasPrefix("ca978112ca1bbdca"))
    }

    @Test("Names that lead out of a directory are no files of a store")
    func names() {
        for name in ["../x", "/etc/passwd", "lock", "manifest", "0000000000.segment", ""] {
            let file = ShippedFile(name: name, mark: HexadecimalNumber(1), parts: [])
            #expect(throws: ShippingError.self) { try file.imageFile(in: "k") }
        }
    }

    @Test(
        "Times are written and read",
        arguments: [
            ("1970-01-01T00:00:00.000Z", Int64(0)), ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
            ("2000-03-01T00:00:00.000Z", 951_868_800_000), ("1969-12-31T23:59:59.500Z", -500),
        ])
    func times(text: String, milliseconds: Int64) {
        #expect(UTCText(milliseconds).description == text)
        #expect(UTCText(parsing: text)?.milliseconds == milliseconds)
    }

    @Test("Times may be shorter, and must exist")
    func otherTimes() {
        #expect(UTCText(parsing: "1970-01-02")?.milliseconds == 86_400_000)
        #expect(UTCText(parsing: "1970-01-01 00:01")?.milliseconds == 60_000)
        #expect(UTCText(parsing: "1970-01-01T00:00:01.5Z")?.milliseconds == 1_500)
        for text in ["", "1970", "2023-02-29", "1970-01-01T25:00", "1970-01-01T00:00:00Zx"] {
            #expect(UTCText(parsing: text) == nil)
        }
    }
}
