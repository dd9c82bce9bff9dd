import NIOHTTP1
import Testing

@testable import ObjectStorage

@Suite("Answers of the service")
struct AnswerTests {
    private func page(_ inside: String) throws -> ListPage {
        try ListPage(Array("<ListBucketResult>\(inside)</ListBucketResult>".utf8), bucket: "bucket")
    }

    private func error(
        _ status: Int, _ code: String, headers: HTTPHeaders = [:]
    ) -> ObjectStorageError {
        let body = "<Error><Code>\(code)</Code><Message>m</Message><RequestId>r</RequestId></Error>"
        return ObjectStorageError(
            ServiceAnswer(
                status: HTTPResponseStatus(statusCode: status), headers: headers,
                body: Array(body.utf8)),
            key: "key", bucket: "bucket")
    }

    private func answer(_ status: Int, _ code: String) -> ServiceAnswer {
        ServiceAnswer(status: status, code: code, message: "m", requestID: "r")
    }

    @Test("Each answer becomes the error that a caller can act on")
    func errors() {
        #expect(error(404, "NoSuchKey") == .notFound(key: "key"))
        #expect(error(404, "NoSuchBucket") == .bucketNotFound(bucket: "bucket"))
        #expect(error(404, "NoSuchUpload") == .server(answer(404, "NoSuchUpload")))
        #expect(error(412, "PreconditionFailed") == .conditionFailed(key: "key"))
        #expect(error(416, "InvalidRange") == .rangeNotSatisfiable(key: "key"))
        #expect(error(403, "AccessDenied") == .accessDenied(answer(403, "AccessDenied")))
        #expect(error(400, "ExpiredToken") == .accessDenied(answer(400, "ExpiredToken")))
        #expect(
            error(301, "PermanentRedirect", headers: ["x-amz-bucket-region": "r2"])
                == .wrongRegion(bucket: "bucket", actual: "r2"))
        #expect(error(503, "SlowDown") == .throttled(answer(503, "SlowDown")))
        #expect(error(429, "TooMany") == .throttled(answer(429, "TooMany")))
        #expect(error(500, "InternalError") == .server(answer(500, "InternalError")))
        #expect(error(400, "InvalidRequest") == .server(answer(400, "InvalidRequest")))
    }

    @Test("A region that was signed wrongly is named by the body")
    func region() {
        let body = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>r3</Region></Error>"
        let answer = ServiceAnswer(status: .badRequest, headers: [:], body: Array(body.utf8))
        #expect(
            ObjectStorageError(answer, key: nil, bucket: "bucket")
                == .wrongRegion(bucket: "bucket", actual: "r3"))
    }

    @Test("Exactly what may pass is tried again")
    func transience() {
        for (status, code) in [
            (500, "InternalError"), (502, ""), (503, "SlowDown"), (504, ""), (429, ""),
            (400, "RequestTimeout"), (400, "BadDigest"), (409, "ConditionalRequestConflict"),
        ] {
            #expect(error(status, code).isTransient, "\(status) \(code)")
        }
        for (status, code) in [
            (400, "InvalidRequest"), (403, "AccessDenied"), (404, "NoSuchKey"), (405, ""),
            (409, "BucketNotEmpty"), (412, "PreconditionFailed"), (501, "NotImplemented"),
        ] {
            #expect(!error(status, code).isTransient, "\(status) \(code)")
        }
    }

    @Test("A body that is no error document leaves the status")
    func garbage() {
        let answer = ServiceAnswer(
            status: .badGateway, headers: ["x-amz-request-id": "7", "retry-after": "3"],
            body: Array("<html><body>Bad gateway</br>".utf8))
        #expect(answer == ServiceAnswer(status: 502, requestID: "7", retryAfterSeconds: 3))
    }

    @Test("A page has entries and the token of the next one")
    func listPage() throws {
        let page = try page(
            """
            <EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
            <NextContinuationToken>t</NextContinuationToken><Contents><Key>a+b%2F%C3%A9</Key>
            <Size>7</Size><ETag>&quot;e&quot;</ETag>
            <LastModified>1970-01-02T00:00:00.000Z</LastModified></Contents>
            """)
        #expect(page.continuationToken == "t")
        #expect(
            page.entries == [
                ListPage.Entry(
                    key: "a b/é", byteCount: 7, entityTag: EntityTag("e")!,
                    lastModified: UTCTime(secondsSince1970: 86_400))
            ])
    }

    @Test("Keys that are not encoded are taken as they are")
    func plainKeys() throws {
        let page = try page(
            """
            <IsTruncated>false</IsTruncated><Contents><Key>a+%2F</Key><Size>0</Size><ETag>e</ETag>
            </Contents>
            """)
        #expect(page.entries.map(\.key) == ["a+%2F"])
        #expect(page.continuationToken == nil)
    }

    @Test(
        "An incomplete page is refused",
        arguments: [
            "", "<IsTruncated>true</IsTruncated>", "<IsTruncated>maybe</IsTruncated>",
            "<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>",
            "<IsTruncated>false</IsTruncated><Contents><Size>1</Size><ETag>e</ETag></Contents>",
            "<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size><ETag>e</ETag>"
                + "</Contents>",
        ])
    func incompletePage(inside: String) {
        let error = #expect(throws: ObjectStorageError.self) { try page(inside) }
        guard case .malformedResponse = error else {
            Issue.record("\(error!)")
            return
        }
    }

    @Test("An error document after a status of success is that error")
    func lateError() {
        let body = Array("<Error><Code>SlowDown</Code></Error>".utf8)
        #expect(
            throws: ObjectStorageError.throttled(ServiceAnswer(status: 500, code: "SlowDown"))
        ) { try ListPage(body, bucket: "bucket") }
    }

    @Test("The request of a deletion escapes keys")
    func deletion() throws {
        let root = try XMLReader.document(DeletionDocument.request(keys: ["a&b", "<c>", "]]>"]))
        #expect(root.all("Object").map { $0["Key"]?.text } == ["a&b", "<c>", "]]>"])
    }

    @Test("The answer of a deletion names what remains")
    func deletionAnswer() throws {
        let body = """
            <DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code><Message>m</Message></Error>
            <Error><Key>b</Key><Code>NoSuchKey</Code></Error></DeleteResult>
            """
        #expect(
            try DeletionDocument.undeletedObjects(in: Array(body.utf8), bucket: "bucket")
                == [UndeletedObject(key: "a", code: "AccessDenied", message: "m")])
    }

    @Test("Entity tags are the same with and without quotes")
    func entityTags() {
        #expect(EntityTag(headerValue: "\"abc-2\"") == EntityTag("abc-2"))
        #expect(EntityTag(headerValue: "abc") == EntityTag("abc"))
        #expect(EntityTag(headerValue: "\"\"") == nil)
        #expect(EntityTag(headerValue: "\"") == nil)
        #expect(EntityTag("a\"b") == nil)
        #expect(EntityTag("a b") == nil)
    }
}
