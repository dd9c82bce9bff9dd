"""Random documents as pymongo's bson encodes them, and pymongo's reading of documents made here.

"generate SEED COUNT" writes lines of BSON in hexadecimal digits, canonical Extended JSON, relaxed
Extended JSON, and the BSON of what the relaxed form reads as, with tabs between them.
"read" reads lines of canonical and relaxed Extended JSON and writes the BSON that each reads as.
It exits with status 3 where pymongo's bson is not installed.
"""

import random
import sys
import uuid

try:
    import bson
    from bson import json_util
    from bson.binary import Binary, UuidRepresentation
    from bson.codec_options import CodecOptions, DatetimeConversion
    from bson.code import Code
    from bson.datetime_ms import DatetimeMS
    from bson.dbref import DBRef
    from bson.decimal128 import Decimal128
    from bson.int64 import Int64
    from bson.max_key import MaxKey
    from bson.min_key import MinKey
    from bson.objectid import ObjectId
    from bson.regex import Regex
    from bson.son import SON
    from bson.timestamp import Timestamp
except ImportError:
    sys.exit(3)

OPTIONS = CodecOptions(
    document_class=SON, uuid_representation=UuidRepresentation.STANDARD,
    datetime_conversion=DatetimeConversion.DATETIME_MS)
JSON = {
    mode: json_util.JSONOptions(
        json_mode=mode, document_class=SON, uuid_representation=UuidRepresentation.STANDARD,
        datetime_conversion=DatetimeConversion.DATETIME_MS)
    for mode in (json_util.JSONMode.CANONICAL, json_util.JSONMode.RELAXED)}
CANONICAL = JSON[json_util.JSONMode.CANONICAL]
RELAXED = JSON[json_util.JSONMode.RELAXED]
LETTERS = "abcXYZ 09_.\"\\/\b\n\t\u001f\u007f\u00e9\u6771\u4eac\U0001F600\u2028"


def text(source, zero=False):
    letters = LETTERS + ("\0" if zero else "")
    return "".join(source.choice(letters) for _ in range(source.choice([0, 1, 5, 15, 16, 40])))


def double(source):
    return source.choice([
        0.0, -0.0, 1.0, 0.1, -1.5, 1e16, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 2.0**53,
        float("inf"), float("-inf"), float("nan"), source.random(),
        source.uniform(-1e6, 1e6), source.random() * 10.0 ** source.randrange(-300, 300)])


def value(source, depth):
    kind = source.randrange(20 if depth < 4 else 17)
    if kind == 0:
        return None
    if kind == 1:
        return source.random() < 0.5
    if kind == 2:
        return source.choice([0, 1, -1, 2**31 - 1, -2**31, source.randrange(-2**31, 2**31)])
    if kind == 3:
        return Int64(source.choice([0, 2**31, 2**63 - 1, -2**63, source.randrange(-2**63, 2**63)]))
    if kind == 4:
        return double(source)
    if kind == 5:
        return Decimal128(source.choice([
            "0", "-0E+3", "1.50", "NaN", "Infinity", "-Infinity", "9.99E+6144", "1E-6176",
            f"{source.randrange(-10**20, 10**20)}E{source.randrange(-50, 50)}"]))
    if kind == 6:
        return Binary(source.randbytes(source.randrange(20)), source.choice([0, 1, 2, 5, 128, 255]))
    if kind == 7:
        return uuid.UUID(bytes=source.randbytes(16))
    if kind == 8:
        return ObjectId(source.randbytes(12))
    if kind == 9:
        return DatetimeMS(source.choice([
            0, -1, 1, 253402300799999, 253402300800000, -62135596800000, -2**63, 2**63 - 1,
            1356351330501, 951782400000, source.randrange(-10**14, 10**15)]))
    if kind == 10:
        return Timestamp(source.randrange(2**32), source.randrange(2**32))
    if kind == 11:
        options = source.choice([0, 2, 8, 2 | 8, 2 | 4 | 8 | 16 | 32 | 64])
        return Regex(text(source), options)
    if kind == 12:
        return Code(text(source, zero=True))
    if kind == 13:
        return source.choice([MinKey(), MaxKey()])
    if kind == 14:
        return DBRef(text(source), source.choice([1, "x", ObjectId(b"abcdefghijkl")]),
                     source.choice([None, "there"]))
    if kind == 15:
        return Code(text(source), document(source, 4))
    if kind == 16:
        return text(source, zero=True)
    if kind == 17:
        return [value(source, depth + 1) for _ in range(source.choice([0, 1, 3, 12]))]
    return document(source, depth + 1)


def document(source, depth=0):
    result = SON()
    for _ in range(source.choice([0, 1, 2, 5, 14])):
        result[text(source) + source.choice(["", "key"])] = value(source, depth)
    return result


def encode(document):
    return bson.encode(document, codec_options=OPTIONS).hex()


if sys.argv[1] == "generate":
    source = random.Random(int(sys.argv[2]))
    for _ in range(int(sys.argv[3])):
        made = document(source)
        relaxed = json_util.dumps(made, json_options=RELAXED)
        print("\t".join([
            encode(made), json_util.dumps(made, json_options=CANONICAL), relaxed,
            encode(json_util.loads(relaxed, json_options=RELAXED))]))
else:
    for line in sys.stdin:
        canonical, relaxed = line.rstrip("\n").split("\t")
        print(encode(json_util.loads(canonical, json_options=CANONICAL)),
              encode(json_util.loads(relaxed, json_options=RELAXED)))
