import { signatureFault, type SignedRequest } from './aws-signature';

// The example of an upload in Amazon's specification.
const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const SIGNATURE = '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd';
const REQUEST: SignedRequest = {
  method: 'PUT',
  url: '/test%24file.text',
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    date: 'Fri, 24 May 2013 00:00:00 GMT',
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=${SIGNATURE}`,
  },
  body: Buffer.from('Welcome to Amazon S3.'),
};

test("Amazon's own example is accepted", () => {
  expect(signatureFault(REQUEST, KEY)).toBeUndefined();
});

const { headers } = REQUEST;
test.each<[string, Partial<SignedRequest>, string]>([
  ['another path', { url: '/other' }, 'SignatureDoesNotMatch'],
  ['a query', { url: '/test%24file.text?acl' }, 'SignatureDoesNotMatch'],
  ['another method', { method: 'POST' }, 'SignatureDoesNotMatch'],
  ['another body', { body: Buffer.from('x') }, 'XAmzContentSHA256Mismatch'],
  ['a header of its own', { headers: { ...headers, 'x-amz-acl': 'public-read' } }, 'AccessDenied'],
  ['no signature', { headers: { ...headers, authorization: '' } }, 'AccessDenied'],
])('%s is refused', (_, change, code) => {
  expect(signatureFault({ ...REQUEST, ...change }, KEY)).toBe(code);
});

test('another key, secret or region is refused', () => {
  expect(signatureFault(REQUEST, { ...KEY, accessKeyId: 'x' })).toBe('InvalidAccessKeyId');
  expect(signatureFault(REQUEST, { ...KEY, secretAccessKey: 'x' })).toBe('SignatureDoesNotMatch');
  expect(signatureFault(REQUEST, { ...KEY, region: 'x' })).toBe('AuthorizationHeaderMalformed');
});
