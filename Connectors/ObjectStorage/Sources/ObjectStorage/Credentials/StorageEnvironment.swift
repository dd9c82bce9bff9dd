#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the environment and the files of AWS say: credentials, region and endpoint.
///
/// | variable | key in the profile |
/// |---|---|
/// | `AWS_ACCESS_KEY_ID` | `aws_access_key_id` |
/// | `AWS_SECRET_ACCESS_KEY` | `aws_secret_access_key` |
/// | `AWS_SESSION_TOKEN` | `aws_session_token` |
/// | `AWS_REGION`, `AWS_DEFAULT_REGION` | `region` |
/// | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` | `endpoint_url` |
///
/// Variables win over profiles. The profile is `AWS_PROFILE`, or `default`, in the files
/// `AWS_SHARED_CREDENTIALS_FILE` (`~/.aws/credentials`) and `AWS_CONFIG_FILE` (`~/.aws/config`);
/// for credentials the first file wins. An empty variable counts as not set. Each query reads the
/// files anew, so that credentials that another program renews are found.
public struct StorageEnvironment: Sendable {
    private let variables: [String: String]

    /// The environment with these variables.
    public init(variables: [String: String]) {
        self.variables = variables.filter { !$0.value.isEmpty }
    }

    /// The environment of this process.
    public static var current: StorageEnvironment {
        StorageEnvironment(variables: ProcessInfo.processInfo.environment)
    }

    /// Finds credentials. Throws `StorageConfigurationError`. Reads up to two files.
    public func credentials() throws -> StorageCredentials {
        let key = variables["AWS_ACCESS_KEY_ID"]
        let secret = variables["AWS_SECRET_ACCESS_KEY"]
        if let key, let secret {
            return StorageCredentials(
                accessKeyID: key, secretAccessKey: secret,
                sessionToken: variables["AWS_SESSION_TOKEN"])
        }
        guard key == nil, secret == nil else {
            throw StorageConfigurationError.unusableCredentials(
                "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set")
        }
        let settings = try profiles()
        for profile in settings {
            if let credentials = try Self.credentials(in: profile) { return credentials }
        }
        for profile in settings {
            try Self.checkUnsupported(in: profile)
        }
        throw StorageConfigurationError.missingCredentials(
            searched: ["AWS_ACCESS_KEY_ID", credentialsPath, configurationPath])
    }

    /// The region, or nil where none is named. Throws `StorageConfigurationError`.
    public func region() throws -> String? {
        if let name = variables["AWS_REGION"] ?? variables["AWS_DEFAULT_REGION"] { return name }
        return try setting("region")
    }

    /// The endpoint's URL, or nil where none is named. Throws `StorageConfigurationError`.
    public func endpoint() throws -> String? {
        if let url = variables["AWS_ENDPOINT_URL_S3"] ?? variables["AWS_ENDPOINT_URL"] {
            return url
        }
        return try setting("endpoint_url")
    }

    // MARK: Profiles

    private struct Profile {
        var path: String
        var settings: [String: String]
    }

    private var profileName: String { variables["AWS_PROFILE"] ?? "default" }

    private var credentialsPath: String {
        path(variables["AWS_SHARED_CREDENTIALS_FILE"] ?? "~/.aws/credentials")
    }

    private var configurationPath: String {
        path(variables["AWS_CONFIG_FILE"] ?? "~/.aws/config")
    }

    private func path(_ text: String) -> String {
        guard text.hasPrefix("~/"), let home = variables["HOME"] else { return text }
        return home + text.dropFirst()
    }

    private func setting(_ key: String) throws -> String? {
        // The configuration file is the place for these.
        try profiles().reversed().compactMap { $0.settings[key] }.first { !$0.isEmpty }
    }

    /// The profile in the credentials file, then that in the configuration file, where they exist.
    private func profiles() throws -> [Profile] {
        let places = [
            (credentialsPath, [profileName]),
            (
                configurationPath,
                profileName == "default"
                    ? ["default", "profile default"] : ["profile \(profileName)"]
            ),
        ]
        var profiles: [Profile] = []
        for (path, names) in places {
            guard let text = try Self.text(of: path) else { continue }
            let sections = try ProfileFile(text: text, path: path).sections
            for name in names {
                if let settings = sections[name] {
                    profiles.append(Profile(path: path, settings: settings))
                }
            }
        }
        if profiles.isEmpty, variables["AWS_PROFILE"] != nil {
            throw StorageConfigurationError.profileNotFound(
                name: profileName, searched: places.map(\.0))
        }
        return profiles
    }

    private static func credentials(in profile: Profile) throws -> StorageCredentials? {
        let key = profile.settings["aws_access_key_id"] ?? ""
        let secret = profile.settings["aws_secret_access_key"] ?? ""
        if key.isEmpty, secret.isEmpty { return nil }
        guard !key.isEmpty, !secret.isEmpty else {
            throw StorageConfigurationError.unusableCredentials(
                "the profile in \(profile.path) has only one of aws_access_key_id and "
                    + "aws_secret_access_key")
        }
        let token = profile.settings["aws_session_token"] ?? ""
        return StorageCredentials(
            accessKeyID: key, secretAccessKey: secret, sessionToken: token.isEmpty ? nil : token)
    }

    private static func checkUnsupported(in profile: Profile) throws {
        let unsupported = [
            "credential_process", "sso_session", "sso_start_url", "role_arn",
            "web_identity_token_file", "credential_source",
        ]
        if let key = unsupported.first(where: { profile.settings[$0] != nil }) {
            throw StorageConfigurationError.unusableCredentials(
                "the profile in \(profile.path) uses \(key), which is not supported; "
                    + "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        }
    }

    private static func text(of path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let file = try LocalFile(reading: path)
            let count = try file.byteCount()
            guard count <= ProfileFile.byteCountMax else {
                throw StorageConfigurationError.unreadableFile(
                    path: path, reason: "it is too large")
            }
            let bytes = try file.read(at: 0, byteCount: Int(count))
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw StorageConfigurationError.unreadableFile(
                    path: path, reason: "it is not UTF-8")
            }
            return text
        } catch let ObjectStorageError.file(operation, _, reason) {
            throw StorageConfigurationError.unreadableFile(
                path: path, reason: "\(operation): \(reason)")
        }
    }
}
