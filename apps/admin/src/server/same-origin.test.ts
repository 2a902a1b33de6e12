import { isOwnRequest, ownPath } from './same-origin';

const HOST = { host: 'console.example:3000' };

test.each([
  ['our own page', { 'sec-fetch-site': 'same-origin' }, true],
  [
    'another site',
    { 'sec-fetch-site': 'cross-site', origin: 'http://console.example:3000' },
    false,
  ],
  ['another subdomain', { 'sec-fetch-site': 'same-site' }, false],
  ['the address bar', { 'sec-fetch-site': 'none' }, false],
  ['our own origin, unencrypted', { origin: 'http://console.example:3000' }, true],
  [
    'our origin behind a proxy',
    { origin: 'https://a.example', 'x-forwarded-host': 'a.example' },
    true,
  ],
  ['another port', { origin: 'http://console.example:8080' }, false],
  ['another origin', { origin: 'https://evil.example' }, false],
  ['a hidden origin', { origin: 'null' }, false],
  ['nowhere', {}, false],
])('a change asked for by %s: %j → %s', (_name, headers, passes) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(isOwnRequest(method, new Headers({ ...HOST, ...headers }))).toBe(passes);
  }
});

test('a read may come from anywhere', () => {
  expect(isOwnRequest('GET', new Headers({ ...HOST, 'sec-fetch-site': 'cross-site' }))).toBe(true);
});

test('after sign-in only a path of this site is gone to', () => {
  expect(ownPath('/northwind/apikeys?search=a')).toBe('/northwind/apikeys?search=a');
  for (const other of [
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    '',
    undefined,
  ]) {
    expect(ownPath(other)).toBeUndefined();
  }
});
