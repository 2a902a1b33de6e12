import {
  cookieSet,
  endedCookies,
  isEncrypted,
  readSession,
  sessionCookies,
  withTokens,
} from './session';

const tokens = { access: 'a.b.c', accessSeconds: 900, refresh: 'r1', refreshSeconds: 1_209_600 };

test('what was set is read again', () => {
  const header = sessionCookies(tokens, false)
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  expect(readSession(`theme=dark; ${header}`)).toEqual({ access: 'a.b.c', refresh: 'r1' });
});

test('no script and no other site gets at the cookies, and only encrypted when they came so', () => {
  for (const cookie of [...sessionCookies(tokens, true), ...endedCookies(true)]) {
    expect(cookie).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/);
  }
  expect(sessionCookies(tokens, false).join()).not.toContain('Secure');
});

test('the access token leaves the browser a little before it expires', () => {
  expect(sessionCookies(tokens, false)[0]).toContain('Max-Age=885;');
  expect(sessionCookies({ ...tokens, accessSeconds: 5 }, false)[0]).toContain('Max-Age=1;');
});

test('an ended session takes both cookies away', () => {
  expect(endedCookies(false)).toEqual([
    expect.stringMatching(/^tollgate_console_access=; .*Max-Age=0;/),
    expect.stringMatching(/^tollgate_console_refresh=; .*Max-Age=0;/),
  ]);
});

test('what is no token is not passed on', () => {
  const bad = 'tollgate_console_access=a%20b; tollgate_console_refresh=';
  expect(readSession(bad)).toEqual({ access: undefined, refresh: undefined });
  expect(readSession(null)).toEqual({ access: undefined, refresh: undefined });
});

test('new tokens replace the old ones in a request and leave its other cookies', () => {
  const header = withTokens('theme=dark; tollgate_console_refresh=r0', tokens);
  expect(header).toContain('theme=dark');
  expect(readSession(header)).toEqual({ access: 'a.b.c', refresh: 'r1' });
});

test("the catalog's refresh cookie is found by its name", () => {
  const headers = ['x=1; Path=/', 'tollgate_refresh=abc; Path=/api/auth; Max-Age=60; HttpOnly'];
  expect(cookieSet(headers, 'tollgate_refresh')).toEqual({ value: 'abc', maxAgeSeconds: 60 });
  expect(cookieSet(headers, 'other')).toBeUndefined();
  expect(cookieSet(['tollgate_refresh=; Max-Age=0'], 'tollgate_refresh')).toBeUndefined();
});

test('encryption is what the first proxy saw', () => {
  const of = (value: string): boolean => isEncrypted(new Headers({ 'x-forwarded-proto': value }));
  expect([of('https'), of('https, http'), of('http'), isEncrypted(new Headers())]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
