#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# verify_jws.py - verifies signatures of JSON Web Tokens, without a library for them.
#
# Reads lines of a public JWK, a tab and a compact JWS.  Ends with status 0 if all
# signatures are valid.  The arithmetic of ECDSA and RSA is plain Python, so that the
# arithmetic shares no code and no mistake with libcrypto.  SHA-256 usually shares code
# with libcrypto, because Python's hashlib uses libcrypto.

import base64
import hashlib
import json
import sys

P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
SHA256_INFO = bytes.fromhex('3031300d060960864801650304020105000420')


def decode(text):
    return base64.b64decode(text + '=' * (-len(text) % 4), altchars=b'-_', validate=True)


def number(text):
    return int.from_bytes(decode(text), 'big')


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(k, point):
    result = None
    while k:
        if k & 1:
            result = add(result, point)
        point = add(point, point)
        k >>= 1
    return result


def is_ecdsa(jwk, digest, signature):
    if len(signature) != 64 or len(decode(jwk['x'])) != 32 or len(decode(jwk['y'])) != 32:
        return False
    q = number(jwk['x']), number(jwk['y'])
    r, s = int.from_bytes(signature[:32], 'big'), int.from_bytes(signature[32:], 'big')
    if (q[1] ** 2 - q[0] ** 3 + 3 * q[0] - B) % P or not 0 < r < N or not 0 < s < N:
        return False
    w = pow(s, -1, N)
    e = int.from_bytes(digest, 'big')
    point = add(multiply(e * w % N, G), multiply(r * w % N, q))
    return point is not None and point[0] % N == r


def is_rsa(jwk, digest, signature):
    n = number(jwk['n'])
    size = (n.bit_length() + 7) // 8
    block = b'\x00\x01' + b'\xff' * (size - 3 - len(SHA256_INFO) - 32) + b'\x00'
    opened = pow(int.from_bytes(signature, 'big'), number(jwk['e']), n)
    return len(signature) == size and opened.to_bytes(size, 'big') == block + SHA256_INFO + digest


def is_valid(jwk, jws):
    header, claims, signature = jws.split('.')
    digest = hashlib.sha256((header + '.' + claims).encode()).digest()
    algorithm = json.loads(decode(header))['alg']
    json.loads(decode(claims))
    if algorithm == 'ES256' and jwk['kty'] == 'EC' and jwk['crv'] == 'P-256':
        return is_ecdsa(jwk, digest, decode(signature))
    if algorithm == 'RS256' and jwk['kty'] == 'RSA':
        return is_rsa(jwk, digest, decode(signature))
    return False


for line in sys.stdin:
    key, token = line.rstrip('\n').split('\t')
    if not is_valid(json.loads(key), token):
        sys.exit('not valid: ' + line)
