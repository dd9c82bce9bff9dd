// The README's two examples, compiled and run by `Tools/test`.
try storeObjects()
try storeKeysAndValues()
