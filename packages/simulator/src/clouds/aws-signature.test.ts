import { checkAwsSignature } from './aws-signature';

// Requests of the test suite that AWS published for Signature Version 4 (aws-sig-v4-test-suite), and the example of
// its documentation.
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const AT_MS = Date.UTC(2015, 7, 30, 12, 36, 0);
const PLAIN = { host: 'example.amazonaws.com' };
const IAM = {
  host: 'iam.amazonaws.com',
  'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
};

const request = (
  [method, url, service, headers]: readonly [string, string, string, Record<string, string>],
  signature: string,
) => {
  const all: Record<string, string> = { ...headers, 'x-amz-date': '20150830T123600Z' };
  const list = Object.keys(all).sort().join(';');
  const credential = `AKIDEXAMPLE/20150830/us-east-1/${service}/aws4_request`;
  all['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${list}, Signature=${signature}`;
  return { method, url, headers: all, body: Buffer.alloc(0) };
};
const RECORDED = [
  [
    ['GET', '/', 'service', PLAIN],
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    ['POST', '/', 'service', PLAIN],
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    ['GET', '/?Param2=value2&Param1=value1', 'service', PLAIN],
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    ['GET', '/?Action=ListUsers&Version=2010-05-08', 'iam', IAM],
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
] as const;
const secretOf = (id: string) => (id === 'AKIDEXAMPLE' ? SECRET : undefined);

test.each(RECORDED)('the recorded request %j is accepted', (what, signature) => {
  expect(checkAwsSignature(request(what, signature), secretOf, AT_MS)).toBe('AKIDEXAMPLE');
});

test.each([
  [
    'a part of the signature',
    (good: string) => good.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  ],
  ['a header that was added', (good: string) => good],
])('%s makes it another request', (what, change) => {
  const [[parts, signature]] = RECORDED;
  const changed = request(parts, change(signature));
  if (what.includes('header')) changed.headers['x-amz-target'] = 'another';
  expect(checkAwsSignature(changed, secretOf, AT_MS)).toBeUndefined();
});

test('a signature is valid for five minutes, for a known key', () => {
  const [[parts, signature]] = RECORDED;
  const good = request(parts, signature);
  expect(checkAwsSignature(good, secretOf, AT_MS + 300_000)).toBe('AKIDEXAMPLE');
  expect(checkAwsSignature(good, secretOf, AT_MS + 300_001)).toBeUndefined();
  expect(checkAwsSignature(good, () => undefined, AT_MS)).toBeUndefined();
});
