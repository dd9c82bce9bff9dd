/// An object as a listing shows it.
public struct ListedObject: Hashable, Sendable {
    /// The key, relative to the store's prefix.
    public var key: String
    /// The size in bytes.
    public var byteCount: UInt64
    /// The name of this state of the object.
    public var entityTag: EntityTag
    /// When this state was stored, in seconds since 1970 by the service's clock.
    public var lastModifiedSecondsSince1970: Int64?
}

/// The objects whose keys begin with a text, in the order of the service: that of the keys' UTF-8
/// bytes on S3.
///
/// Pages are requested as the sequence is read: one request for up to `pageSize` objects, and each
/// is tried again by itself. What is stored or deleted in between may appear or not.
public struct ObjectList: AsyncSequence, Sendable {
    fileprivate let store: ObjectStore
    fileprivate let prefix: String
    fileprivate let startAfter: String?
    fileprivate let pageSize: Int

    /// Reads the listing.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let list: ObjectList
        private var entries: [ListPage.Entry] = []
        private var index = 0
        private var token: String?
        private var isLastPage = false

        fileprivate init(list: ObjectList) { self.list = list }

        /// The next object; nil at the end. Throws `ObjectStorageError` or `CancellationError`.
        public mutating func next() async throws -> ListedObject? {
            while index == entries.count {
                if isLastPage { return nil }
                let page = try await list.page(after: token)
                guard page.continuationToken == nil || page.continuationToken != token else {
                    throw ObjectStorageError.malformedResponse("a listing does not advance")
                }
                token = page.continuationToken
                isLastPage = token == nil
                entries = page.entries
                index = 0
            }
            let entry = entries[index]
            index += 1
            return ListedObject(
                key: list.store.relativeKey(entry.key),
                byteCount: entry.byteCount, entityTag: entry.entityTag,
                lastModifiedSecondsSince1970: entry.lastModified?.secondsSince1970)
        }
    }

    /// An iterator from the first object on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(list: self) }

    private func page(after token: String?) async throws -> ListPage {
        let location = store.location
        let wholePrefix = location.prefix + prefix
        var request = StorageRequest(method: .GET, key: nil)
        request.query = [
            ("list-type", "2"), ("prefix", wholePrefix), ("max-keys", String(pageSize)),
            ("encoding-type", "url"),
        ]
        if let token { request.query.append(("continuation-token", token)) }
        if let startAfter, token == nil {
            request.query.append(("start-after", location.prefix + startAfter))
        }
        return try await store.sendRepeatedly(request, key: nil) { response, activity in
            let body = try await HTTPTransport.collect(
                response, upTo: UInt64(XMLReader.byteCountMax), activity)
            let page = try ListPage(body, bucket: location.bucket)
            guard page.entries.allSatisfy({ $0.key.utf8.starts(with: wholePrefix.utf8) }) else {
                throw ObjectStorageError.malformedResponse("a listing has keys of another prefix")
            }
            return page
        }
    }
}

extension ObjectStore {
    /// The objects whose keys begin with `prefix`, a text that need not end with a slash.
    ///
    /// - Parameters:
    ///   - prefix: Relative to the store's prefix; empty for all.
    ///   - startAfter: A key, relative to the store's prefix; the listing begins after it.
    ///   - pageSize: Objects in one request, 1 to 1000.
    public func list(
        prefix: String = "", startAfter: String? = nil, pageSize: Int = 1_000
    ) -> ObjectList {
        precondition((1...1_000).contains(pageSize), "a page has 1 to 1000 objects")
        return ObjectList(store: self, prefix: prefix, startAfter: startAfter, pageSize: pageSize)
    }
}
