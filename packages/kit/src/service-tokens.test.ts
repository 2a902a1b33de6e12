import { isLoopback } from './loopback';
import { safeEqual } from './safe-equal';
import { checkToken, createCallerOf, ownToken, parseTokens } from './service-tokens';

const EDGE = 'edge-token-0123456789';
const POLICY = 'policy-token-0123456789';

test('each entry names a caller by its token', () => {
  const tokens = parseTokens(` edge=${EDGE}, policy=${POLICY},`);
  expect([...tokens]).toEqual([
    [EDGE, 'edge'],
    [POLICY, 'policy'],
  ]);
  const callerOf = createCallerOf(tokens);
  expect(callerOf(EDGE)).toBe('edge');
  expect(callerOf(POLICY)).toBe('policy');
  expect(callerOf(`${EDGE}x`)).toBeUndefined();
  expect(callerOf('')).toBeUndefined();
});

test('an empty text lists nobody, and nobody is recognised', () => {
  const tokens = parseTokens('');
  expect(tokens.size).toBe(0);
  expect(createCallerOf(tokens)('')).toBeUndefined();
});

test.each([
  ['edge', 'entry 1 must read <service>=<token>'],
  [`=${EDGE}`, 'entry 1 must read <service>=<token>'],
  [`edge=${EDGE},Policy=${POLICY}`, 'entry 2 must read <service>=<token>'],
  [`${'x'.repeat(64)}=${EDGE}`, 'entry 1 must read <service>=<token>'],
  ['edge=short-secret', 'the token of edge must have at least 16 characters'],
  ['edge=with a blank inside it', 'the token of edge must be printable ASCII without blanks'],
  [`edge=${EDGE},edge=${POLICY},edge=${EDGE}x`, 'edge is listed more than twice'],
  [`edge=${EDGE},policy=${EDGE}`, 'the token of policy is in another entry too'],
])('%s is refused without showing a token', (text, message) => {
  expect(() => parseTokens(text)).toThrow(new RangeError(message));
});

test('while a token is replaced both name their service, and the first is sent', () => {
  const text = `edge=${EDGE},edge=${POLICY}`;
  const callerOf = createCallerOf(parseTokens(text));
  expect([callerOf(EDGE), callerOf(POLICY)]).toEqual(['edge', 'edge']);
  expect(ownToken('edge', { INTERNAL_TOKEN: '', INTERNAL_TOKENS: text })).toBe(EDGE);
});

test("a service's own token is its own variable, else the entry with its name", () => {
  const both = { INTERNAL_TOKEN: POLICY, INTERNAL_TOKENS: `edge=${EDGE}` };
  expect(ownToken('edge', both)).toBe(POLICY);
  expect(ownToken('edge', { ...both, INTERNAL_TOKEN: '' })).toBe(EDGE);
  expect(ownToken('policy', { ...both, INTERNAL_TOKEN: '' })).toBeUndefined();
});

test('an own token is held to the same rules', () => {
  expect(() => checkToken(EDGE)).not.toThrow();
  expect(() => checkToken('short')).toThrow(new RangeError('must have at least 16 characters'));
  expect(() => checkToken('with a blank inside it')).toThrow(/printable ASCII without blanks/);
});

test('equal secrets are equal, different ones of any length are not', () => {
  expect(safeEqual('abc', 'abc')).toBe(true);
  expect(safeEqual('abc', 'abd')).toBe(false);
  expect(safeEqual('abc', 'abcd')).toBe(false);
  expect(safeEqual('', '')).toBe(true);
});

test('only addresses of this machine are loopback', () => {
  const local = ['127.0.0.1', '127.1.2.3', '::1', 'localhost'];
  const open = ['0.0.0.0', '::', '10.0.0.1', '192.168.0.1', 'example.test', '', '::ffff:10.0.0.1'];
  expect(local.filter((host) => !isLoopback(host))).toEqual([]);
  expect(open.filter((host) => isLoopback(host))).toEqual([]);
});
