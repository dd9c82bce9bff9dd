/// An access key with its secret. The secrets appear in no description and no mirror.
public struct StorageCredentials: Hashable, Sendable {
    /// The public name of the key.
    public var accessKeyID: String
    /// The secret that signs requests.
    public var secretAccessKey: String
    /// What temporary credentials need besides.
    public var sessionToken: String?

    /// Credentials with these parts.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension StorageCredentials: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The key's public name; the secrets are left out.
    public var description: String {
        "\(accessKeyID) (secret redacted\(sessionToken == nil ? "" : ", session token redacted"))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that has the key's public name only.
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
