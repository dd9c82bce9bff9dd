import NIOHTTP1
import StorageServers
import Testing

@testable import ObjectStorage

@Suite("Answers to requests for content")
struct CheckedAnswerTests {
    private func object(
        _ text: String, status: HTTPResponseStatus = .ok, _ more: HTTPHeaders = [:]
    ) -> Fault {
        var headers: HTTPHeaders = ["etag": "\"e\""]
        headers.add(contentsOf: more)
        return .answer(ProxiedResponse(status: status, headers: headers, body: Array(text.utf8)))
    }

    private func expectMalformed(
        _ fault: Fault, range: Range<UInt64>? = nil, ifMatch: EntityTag? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withStore(answering: fault) { store, proxy async throws in
            let error = await #expect(
                throws: ObjectStorageError.self, sourceLocation: sourceLocation
            ) { try await store.get("a", range: range, ifMatch: ifMatch) }
            guard case .malformedResponse = error else {
                Issue.record("\(error!)", sourceLocation: sourceLocation)
                return
            }
            // It may be a proxy's passing fault.
            #expect(proxy.requests.count == 8, sourceLocation: sourceLocation)
        }
    }

    @Test("A whole object is not taken for a range")
    func wholeForRange() async throws { try await expectMalformed(object("abc"), range: 0..<3) }

    @Test("A range is not taken for a whole object")
    func rangeForWhole() async throws {
        try await expectMalformed(
            object("abc", status: .partialContent, ["content-range": "bytes 0-2/9"]))
    }

    @Test(
        "A range other than the one asked for is refused",
        arguments: [
            "bytes 1-3/9", "bytes 0-2/2", "bytes 0-1/9", "bytes 0-2/*", "bytes */9", "0-2/9",
            "bytes 2-0/9", "bytes 0-2", "bytes 0-2/2/9", "bytes 0-3/9", "",
        ])
    func wrongRange(text: String) async throws {
        try await expectMalformed(
            object("abc", status: .partialContent, ["content-range": text]), range: 0..<3)
    }

    @Test("A range that ends after the object is cut")
    func cutRange() async throws {
        let fault = object("abc", status: .partialContent, ["content-range": "bytes 5-7/8"])
        try await withStore(answering: fault) { store, proxy async throws in
            let content = try await store.get("a", range: 5..<100)
            #expect(content.range == 5..<8)
            #expect(content.attributes.byteCount == 8)
            #expect(proxy.requests[0].headers.first(name: "range") == "bytes=5-99")
        }
    }

    @Test("An empty range is refused before a request")
    func emptyRange() async throws {
        try await withStore(moto: false) { store, proxy async throws in
            await #expect(throws: ObjectStorageError.self) {
                try await store.get("a", range: 3..<3)
            }
            #expect(proxy.requests.isEmpty)
        }
    }

    @Test("The service's time is that of the newest answer that says it, also of an error")
    func time() async throws {
        let faults = FaultList([
            object("abc"), object("abc", ["date": "Mon, 12 Oct 2009 17:50:30 GMT"]),
            object("abc", ["date": "yesterday"]),
            .status(404, "", ["date": "Mon, 12 Oct 2009 17:50:31 GMT"]),
        ])
        try await withStore(moto: false, script: faults.next) { store, _ async throws in
            for seconds in [nil, 1_255_369_830, 1_255_369_830, 1_255_369_831] as [Int64?] {
                _ = try? await store.get("a")
                #expect(store.serviceSecondsSince1970 == seconds)
            }
        }
    }

    @Test("Another state than the one asked for is refused")
    func staleState() async throws {
        try await expectMalformed(object("abc"), ifMatch: EntityTag("other")!)
    }

    @Test("An answer without an entity tag is refused")
    func noTag() async throws {
        try await expectMalformed(.status(200, "abc"))
    }

    @Test("A wrong checksum is noticed, and the object read again")
    func wrongChecksum() async throws {
        let checksum = BodyChecksum(of: Array("abc".utf8)).base64
        let headers: HTTPHeaders = ["x-amz-checksum-sha256": checksum]
        let faults = FaultList([object("abd", headers), object("abc", headers)])
        try await withStore(moto: false, script: faults.next) { store, proxy async throws in
            #expect(try await store.get("a").bytes == Array("abc".utf8))
            #expect(proxy.requests.count == 2)
            #expect(proxy.requests[0].headers.first(name: "x-amz-checksum-mode") == "ENABLED")
        }
        let wrong = object("abd", headers)
        try await withStore(answering: wrong) { store, proxy async throws in
            let error = await #expect(throws: ObjectStorageError.self) { try await store.get("a") }
            guard case .checksumMismatch = error else {
                Issue.record("\(error!)")
                return
            }
            #expect(proxy.requests.count == 8)
        }
    }

    @Test("The checksum of an upload in parts is not one of the content")
    func compositeChecksum() async throws {
        let fault = object(
            "abc",
            ["x-amz-checksum-sha256": "AAAA-2", "x-amz-checksum-type": "COMPOSITE"])
        try await withStore(answering: fault) { store, _ async throws in
            let content = try await store.get("a")
            #expect(content.bytes == Array("abc".utf8))
            #expect(content.attributes.checksumSHA256 == nil)
        }
    }

    @Test("A body larger than the limit is not read")
    func tooLarge() async throws {
        let fault = object("abcdef")
        try await withStore(answering: fault) { store, proxy async throws in
            await #expect(throws: ObjectStorageError.responseTooLarge(byteCount: 6, limit: 5)) {
                try await store.get("a", byteCountMax: 5)
            }
            #expect(try await store.get("a", byteCountMax: 6).bytes.count == 6)
            #expect(proxy.requests.count == 2)
        }
    }

    @Test("An upload that was stored with another checksum is sent again")
    func storedOtherwise() async throws {
        let wrong: HTTPHeaders = ["etag": "\"e\"", "x-amz-checksum-sha256": "AAAA"]
        let faults = FaultList([.status(200, "", wrong), .status(200, "", ["etag": "\"f\""])])
        try await withStore(moto: false, script: faults.next) { store, proxy async throws in
            #expect(try await store.put(.bytes([1]), at: "a") == EntityTag("f"))
            #expect(proxy.requests.count == 2)
        }
    }

    @Test(
        "A garbled listing is asked for again",
        arguments: ["", "<ListBucketResult>", "garbage", "<html></html>", "\u{0}"])
    func garbledListing(body: String) async throws {
        let empty = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
        let faults = FaultList([.status(200, body), .status(200, empty)])
        try await withStore(moto: false, script: faults.next) { store, proxy async throws in
            for try await _ in store.list() { Issue.record("an object") }
            #expect(proxy.requests.count == 2)
        }
    }

    @Test("A listing that repeats a page ends with an error")
    func repeatingListing() async throws {
        let page = """
            <ListBucketResult><IsTruncated>true</IsTruncated>
            <NextContinuationToken>t</NextContinuationToken></ListBucketResult>
            """
        try await withStore(answering: .status(200, page)) { store, proxy async throws in
            await #expect(throws: ObjectStorageError.self) {
                for try await _ in store.list() {}
            }
            #expect(proxy.requests.count == 2)
        }
    }

    @Test("A listing with keys of another prefix is refused")
    func foreignListing() async throws {
        let page = """
            <ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>q/a</Key><Size>1</Size>
            <ETag>e</ETag></Contents></ListBucketResult>
            """
        try await withStore(answering: .status(200, page), prefix: "p") { store, _ async throws in
            await #expect(throws: ObjectStorageError.self) {
                for try await _ in store.list() {}
            }
        }
    }
}
