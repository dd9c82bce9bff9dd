import Testing

@testable import Travertine

@Suite struct RowAddressCacheTests {
    @Test("the room for known rows grows with the rows that are read, and known rows stay known")
    func growth() throws {
        let row = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
        defer { row.deallocate() }
        var known = RowAddressCache(rowCount: 1 << 24)
        let none = known.capacity
        #expect(none == 0)
        for key in 0..<300 as Range<UInt64> { known.note(key, UnsafeRawBufferPointer(row)) }
        let few = known.capacity
        #expect(few == 4096, "a loop over some hundred objects takes little")
        var capacity = known.capacity
        for key in 300..<200_000 as Range<UInt64> {
            known.note(key, UnsafeRawBufferPointer(rebasing: row[..<Int(key % 64)]))
            if known.capacity > capacity {
                capacity = known.capacity
                #expect(capacity <= 4 * Int(key), "places for \(key) rows")
            }
        }
        #expect(capacity >= 200_000 && capacity <= 1 << 19)
        for key in 300..<200_000 as Range<UInt64> {
            let kept = known.row(key)
            let found = try #require(kept, "\(key)")
            #expect(found.baseAddress == UnsafeRawPointer(row.baseAddress))
            #expect(found.count == Int(key % 64))
        }
        let missing = known.row(200_000)
        #expect(missing == nil)
        for key in 200_000..<3_000_000 as Range<UInt64> {
            known.note(key, UnsafeRawBufferPointer(row))
        }
        let most = known.capacity
        #expect(most == RowAddressCache.countMax)
        let (newest, replaced) = (known.row(2_999_999), known.row(300))
        #expect(newest != nil && replaced == nil)
    }

    @Test("of a small table no more rows are known than it has")
    func smallTable() {
        let row = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
        defer { row.deallocate() }
        var known = RowAddressCache(rowCount: 1000)
        for key in 0..<10_000 as Range<UInt64> { known.note(key, UnsafeRawBufferPointer(row)) }
        let places = known.capacity
        #expect(places == 1024)
        let (newest, replaced) = (known.row(9_999), known.row(8_000))
        #expect(newest != nil && replaced == nil)
    }
}
