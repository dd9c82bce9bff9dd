/// The request and the answer of `DeleteObjects`.
enum DeletionDocument {
    /// The most keys in one request.
    static let keyCountMax = 1_000

    /// The request's body for whole keys; the answer is to name only what failed.
    static func request(keys: [String]) -> [UInt8] {
        var text = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>"
        for key in keys { text += "<Object><Key>\(escaped(key))</Key></Object>" }
        return Array((text + "</Delete>").utf8)
    }

    /// The objects that were not deleted, with whole keys. An object that did not exist counts as
    /// deleted. Throws `ObjectStorageError`.
    static func undeletedObjects(
        in body: [UInt8], bucket: String
    ) throws -> [UndeletedObject] {
        let root = try XMLElement(answer: body, expected: "DeleteResult", bucket: bucket)
        return try root.all("Error").compactMap { element in
            guard let key = element["Key"]?.text, let code = element["Code"]?.text else {
                throw ObjectStorageError.malformedResponse("a deletion has an incomplete error")
            }
            if code == "NoSuchKey" { return nil }
            return UndeletedObject(key: key, code: code, message: element["Message"]?.text ?? "")
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
