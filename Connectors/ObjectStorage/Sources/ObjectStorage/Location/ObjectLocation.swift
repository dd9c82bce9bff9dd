/// Where objects are stored: a bucket, a prefix of all keys, and how to reach them.
///
/// Written as `s3://bucket/prefix?endpoint=URL&region=NAME`. The prefix and both settings may be
/// left out. The prefix and the settings are percent-decoded. A prefix that is not empty ends with
/// a slash; it is added where it is missing.
public struct ObjectLocation: Hashable, Sendable {
    /// The bucket's name: 3 to 63 letters, digits, `-`, `.` and `_`.
    public let bucket: String
    /// What all keys begin with: empty, or ending with a slash.
    public let prefix: String
    /// The URL of a service other than AWS; nil for AWS, or to ask the environment.
    public let endpoint: String?
    /// The region's name; nil to ask the environment.
    public let region: String?

    /// A location with these parts. Throws `StorageConfigurationError.invalidLocation`.
    public init(
        bucket: String, prefix: String = "", endpoint: String? = nil, region: String? = nil
    ) throws {
        self.bucket = bucket
        self.prefix = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
        self.endpoint = endpoint
        self.region = region
        try Self.check(bucket: bucket)
        if let reason = ObjectKey.objection(to: self.prefix), !self.prefix.isEmpty {
            throw StorageConfigurationError.invalidLocation("the prefix \(reason)")
        }
        if let region { try Self.check(region: region) }
    }

    /// Parses `s3://bucket/prefix?endpoint=URL&region=NAME`. Throws
    /// `StorageConfigurationError.invalidLocation`, which never quotes the text: a user may have
    /// put a secret into it.
    public init(_ text: String) throws {
        func fail(_ reason: String) -> StorageConfigurationError { .invalidLocation(reason) }
        guard text.lowercased().hasPrefix("s3://") else { throw fail("it must begin with s3://") }
        guard !text.contains("#") else { throw fail("it must not have a fragment") }
        let parts = text.dropFirst(5).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !path[0].contains("@") else {
            throw fail("it must not have credentials; they are read from the environment")
        }
        guard let prefix = PercentEncoding.decode(path.count > 1 ? path[1] : "") else {
            throw fail("the prefix is not percent-encoded UTF-8")
        }
        var settings: [String: String] = [:]
        for item in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard name == "endpoint" || name == "region" else {
                throw fail("it has a setting other than endpoint and region")
            }
            guard pair.count == 2, let value = PercentEncoding.decode(pair[1]), !value.isEmpty
            else {
                throw fail("the \(name) is empty or not percent-encoded UTF-8")
            }
            guard settings.updateValue(value, forKey: name) == nil else {
                throw fail("the \(name) is given twice")
            }
        }
        try self.init(
            bucket: String(path[0]), prefix: prefix, endpoint: settings["endpoint"],
            region: settings["region"])
    }

    private static func check(bucket: String) throws {
        guard !bucket.isEmpty else { throw StorageConfigurationError.invalidLocation("no bucket") }
        let bytes = Array(bucket.utf8)
        let isValid =
            (3...63).contains(bytes.count)
            && bytes.allSatisfy { isLetterOrDigit($0) || "-._".utf8.contains($0) }
            && isLetterOrDigit(bytes[0]) && isLetterOrDigit(bytes[bytes.count - 1])
            && !bucket.contains("..")
        guard isValid else {
            throw StorageConfigurationError.invalidLocation("the bucket's name is not valid")
        }
    }

    private static func check(region: String) throws {
        let isValid =
            !region.isEmpty && region.utf8.count <= 64
            && region.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        guard isValid else {
            throw StorageConfigurationError.invalidLocation("the region's name is not valid")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension ObjectLocation: CustomStringConvertible {
    /// The location as it is parsed.
    public var description: String {
        let settings = [("endpoint", endpoint), ("region", region)].compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.encode($0))" }
        }
        return "s3://\(bucket)/\(PercentEncoding.encode(prefix, keepsSlashes: true))"
            + (settings.isEmpty ? "" : "?" + settings.joined(separator: "&"))
    }
}
