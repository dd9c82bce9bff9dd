import Foundation
import StorageServers
import Testing

@testable import ObjectStorage

@Suite("Credentials and settings from the environment")
struct EnvironmentTests {
    /// An environment whose files have these texts.
    private func withFiles(
        credentials: String? = nil, config: String? = nil, variables: [String: String] = [:],
        test: (StorageEnvironment) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { home async throws in
            try FileManager.default.createDirectory(
                atPath: home + "/.aws", withIntermediateDirectories: true)
            for (name, text) in [("credentials", credentials), ("config", config)] {
                try text.map {
                    try $0.write(toFile: "\(home)/.aws/\(name)", atomically: false, encoding: .utf8)
                }
            }
            let all = variables.merging(["HOME": home]) { $1 }
            try test(StorageEnvironment(variables: all))
        }
    }

    private let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "SECRET"]

    @Test("Variables win over files")
    func variables() async throws {
        let variables = keys.merging(
            [
                "AWS_SESSION_TOKEN": "TOKEN", "AWS_REGION": "r1",
                "AWS_ENDPOINT_URL_S3": "https://a", "AWS_ENDPOINT_URL": "https://b",
            ]) { $1 }
        let file = """
            [default]
            aws_access_key_id = X
            aws_secret_access_key = Y
            region = r2
            endpoint_url = https://c
            """
        try await withFiles(credentials: file, config: file, variables: variables) {
            environment throws in
            #expect(
                try environment.credentials()
                    == StorageCredentials(
                        accessKeyID: "AKID", secretAccessKey: "SECRET", sessionToken: "TOKEN"))
            #expect(try environment.region() == "r1")
            #expect(try environment.endpoint() == "https://a")
        }
    }

    @Test("The default profile is read from both files")
    func defaultProfile() async throws {
        let credentials = """
            # a comment
            [other]
            aws_access_key_id=WRONG
            aws_secret_access_key=WRONG

            [default]
            aws_access_key_id = AKID
            aws_secret_access_key = SE/CR+ET==   # a comment
            aws_session_token=TOKEN=
            """
        let config = """
            [default]
            region = eu-west-1
            s3 =
              max_concurrent_requests = 20
            endpoint_url = https://host.example
            """
        try await withFiles(credentials: credentials, config: config) { environment throws in
            #expect(
                try environment.credentials()
                    == StorageCredentials(
                        accessKeyID: "AKID", secretAccessKey: "SE/CR+ET==", sessionToken: "TOKEN="))
            #expect(try environment.region() == "eu-west-1")
            #expect(try environment.endpoint() == "https://host.example")
        }
    }

    @Test("A named profile is a section of its name, or of 'profile' and its name")
    func namedProfile() async throws {
        let config = """
            [profile work]
            aws_access_key_id = AKID
            aws_secret_access_key = SECRET
            region = r
            [default]
            aws_access_key_id = WRONG
            aws_secret_access_key = WRONG
            """
        try await withFiles(config: config, variables: ["AWS_PROFILE": "work"]) {
            environment throws in
            #expect(try environment.credentials().accessKeyID == "AKID")
            #expect(try environment.region() == "r")
        }
    }

    @Test("Files can be elsewhere")
    func paths() async throws {
        try await withTemporaryDirectory { directory async throws in
            let path = directory + "/keys"
            let text = "[default]\r\naws_access_key_id = A\r\naws_secret_access_key = B\r\n"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let environment = StorageEnvironment(variables: ["AWS_SHARED_CREDENTIALS_FILE": path])
            #expect(
                try environment.credentials()
                    == StorageCredentials(accessKeyID: "A", secretAccessKey: "B"))
        }
    }

    @Test("Without credentials the places searched are named")
    func missing() async throws {
        try await withFiles { environment throws in
            let error = #expect(throws: StorageConfigurationError.self) {
                try environment.credentials()
            }
            #expect(error!.description.contains("/.aws/credentials"))
            #expect(try environment.region() == nil)
        }
    }

    @Test("A profile that is named and is nowhere is an error")
    func unknownProfile() async throws {
        try await withFiles(
            config: "[default]\nregion = r", variables: ["AWS_PROFILE": "none"]
        ) { environment throws in
            let error = #expect(throws: StorageConfigurationError.self) {
                try environment.credentials()
            }
            guard case .profileNotFound("none", _) = error else {
                Issue.record("\(error!)")
                return
            }
        }
    }

    @Test(
        "Half of a pair of keys is an error",
        arguments: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
    func half(name: String) async throws {
        try await withFiles(variables: [name: "SECRET"]) { environment throws in
            let error = #expect(throws: StorageConfigurationError.self) {
                try environment.credentials()
            }
            #expect(error!.description.contains("only one"))
        }
        let line = "[default]\n\(name.lowercased()) = SECRET"
        try await withFiles(credentials: line) { environment throws in
            let error = #expect(throws: StorageConfigurationError.self) {
                try environment.credentials()
            }
            #expect(error!.description.contains("only one"))
            #expect(!error!.description.contains("SECRET"))
        }
    }

    @Test("A kind of credentials that is not supported is named")
    func unsupported() async throws {
        try await withFiles(config: "[default]\nrole_arn = arn:aws:iam::1:role/a") {
            environment throws in
            let error = #expect(throws: StorageConfigurationError.self) {
                try environment.credentials()
            }
            #expect(error!.description.contains("role_arn"))
        }
    }

    @Test("A line that is no setting is reported by its number, not by its text")
    func badLine() async throws {
        try await withFiles(credentials: "[default]\nSECRET") { environment throws in
            let error = #expect(throws: StorageConfigurationError.self) {
                try environment.credentials()
            }
            #expect(error!.description.contains("line 2"))
            #expect(!error!.description.contains("SECRET"))
        }
    }

    @Test("Secrets are in no description and no dump")
    func redaction() {
        let credentials = StorageCredentials(
            accessKeyID: "AKID", secretAccessKey: "SECRET", sessionToken: "TOKEN")
        var dumped = ""
        dump(credentials, to: &dumped)
        dump([credentials], to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(text.contains("AKID"))
            #expect(!text.contains("SECRET") && !text.contains("TOKEN"))
        }
    }

    @Test("A store takes region and endpoint from the environment where the location has none")
    func resolved() async throws {
        let variables = keys.merging(
            ["AWS_REGION": "r1", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"]) { $1 }
        let environment = StorageEnvironment(variables: variables)
        try await withObjectStore(ObjectLocation("s3://bucket/a"), environment: environment) {
            store throws in
            #expect(store.location.region == "r1")
            #expect(store.location.endpoint == "http://127.0.0.1:1")
        }
        let location = try ObjectLocation("s3://bucket?endpoint=http://127.0.0.1:2&region=r2")
        try await withObjectStore(location, environment: environment) { store throws in
            #expect(store.location.description == location.description)
        }
    }
}
