import fc from 'fast-check';

import { eraOf, protocolVersionOf } from './era';
import type { HeaderLines } from './header-lines';
import { checkModernHeaders, type CheckedMessage } from './modern-headers';

const MODERN = '2026-07-28';
const FIELD = 'io.modelcontextprotocol/protocolVersion';

const message = (method: string, params: object = {}, claim: unknown = MODERN): CheckedMessage => ({
  kind: 'request',
  method,
  params: claim === null ? params : { ...params, _meta: { [FIELD]: claim } },
});

/** Lines as Node gives them: names in lower case. */
const lines = (headers: Record<string, string | string[]>): HeaderLines =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]),
  );

const call = message('tools/call', { name: 'add', arguments: {} });
const list = message('tools/list');
const own = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add' };
const check = (headers: Record<string, string | string[]>, checked = call) =>
  checkModernHeaders(lines(headers), checked);

test.each([
  ['a version', { 'MCP-Protocol-Version': '2026-07-29' }, 'MCP-Protocol-Version', 'different'],
  [
    'a legacy version',
    { 'MCP-Protocol-Version': '2025-11-25' },
    'MCP-Protocol-Version',
    'different',
  ],
  [
    'two versions',
    { 'MCP-Protocol-Version': [MODERN, MODERN] },
    'MCP-Protocol-Version',
    'repeated',
  ],
  ['no version', { 'MCP-Protocol-Version': [] }, 'MCP-Protocol-Version', 'missing'],
  ['a method', { 'Mcp-Method': 'prompts/list' }, 'Mcp-Method', 'different'],
  ['a method in capitals', { 'Mcp-Method': 'TOOLS/CALL' }, 'Mcp-Method', 'different'],
  ['an encoded method', { 'Mcp-Method': '=?base64?dG9vbHMvY2FsbA==?=' }, 'Mcp-Method', 'different'],
  ['no method', { 'Mcp-Method': [] }, 'Mcp-Method', 'missing'],
  ['two methods', { 'Mcp-Method': ['tools/call', 'ping'] }, 'Mcp-Method', 'repeated'],
  ['a name', { 'Mcp-Name': 'wrong_tool_name' }, 'Mcp-Name', 'different'],
  ['no name', { 'Mcp-Name': [] }, 'Mcp-Name', 'missing'],
  ['two names, the right one first', { 'Mcp-Name': ['add', 'delete'] }, 'Mcp-Name', 'repeated'],
  ['a name with a letter of Latin-1', { 'Mcp-Name': 'ad\u00e9' }, 'Mcp-Name', 'invalid'],
  ['a name with a control character', { 'Mcp-Name': 'ad\u0001' }, 'Mcp-Name', 'invalid'],
  ['Base64 without padding', { 'Mcp-Name': '=?base64?YWRkMQ?=' }, 'Mcp-Name', 'invalid'],
  ['Base64 with other characters', { 'Mcp-Name': '=?base64?YW!!ZA==?=' }, 'Mcp-Name', 'invalid'],
  ['Base64 with superfluous bits', { 'Mcp-Name': '=?base64?YR==?=' }, 'Mcp-Name', 'invalid'],
  ['Base64 of no UTF-8', { 'Mcp-Name': '=?base64?/w==?=' }, 'Mcp-Name', 'invalid'],
  ['another encoded name', { 'Mcp-Name': '=?base64?YWQ=?=' }, 'Mcp-Name', 'different'],
  ['markers in capitals', { 'Mcp-Name': '=?BASE64?YWRk?=' }, 'Mcp-Name', 'different'],
])('%s that the body does not have is told', (_what, headers, header, reason) => {
  expect(check({ ...own, ...headers })).toMatchObject({ header, reason });
});

test.each([
  ['as sent', {}],
  ['in Base64', { 'Mcp-Name': '=?base64?YWRk?=' }],
  ['with spaces around', { 'Mcp-Name': ' \t add  ' }],
])('headers that agree pass: %s', (_what, headers) => {
  expect(check({ ...own, ...headers })).toBeUndefined();
});

test('headers that a method does not need are not compared', () => {
  const headers = { ...own, 'Mcp-Method': 'tools/list', 'Mcp-Name': 'anything' };
  expect(check(headers, list)).toBeUndefined();
});

test('a resource is named by its URI', () => {
  const read = message('resources/read', { uri: 'file:///a' });
  const headers = { ...own, 'Mcp-Method': 'resources/read' };
  expect(check({ ...headers, 'Mcp-Name': 'file:///a' }, read)).toBeUndefined();
  expect(check(headers, read)).toMatchObject({ header: 'Mcp-Name', reason: 'different' });
});

test('the name of a task is compared, but only its server requires it', () => {
  const get = message('tasks/get', { taskId: 't1' });
  const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tasks/get' };
  expect(check(headers, get)).toBeUndefined();
  expect(check({ ...headers, 'Mcp-Name': 't2' }, get)).toMatchObject({ reason: 'different' });
});

test('a body without the name leaves the answer to the server', () => {
  expect(check({ ...own, 'Mcp-Name': [] }, message('tools/call', {}))).toBeUndefined();
});

test('a notification needs no headers, but those it has must agree', () => {
  const note: CheckedMessage = { ...message('notifications/x'), kind: 'notification' };
  expect(check({}, note)).toBeUndefined();
  expect(check({ 'Mcp-Method': 'notifications/y' }, note)).toMatchObject({ reason: 'different' });
});

test('a revision that is not known here has its required headers checked by the server', () => {
  const later = message('tools/call', { name: 'add' }, '2027-01-01');
  expect(check({ 'MCP-Protocol-Version': '2027-01-01' }, later)).toBeUndefined();
  expect(
    check({ ...own, 'MCP-Protocol-Version': '2027-01-01', 'Mcp-Name': 'b' }, later),
  ).toMatchObject({ header: 'Mcp-Name' });
});

test('a modern header without a revision in the body is the server’s to refuse', () => {
  expect(
    check({ 'MCP-Protocol-Version': MODERN }, message('tools/list', {}, null)),
  ).toBeUndefined();
});

test('legacy messages are not checked, except for a modern version in the header', () => {
  const old = message('tools/call', { name: 'add' }, null);
  const headers = { 'Mcp-Method': 'ping', 'Mcp-Name': 'other' };
  expect(check(headers, old)).toBeUndefined();
  expect(check({ ...headers, 'MCP-Protocol-Version': '2025-06-18' }, old)).toBeUndefined();
  const claimed = message('tools/call', { name: 'add' }, '2025-11-25');
  expect(check({ 'MCP-Protocol-Version': MODERN }, claimed)).toMatchObject({ reason: 'different' });
});

test('long values are shortened in the message, which stays well formed', () => {
  const name = `\u{1f600}`.repeat(4_000);
  const found = check({ ...own, 'Mcp-Name': 'x'.repeat(9_000) }, message('tools/call', { name }));
  expect(found?.message.length).toBeLessThan(500);
  expect(found?.message.isWellFormed()).toBe(true);
});

test.each([
  ['2026-07-28', 'ping', undefined, 'modern'],
  ['2027-01-01', 'ping', '2025-06-18', 'modern'],
  ['2025-11-25', 'ping', MODERN, 'legacy'],
  [7, 'ping', undefined, 'modern'],
  [null, 'ping', MODERN, 'modern'],
  [null, 'ping', '2025-11-25', 'legacy'],
  [null, 'ping', undefined, 'legacy'],
  [null, 'initialize', MODERN, 'legacy'],
])('with %j in the body, %s and the header %s the era is %s', (claim, method, header, era) => {
  const headers = lines(header === undefined ? {} : { 'MCP-Protocol-Version': header });
  expect(eraOf(headers, message(method, {}, claim))).toBe(era);
});

test('a request without a body has the era of its header', () => {
  expect(eraOf(lines({ 'MCP-Protocol-Version': MODERN }), undefined)).toBe('modern');
  expect(eraOf({}, undefined)).toBe('legacy');
});

test('the version is the body’s, then that of initialize, then the header’s', () => {
  const headers = lines({ 'MCP-Protocol-Version': '2025-06-18' });
  expect(protocolVersionOf(headers, list)).toBe(MODERN);
  const start = message('initialize', { protocolVersion: '2025-11-25' }, null);
  expect(protocolVersionOf(headers, start)).toBe('2025-11-25');
  expect(protocolVersionOf(headers, undefined)).toBe('2025-06-18');
  expect(protocolVersionOf({}, undefined)).toBe('');
  expect(protocolVersionOf({}, message('ping', {}, 'x'.repeat(33)))).toBe('');
});

/** Encodes a name as a client must. */
const encoded = (name: string): string => {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(name);
  const isSentinel = name.startsWith('=?base64?') && name.endsWith('?=');
  return isPlain && !isSentinel ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
};

test('every name agrees with its encoded form, and with that of no other', () => {
  const names = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string().map((text) => `=?base64?${text}?=`),
    fc.constantFrom(' padded ', 'line1\nline2', '=?base64?literal?=', 'Hello, 世界', '=?base64?='),
  );
  fc.assert(
    fc.property(names, names, (name, other) => {
      const headers = { ...own, 'Mcp-Name': encoded(name) };
      expect(check(headers, message('tools/call', { name }))).toBeUndefined();
      fc.pre(other !== name);
      expect(check(headers, message('tools/call', { name: other }))).toBeDefined();
    }),
  );
});

test('whatever the headers, the check ends and names a header', () => {
  const value = fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 });
  const headers = fc.dictionary(
    fc.constantFrom('mcp-method', 'mcp-name', 'mcp-protocol-version', '__proto__'),
    value,
  );
  fc.assert(
    fc.property(headers, fc.jsonValue(), (sent, params) => {
      const found = checkModernHeaders(sent, { kind: 'request', method: 'tools/call', params });
      return found === undefined || found.message.includes(found.header);
    }),
  );
});
