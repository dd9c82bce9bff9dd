import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

@Suite struct CursorTests {
    private func numbers(_ cursor: Cursor) -> UInt64 {
        cursor.withKey { $0.unsafeLoadUnaligned(as: UInt64.self).bigEndian }
    }

    @Test("a cursor walks both ways and seeks between keys")
    func walk() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { transaction in
            for number in stride(from: 0 as UInt64, to: 2000, by: 2) {
                try transaction.put(number, forKey: number)
            }
        }
        let cursor = try store.snapshot().cursor()
        #expect(!cursor.isValid)
        var seen: [UInt64] = []
        var isValid = try cursor.seekToFirst()
        while isValid {
            seen.append(numbers(cursor))
            isValid = try cursor.next()
        }
        #expect(seen == Array(stride(from: 0 as UInt64, to: 2000, by: 2)))
        seen = []
        isValid = try cursor.seekToLast()
        while isValid {
            seen.append(numbers(cursor))
            isValid = try cursor.previous()
        }
        #expect(seen == stride(from: 0 as UInt64, to: 2000, by: 2).reversed())
        #expect(try cursor.seek(to: 501 as UInt64))
        #expect(numbers(cursor) == 502)
        #expect(try cursor.seek(toOrBefore: 501 as UInt64))
        #expect(numbers(cursor) == 500)
        #expect(try !cursor.seek(to: 1999 as UInt64))
        #expect(try cursor.seek(toOrBefore: 5000 as UInt64))
        #expect(numbers(cursor) == 1998)
    }

    @Test("a transaction's cursor sees its changes and keeps its place while keys are deleted")
    func changesUnderACursor() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { transaction in
            for number in 0..<500 as Range<UInt64> { try transaction.put("v", forKey: number) }
            let cursor = try transaction.cursor()
            var isValid = try cursor.seekToFirst()
            var visited = 0
            while isValid {
                visited += 1
                try transaction.delete(numbers(cursor))
                isValid = try cursor.next()
            }
            #expect(visited == 500)
            #expect(try transaction.count() == 0)
            try transaction.put("w", forKey: 7 as UInt64)
            #expect(try cursor.seekToFirst())
            #expect(numbers(cursor) == 7)
            #expect(try cursor.value == Array("w".utf8))
        }
    }

    @Test("forEach visits the keys with a prefix, in order, until its caller stops it")
    func prefix() throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path("store"))
        try store.write { transaction in
            for name in ["a", "ab", "abc", "abd", "b"] { try transaction.put(name, forKey: name) }
        }
        var seen: [String] = []
        try store.snapshot().forEach(prefix: "ab") { key, value in
            #expect(key.byteCount == value.byteCount)
            seen.append(key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            return seen.count < 2
        }
        #expect(seen == ["ab", "abc"])
    }
}
