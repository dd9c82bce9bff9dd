"""Signs requests with botocore.

Reads a JSON array of requests from standard input: method, url, headers (those to be signed),
stamp, region, accessKeyID and secretAccessKey. Prints a JSON array of the signatures.
"""

import json
import sys

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

signatures = []
for item in json.load(sys.stdin):
    credentials = Credentials(item["accessKeyID"], item["secretAccessKey"])
    auth = S3SigV4Auth(credentials, "s3", item["region"])
    request = AWSRequest(method=item["method"], url=item["url"], headers=item["headers"])
    request.context["timestamp"] = item["stamp"]
    text = auth.string_to_sign(request, auth.canonical_request(request))
    signatures.append(auth.signature(text, request))
print(json.dumps(signatures))
