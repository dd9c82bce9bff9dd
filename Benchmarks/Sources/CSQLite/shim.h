#include <sqlite3.h>

// The types of the functions that a library is searched for.
#define SQLITE_FUNCTION(name) typedef __typeof__(&sqlite3_##name) sqlite3_##name##_function
SQLITE_FUNCTION(open_v2);
SQLITE_FUNCTION(close);
SQLITE_FUNCTION(errstr);
SQLITE_FUNCTION(errmsg);
SQLITE_FUNCTION(busy_timeout);
SQLITE_FUNCTION(exec);
SQLITE_FUNCTION(prepare_v2);
SQLITE_FUNCTION(prepare_v3);
SQLITE_FUNCTION(bind_blob);
SQLITE_FUNCTION(bind_int64);
SQLITE_FUNCTION(step);
SQLITE_FUNCTION(reset);
SQLITE_FUNCTION(column_blob);
SQLITE_FUNCTION(column_bytes);
SQLITE_FUNCTION(finalize);
SQLITE_FUNCTION(libversion);
#undef SQLITE_FUNCTION
