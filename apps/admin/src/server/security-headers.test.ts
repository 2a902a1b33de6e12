import { contentSecurityPolicy, securityHeaders } from './security-headers';

const rules = new Map(
  contentSecurityPolicy('abc')
    .split('; ')
    .map((rule) => [rule.split(' ')[0] ?? '', rule.split(' ').slice(1).join(' ')]),
);

test('only scripts of this very answer run', () => {
  expect(rules.get('script-src')).toBe("'self' 'nonce-abc' 'strict-dynamic'");
  expect(rules.get('default-src')).toBe("'none'");
  expect(contentSecurityPolicy('abc')).not.toContain('unsafe-eval');
});

test('nobody frames the console, sends its forms elsewhere or moves its base', () => {
  expect(rules.get('frame-ancestors')).toBe("'none'");
  expect(rules.get('form-action')).toBe("'self'");
  expect(rules.get('base-uri')).toBe("'none'");
  expect(securityHeaders(false)['x-frame-options']).toBe('DENY');
});

test('only what came encrypted asks to stay so', () => {
  expect(securityHeaders(true)).toHaveProperty('strict-transport-security');
  expect(securityHeaders(false)).not.toHaveProperty('strict-transport-security');
});
