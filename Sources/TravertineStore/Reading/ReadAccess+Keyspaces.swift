import OrderedIndex
import SegmentLog

extension ReadAccess {
    /// The definitions in the system keyspace, by identifier, those of dropped keyspaces included.
    ///
    /// - Parameter fetcher: reads the records, if they are not to be mapped.
    package func keyspaceDefinitions(
        file: String, fetcher: RecordFetcher? = nil
    ) throws(StoreError) -> [KeyspaceDefinition] {
        var definitions: [KeyspaceDefinition] = []
        var cursor = cursor(in: .system)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let value: UnsafeRawBufferPointer
            if let fetcher {
                value = try fetcher.value(at: Location(rawValue: cursor.indexValue))
            } else {
                value = try cursor.value(verified: true)
            }
            guard let definition = cursor.withKey({ KeyspaceDefinition(key: $0, value: value) })
            else {
                throw StoreError(
                    .damaged, "A keyspace definition can't be decoded. Run `travertine fsck`.",
                    file: file)
            }
            definitions.append(definition)
            isValid = try cursor.next()
        }
        return definitions
    }
}

extension RecordFetcher {
    /// The value at a location of a keyspace that is never compressed; valid until the next call.
    fileprivate func value(
        at location: Location
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        do throws(LogError) {
            return try record(at: location).value
        } catch {
            throw StoreError(error)
        }
    }
}
