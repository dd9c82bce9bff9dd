/// The host that serves one bucket, and how the bucket is named to it.
///
/// A custom endpoint is addressed by path (`/bucket/key`), AWS by host (`bucket.s3.…/key`), unless
/// the bucket's name is not a host name that a wildcard certificate covers.
struct StorageEndpoint: Hashable, Sendable {
    /// `http` or `https`.
    var scheme: String
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    var host: String
    /// Nil for the scheme's own port.
    var port: Int?
    /// What stands before `/key` in every path, percent-encoded, without a slash at its end.
    var basePath: String
    var region: String

    /// The endpoint of a location. Throws `StorageConfigurationError`.
    init(
        bucket: String, endpoint: String?, region: String?, allowInsecure: Bool
    ) throws {
        guard let endpoint else {
            guard let region else { throw StorageConfigurationError.missingRegion }
            self.init(bucket: bucket, awsRegion: region)
            return
        }
        // Services other than AWS mostly ignore the region, and take this one.
        self.init(scheme: "", host: "", port: nil, basePath: "", region: region ?? "us-east-1")
        try parse(endpoint)
        guard scheme == "https" || isLoopback || allowInsecure else {
            throw StorageConfigurationError.insecureEndpoint("\(scheme)://\(hostHeader)")
        }
        basePath += "/\(bucket)"
    }

    private init(scheme: String, host: String, port: Int?, basePath: String, region: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.basePath = basePath
        self.region = region
    }

    private init(bucket: String, awsRegion region: String) {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let service = "s3.\(region).\(domain)"
        let isHostLabel = bucket.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        scheme = "https"
        host = isHostLabel ? "\(bucket).\(service)" : service
        basePath = isHostLabel ? "" : "/\(bucket)"
        self.region = region
    }

    /// The value of the `host` header: the port only where it is not the scheme's own.
    var hostHeader: String { port.map { "\(host):\($0)" } ?? host }

    /// The percent-encoded path of a whole key, or of the bucket.
    func path(key: String?) -> String {
        guard let key else { return basePath.isEmpty ? "/" : basePath }
        return "\(basePath)/\(PercentEncoding.encode(key, keepsSlashes: true))"
    }

    // MARK: Parsing

    private mutating func parse(_ endpoint: String) throws {
        func fail(_ reason: String) -> StorageConfigurationError { .invalidEndpoint(reason) }
        guard let colon = endpoint.firstRange(of: "://") else {
            throw fail("it must begin with https:// or http://")
        }
        scheme = endpoint[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw fail("it is not http or https") }
        let rest = endpoint[colon.upperBound...]
        guard !rest.contains(where: { "@?#\\".contains($0) || $0.isWhitespace }) else {
            throw fail("it must consist of a scheme, a host, a port and a path only")
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        try parseAuthority(rest[..<slash])
        guard let path = PercentEncoding.decode(rest[slash...]) else {
            throw fail("its path is not percent-encoded UTF-8")
        }
        basePath = PercentEncoding.encode(path, keepsSlashes: true)
        while basePath.hasSuffix("/") { basePath.removeLast() }
    }

    private mutating func parseAuthority(_ authority: Substring) throws {
        func fail(_ reason: String) -> StorageConfigurationError { .invalidEndpoint(reason) }
        var name = authority
        var portText: Substring?
        let bracket = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            name = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        if let portText {
            guard let number = UInt16(portText), number > 0 else {
                throw fail("its port is invalid")
            }
            port = Int(number) == (scheme == "https" ? 443 : 80) ? nil : Int(number)
        }
        host = name.lowercased()
        let allowed =
            bracket == nil ? "abcdefghijklmnopqrstuvwxyz0123456789-._" : "[]:.0123456789abcdef"
        guard !host.isEmpty, host.allSatisfy({ allowed.contains($0) }) else {
            throw fail("its host is invalid")
        }
    }

    /// Whether the host is this machine whatever a name server says.
    private var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
