import PostgreSQLClient

extension ConnectionParameters {
    /// Those of an argument, which must have no password.
    ///
    /// - Throws: `CommandFailure`.
    init(server text: String, option: String) throws {
        do {
            try self.init(text)
        } catch {
            throw CommandFailure(status: 64, message: "\(option): \(error)")
        }
        if carriesPassword {
            throw CommandFailure(
                status: 64,
                message:
                    "\(option) has a password, and all users of a machine can see arguments. Put "
                    + "it into ~/.pgpass or PGPASSWORD, and leave it out.")
        }
    }
}
