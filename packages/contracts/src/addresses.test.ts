import {
  checkCidrs,
  checkBaseUrl as checkUrlWith,
  checkAddress as checkWith,
  createAddressRules,
  writtenPort,
} from './addresses';

const checkAddress = (ip: string, allowed: readonly string[], port = 443) =>
  checkWith(ip, port, createAddressRules({ allowed }));
const checkBaseUrl = (url: string, allowed: readonly string[]) =>
  checkUrlWith(url, createAddressRules({ allowed }));

const EVERYTHING = ['0.0.0.0/0', '::/0'];

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '169.253.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('%s is public', (ip) => {
  expect(checkAddress(ip, [])).toEqual({ ok: true });
});

test.each([
  ['link-local', '169.254.0.1'],
  ['AWS, GCP and Azure metadata', '169.254.169.254'],
  ['ECS metadata', '169.254.170.2'],
  ['Alibaba metadata', '100.100.100.200'],
  ['Azure wire server', '168.63.129.16'],
  ['Oracle metadata', '192.0.0.192'],
  ['IPv6 link-local', 'fe80::1'],
  ['IPv6 link-local, end of range', 'febf:ffff::1'],
  ['IPv6 link-local with a zone', 'fe80::1%eth0'],
  ['AWS metadata over IPv6', 'fd00:ec2::254'],
  ['the same written in full', 'fd00:0ec2:0000:0000:0000:0000:0000:0254'],
  ['GCP metadata over IPv6', 'fd20:ce::254'],
  ['IPv4-mapped', '::ffff:169.254.169.254'],
  ['IPv4-mapped in hexadecimal', '::ffff:a9fe:a9fe'],
  ['IPv4-translated', '::ffff:0:169.254.169.254'],
  ['IPv4-compatible', '::169.254.169.254'],
  ['NAT64', '64:ff9b::a9fe:a9fe'],
  ['local NAT64, 96 bits', '64:ff9b:1::a9fe:a9fe'],
  ['local NAT64, 48 bits', '64:ff9b:1:a9fe:a9:fe00::'],
  ['6to4', '2002:a9fe:a9fe::1'],
  ['Teredo', '2001:0:1:2:3:4:5601:5601'],
])('%s (%s) is never allowed', (_what, ip) => {
  expect(checkAddress(ip, EVERYTHING)).toMatchObject({ ok: false });
  expect(checkAddress(ip, [...EVERYTHING, '169.254.169.254/32'])).toMatchObject({
    reason: expect.stringContaining('never allowed') as string,
  });
});

test.each([
  ['loopback', '127.0.0.1', '127.0.0.0/8'],
  ['the end of loopback', '127.255.255.254', '127.0.0.0/8'],
  ['unspecified', '0.0.0.0', '0.0.0.0/32'],
  ['this network', '0.1.2.3', '0.0.0.0/8'],
  ['private, class A', '10.1.2.3', '10.0.0.0/8'],
  ['private, class B', '172.31.255.255', '172.16.0.0/12'],
  ['private, class C', '192.168.1.1', '192.168.0.0/16'],
  ['carrier-grade NAT', '100.64.0.1', '100.64.0.0/10'],
  ['benchmarks', '198.19.0.1', '198.18.0.0/15'],
  ['multicast', '224.0.0.1', '224.0.0.0/4'],
  ['reserved', '240.0.0.1', '240.0.0.0/4'],
  ['broadcast', '255.255.255.255', '255.255.255.255/32'],
  ['IPv6 loopback', '::1', '::1/128'],
  ['IPv6 unspecified', '::', '::/128'],
  ['unique local', 'fd12:3456::1', 'fc00::/7'],
  ['IPv6 multicast', 'ff02::1', 'ff00::/8'],
  ['site-local', 'fec0::1', 'fec0::/10'],
  ['documentation', '2001:db8::1', '2001:db8::/32'],
  ['local NAT64', '64:ff9b:1::808:808', '64:ff9b:1::/48'],
  ['mapped loopback', '::ffff:127.0.0.1', '127.0.0.0/8'],
  ['compatible loopback', '::7f00:1', '127.0.0.0/8'],
  ['NAT64 private', '64:ff9b::10.0.0.1', '10.0.0.0/8'],
  ['6to4 private', '2002:c0a8:101::1', '192.168.0.0/16'],
])('%s (%s) is allowed only by a range such as %s', (_what, ip, cidr) => {
  expect(checkAddress(ip, [])).toMatchObject({ ok: false });
  expect(checkAddress(ip, ['203.0.113.0/24', '2001:db8:1::/48'])).toMatchObject({ ok: false });
  expect(checkAddress(ip, [cidr])).toEqual({ ok: true });
});

test('a range allows its addresses and not the next ones', () => {
  const cidrs = ['10.1.0.0/30'];
  expect(checkAddress('10.1.0.3', cidrs).ok).toBe(true);
  expect(checkAddress('10.1.0.4', cidrs).ok).toBe(false);
  expect(checkAddress('10.0.255.255', cidrs).ok).toBe(false);
});

test('allowing the unspecified network does not allow IPv6 loopback', () => {
  expect(checkAddress('::1', ['0.0.0.0/8']).ok).toBe(false);
});

test.each([
  '',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '0x7f.0.0.1',
  ':::1',
  '[::1]',
  '1.1.1.1/8',
])('%j is no address', (ip) => {
  expect(checkAddress(ip, EVERYTHING)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('not an IP address') as string,
  });
});

test.each([
  '10.0.0.0',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  'x/8',
  '10.0.0.0/',
  'fe80::%1/10',
])('%j is no range', (cidr) => {
  expect(() => checkCidrs(['10.0.0.0/8', cidr])).toThrow(RangeError);
});

test.each([
  'https://api.example.com/v1',
  'http://api.example.com:8000',
  'https://8.8.8.8/v1',
  'https://[2606:4700:4700::1111]/v1',
])('%s may be a base URL', (url) => {
  expect(checkBaseUrl(url, [])).toMatchObject({ ok: true });
});

test.each([
  'http://127.0.0.1:9090/v1',
  'http://127.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0x7f000001/',
  'http://127.0.0.1./',
  'http://①②⑦.0.0.1/',
  'http://%31%32%37.0.0.1/',
  'http://[::1]:9090/',
  'http://[::ffff:127.0.0.1]/',
  'http://localhost:9090/v1',
  'http://LOCALHOST./',
  'http://a.localhost/',
])('%s is this machine, so only an allowed range admits it', (url) => {
  expect(checkBaseUrl(url, [])).toMatchObject({ ok: false });
  expect(checkBaseUrl(url, ['127.0.0.0/8', '::1/128'])).toMatchObject({ ok: true });
});

test.each([
  'http://169.254.169.254/latest',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[fd00:ec2::254]/',
  'http://metadata.google.internal/computeMetadata',
  'http://METADATA.google.internal./',
  'http://metadata/',
])('%s is never a base URL', (url) => {
  expect(checkBaseUrl(url, EVERYTHING)).toMatchObject({ ok: false });
});

test.each([
  ['not a URL', '://'],
  ['a path', '/v1'],
  ['another scheme', 'ftp://api.example.com'],
  ['a file', 'file:///etc/passwd'],
  ['a socket', 'unix:///run/x.sock'],
  ['credentials', 'https://user:secret@api.example.com'],
  ['a query', 'https://api.example.com/v1?key=secret'],
  ['a fragment', 'https://api.example.com/v1#x'],
])('%s is refused without repeating the URL', (_what, url) => {
  const verdict = checkBaseUrl(url, EVERYTHING);
  expect(verdict.ok).toBe(false);
  expect(JSON.stringify(verdict)).not.toContain('secret');
});

describe('ports of allowed ranges', () => {
  const OWN = ['5432', '8080-8084', 50_052];
  const check = (ip: string, port: number, ...allowed: string[]) =>
    checkWith(ip, port, createAddressRules({ allowed, denied: OWN }));

  test.each([
    ['127.0.0.1', 9090, '127.0.0.0/8'],
    ['127.0.0.1', 8079, '127.0.0.0/8'],
    ['127.0.0.1', 50_052, '127.0.0.0/8:50052'],
    ['10.1.2.3', 443, '10.0.0.0/8:443'],
    ['10.1.2.3', 8000, '10.0.0.0/8:8000-8999'],
    ['10.1.2.3', 8999, '10.0.0.0/8:8000-8999'],
    ['fd00::1', 443, '[fd00::/8]:443'],
    ['fd00::1', 9000, 'fd00::/8'],
    ['fd00::1', 9000, '[fd00::/8]:9000-9001'],
    ['::ffff:10.1.2.3', 443, '10.0.0.0/8:443'],
  ])('%s port %i is opened by %s', (ip, port, entry) => {
    expect(check(ip, port, entry)).toEqual({ ok: true });
  });

  test.each([
    ['127.0.0.1', 50_052, '127.0.0.0/8'],
    ['127.0.0.1', 5432, '127.0.0.0/8'],
    ['127.0.0.1', 8082, '127.0.0.0/8'],
    ['::ffff:127.0.0.1', 50_052, '127.0.0.0/8'],
    ['64:ff9b::7f00:1', 50_052, '127.0.0.0/8'],
    ['::1', 50_052, '::1/128'],
  ])('%s port %i is one of the gateway’s, which %s does not open', (ip, port, entry) => {
    const verdict = check(ip, port, entry);
    expect(verdict).toMatchObject({ ok: false });
    expect(JSON.stringify(verdict)).toMatch(/UPSTREAM_DENIED_PORTS.*UPSTREAM_ALLOWED_CIDRS/);
    const named = /such as (\S+?)"/.exec(JSON.stringify(verdict))?.[1] ?? '';
    expect(check(ip, port, named)).toEqual({ ok: true });
  });

  test.each([
    ['10.1.2.3', 80, '10.0.0.0/8:443'],
    ['10.1.2.3', 9000, '10.0.0.0/8:8000-8999'],
    ['fd00::1', 80, '[fd00::/8]:443'],
  ])('%s port %i is not opened by %s', (ip, port, entry) => {
    const verdict = check(ip, port, entry);
    expect(JSON.stringify(verdict)).toContain(`do not open port ${port}`);
  });

  test('one entry that opens a port is enough, and public addresses need none', () => {
    expect(check('10.1.2.3', 5432, '10.0.0.0/8', '10.1.0.0/16:5432').ok).toBe(true);
    expect(check('8.8.8.8', 5432).ok).toBe(true);
  });

  test('a base URL is judged with its port, also the one that its scheme means', () => {
    const rules = createAddressRules({ allowed: ['127.0.0.0/8'], denied: OWN });
    for (const host of ['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]']) {
      expect(checkUrlWith(`http://${host}:50052/v1`, rules).ok).toBe(false);
      expect(checkUrlWith(`http://${host}:9090/v1`, rules).ok).toBe(true);
    }
    const local = checkUrlWith('http://localhost:50052', rules);
    expect(JSON.stringify(local)).toContain('UPSTREAM_DENIED_PORTS');
    const secure = createAddressRules({ allowed: ['10.0.0.0/8:443'] });
    expect(checkUrlWith('https://10.0.0.1/v1', secure).ok).toBe(true);
    expect(checkUrlWith('http://10.0.0.1/v1', secure).ok).toBe(false);
  });

  test.each([
    '10.0.0.0/8:',
    '10.0.0.0/8:0',
    '10.0.0.0/8:65536',
    '10.0.0.0/8:9-8',
    '10.0.0.0/8:http',
    '10.0.0.0/8:1-2-3',
    '10.0.0.0:443',
    '[fd00::/8]',
    '[fd00::/8]443',
    '[10.0.0.0/99]:443',
  ])('%j is no entry', (entry) => {
    expect(() => createAddressRules({ allowed: [entry] })).toThrow(RangeError);
  });

  test('the port of an address is read as it is written', () => {
    expect(['policy:50051', '[::1]:50051', 'postgres://u:p@db:5433/x'].map(writtenPort)).toEqual([
      50_051, 50_051, 5433,
    ]);
    expect(['policy', 'https://console.example', ''].map(writtenPort)).toEqual(
      Array(3).fill(undefined),
    );
  });
});
