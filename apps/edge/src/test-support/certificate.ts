// Creates a fresh certificate for each test, so that the repository holds no private key. X.509 in
// DER, with only the parts that a TLS client checks.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

/** Object identifiers, DER-encoded. */
const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ALT_NAME = Buffer.from('0603551d11', 'hex');
const BASIC = Buffer.from('0603551d13', 'hex');
const TRUE = Buffer.from('0101ff', 'hex');

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${text}Z`));
}

/** A certificate for `localhost` and 127.0.0.1 that signs itself, in PEM. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, ECDSA_SHA256);
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from('test upstream')))),
  );
  const names = der(
    SEQUENCE,
    der(DNS_NAME, Buffer.from('localhost')),
    der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = der(
    SEQUENCE,
    der(SEQUENCE, ALT_NAME, der(OCTET_STRING, names)),
    der(SEQUENCE, BASIC, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE))),
  );
  const now = Date.now();
  const serial = randomBytes(8);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial),
    algorithm,
    name,
    der(SEQUENCE, time(now - 86_400_000), time(now + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', body, privateKey));
  const lines = der(SEQUENCE, body, algorithm, signature)
    .toString('base64')
    .replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
