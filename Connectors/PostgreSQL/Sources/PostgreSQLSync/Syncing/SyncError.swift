/// Why objects can't be copied to the server; what to do is in the message.
public enum SyncError: Error, CustomStringConvertible {
    /// The server's row of the feed was deleted while it was in use.
    case stateIsGone(String)
    /// The row is not one that this version wrote.
    case stateIsUnreadable(String)
    /// Somebody else made a table of that name: another feed, or nobody knows who.
    case tableExists(schema: String, String, owner: (store: String, feed: String)?)
    /// The feed has a copy somewhere, and not here.
    case otherTarget(feed: String, schema: String)
    /// The objects of the tables are from another directory, of which this one is a copy.
    case copyOfRealm(path: String)
    /// Something depends on tables that were to be dropped: what needs which.
    case tablesAreNeeded(String)
    /// A text has U+0000.
    case nulCharacter(type: String, property: String, key: String)
    /// A row and the stored schema don't agree.
    case mismatched(type: String, key: String, String)
    /// Another process with a copy of the realm writes the same tables.
    case otherCopy
    /// Tables with objects that the realm may not have any more would be dropped.
    case rebuildLosesRows([String])
    /// Asymmetric objects that only their numbers identify, in a realm whose history is another
    /// one.
    case indistinguishable([String])
    /// Tables with asymmetric objects that only their numbers identify, and no position that says
    /// which.
    case unknownRows([String])

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .stateIsGone(let table):
            "the row of this feed in \(table) was deleted while it was in use. Drop the tables that the "
                + "feed has, and run the command again."
        case .stateIsUnreadable(let table):
            "the row of this feed in \(table) can't be read: a newer version may have written it. Use "
                + "that version, or begin anew with --rebuild."
        case .tableExists(let schema, let table, nil):
            "there is a table \(schema).\(table) already, which is not of this feed. Choose another "
                + "schema with --schema, or drop or rename the table."
        case .tableExists(let schema, let table, (let store, let feed)?):
            "there is a table \(schema).\(table) already, of the feed \(feed) of the store \(store). If "
                + "another realm is copied there, choose another schema with --schema, or give each "
                + "a name with --source. If it was this realm before `travertine rekey`, or one that "
                + "is gone, drop its tables, and what is stored of it (DELETE FROM "
                + "\(schema.quoted).\(SyncState.table) WHERE store = '\(store)' AND feed = '\(feed)'), and "
                + "run the command again."
        case .otherTarget(let feed, let schema):
            "the feed \(feed) is copied somewhere already, and the schema \(schema) of this database "
                + "has nothing of it: a feed has one copy. Give this copy its own name with --feed, "
                + "or, if its tables were dropped here, make them again with --rebuild."
        case .copyOfRealm(let path):
            "these tables have the objects of \(path), and this realm is a copy of that one: it would "
                + "replace them by its own. Give it other tables, with --schema and --feed. If it is "
                + "to take the place of that realm, move that directory away first, or copy "
                + "everything again with --rebuild."
        case .tablesAreNeeded(let needs):
            "the tables can't be dropped, since something depends on them: \(needs). Nothing was "
                + "changed. Drop what depends on them (such as DROP VIEW …), run the command again, "
                + "and make it anew."
        case .nulCharacter(let type, let property, let key):
            "\(type).\(property) of the object \(key) has the character U+0000, which PostgreSQL can't "
                + "store. Change the text, or let the command replace it with --replace-nul."
        case .otherCopy:
            "another process copies to these tables, from a copy of this realm. End one of the two, or "
                + "give each its own tables with --schema."
        case .rebuildLosesRows(let tables):
            "the tables \(tables.joined(separator: ", ")) have objects of asymmetric types, which the "
                + "realm may not have any more. Rename these tables (ALTER TABLE … RENAME TO …), or drop "
                + "them, and run the command again."
        case .mismatched(let type, let key, let message):
            "the object \(key) of \(type) has \(message). Run `travertine fsck --deep`."
        case .indistinguishable(let types):
            "the realm was put back to an older state, and objects of the asymmetric types "
                + "\(types.joined(separator: ", ")) have no primary key, or an optional one: those "
                + "that were copied before can't be distinguished from new ones. Give the types a primary "
                + "key that is not optional, or copy all that the realm has again with --rebuild."
        case .unknownRows(let tables):
            "the tables \(tables.joined(separator: ", ")) have objects of asymmetric types without "
                + "primary key, or with an optional one, and travertine_sync has no position that says "
                + "which of the realm's these are. If the realm still has all of them, empty these tables (DELETE FROM …), and "
                + "run the command again; else rename them (ALTER TABLE … RENAME TO …), and run it "
                + "with --rebuild."
        }
    }
}
