"""Serves moto's S3 on a free loopback port until its standard input ends.

Prints one line, the port, as soon as connections are accepted.
"""

import logging
import sys

from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
# The test process holds the other end, so that this ends with it, however it ends.
sys.stdin.read()
