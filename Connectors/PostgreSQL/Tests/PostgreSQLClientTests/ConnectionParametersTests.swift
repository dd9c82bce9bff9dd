import Testing

@testable import PostgreSQLClient

struct ConnectionParametersTests {
    @Test func aURLAndAListOfKeywordsSayTheSame() throws {
        let url = try ConnectionParameters(
            "postgresql://sync@db.example.com:5433/shop?sslmode=verify-full&sslrootcert=root.crt")
        let list = try ConnectionParameters(
            "host=db.example.com port=5433 user=sync dbname=shop sslmode=verify-full "
                + "sslrootcert=root.crt")
        #expect(url.description == list.description)
        #expect(url["host"] == "db.example.com")
        #expect(url["sslrootcert"] == "root.crt")
        #expect(url["passfile"] == nil)
        #expect(!url.carriesPassword)
    }

    @Test(arguments: [
        "postgres://sync:hunter22@db/shop", "host=db password=hunter22",
        "postgres://db/shop?sslpassword=hunter22", "postgres://sync:hunter%32%32@db/shop",
    ])
    func aPasswordIsNoticedAndNotShown(text: String) throws {
        let parameters = try ConnectionParameters(text)
        #expect(parameters.carriesPassword)
        var dumped = ""
        dump(parameters, to: &dumped)
        for shown in ["\(parameters)", String(reflecting: parameters), dumped] {
            #expect(!shown.contains("hunter"))
            #expect(shown.contains("password=[password]"))
        }
        #expect(parameters["password"] == nil)
        #expect(parameters["sslpassword"] == nil)
        #expect(parameters.secrets.redact("invalid: hunter22!") == "invalid: [password]!")
    }

    @Test(arguments: [
        // Passwords with characters that a URL must escape.
        "postgres://sync:hunter@22@db/shop", "postgres://sync:hunter/22@db/shop",
        "postgres://sync:22/hunter@db/shop", "postgres://sync:hunter%2@db/shop",
        "postgres://sync:hunter%zz@db/shop", "postgres://sync:hunter\u{0}@db/shop",
        "postgres://db:hunter/shop", "postgres://db/shop?password=hunter=2",
        "postgres://db/shop?hunter", "postgres://db/shop?hunter=1", "host=db password='hunter",
        "host=db password=my hunter", "host=db password=my hunter=2", "hunter",
        "host=db port=hunter",
        "host=db password=a\"b hunter\"=c",
    ])
    func whatIsInvalidIsRefusedWithoutBeingRepeated(text: String) throws {
        let error = try failure { _ = try ConnectionParameters(text) }
        guard case .invalidParameters(let message) = error else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
        #expect(!message.contains("hunter"), "\(message)")
        #expect(!message.isEmpty)
    }

    @Test func anInvalidTextIsExplained() throws {
        let error = try failure { _ = try ConnectionParameters("postgres://u:p@ss@db/shop") }
        #expect(error?.description.contains("%40") == true)
        let missing = try failure { _ = try ConnectionParameters("shop") }
        #expect(missing?.description.contains("missing \"=\"") == true)
    }

    @Test func anEmptyTextLeavesAllToTheEnvironment() throws {
        let parameters = try ConnectionParameters("")
        #expect(parameters.description.isEmpty)
        #expect(!parameters.carriesPassword)
    }

    @Test func whatTheTextLeavesOutIsAdded() throws {
        func values(_ text: String) throws -> [String: String] {
            let all = try ConnectionParameters(text).connectingValues
            return Dictionary(uniqueKeysWithValues: all.map { ($0.keyword, $0.value) })
        }
        let added = try values("host=db")
        #expect(added["client_encoding"] == "UTF8")
        #expect(added["fallback_application_name"] == "travertine")
        #expect(added["tcp_user_timeout"] == "30000")
        #expect(added["keepalives_idle"] == "30")
        let given = try values("host=db client_encoding=LATIN1 keepalives_idle=7")
        #expect(given["client_encoding"] == "UTF8")
        #expect(given["keepalives_idle"] == "7")
        let service = try values("service=shop")
        #expect(service["keepalives_idle"] == nil)
    }

    @Test func aValueCanBeReplaced() throws {
        let parameters = try ConnectionParameters("host=db")
            .setting("dbname", to: "shop").setting("password", to: "hunter22")
        #expect(parameters["dbname"] == "shop")
        #expect(!parameters.carriesPassword)
        #expect(!parameters.description.contains("hunter"))
        #expect(try parameters.setting("dbname", to: nil)["dbname"] == nil)
        #expect(try failure { _ = try parameters.setting("host", to: "a\u{0}") } != nil)
    }
}
