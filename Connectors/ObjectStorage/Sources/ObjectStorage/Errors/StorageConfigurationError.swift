/// Why a location or credentials cannot be used. No case holds a secret.
public enum StorageConfigurationError: Error, Hashable, Sendable {
    /// The text is not a location of the form `s3://bucket/prefix?endpoint=…&region=…`.
    case invalidLocation(String)
    /// The endpoint is not an `http` or `https` URL of a host.
    case invalidEndpoint(String)
    /// Plain `http` to another machine would send the data readably.
    case insecureEndpoint(String)
    /// Neither the location nor the environment nor the profile names a region.
    case missingRegion
    /// No credentials were found in the places listed.
    case missingCredentials(searched: [String])
    /// The profile named is in neither file.
    case profileNotFound(name: String, searched: [String])
    /// Credentials were found in part, or in a form that is not supported.
    case unusableCredentials(String)
    /// A configuration file cannot be read or parsed.
    case unreadableFile(path: String, reason: String)
}

extension StorageConfigurationError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .invalidLocation(let reason):
            "the location is invalid: \(reason); "
                + "expected s3://bucket/prefix?endpoint=URL&region=NAME"
        case .invalidEndpoint(let reason): "the endpoint is invalid: \(reason)"
        case .insecureEndpoint(let endpoint):
            "\(endpoint) is plain http to another machine; use https, or allow it explicitly"
        case .missingRegion: "no region is given; add region=NAME or set AWS_REGION"
        case .missingCredentials(let places):
            "no credentials were found in " + places.joined(separator: ", ")
        case .profileNotFound(let name, let places):
            "there is no profile '\(name)' in " + places.joined(separator: ", ")
        case .unusableCredentials(let reason): "the credentials cannot be used: \(reason)"
        case .unreadableFile(let path, let reason): "\(path) cannot be read: \(reason)"
        }
    }
}
