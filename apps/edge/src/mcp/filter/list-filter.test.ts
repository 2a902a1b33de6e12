import fc from 'fast-check';

import { createListFilter, LIST_BYTES, type ListFilterOptions } from './list-filter';
import { LISTS } from './lists';
import type { RuleSets } from './name-rules';

const ALLOW_A: RuleSets = [
  {
    tools: { allowed: ['a*'], denied: ['ab'] },
    prompts: { allowed: ['a*'], denied: ['ab'] },
    resources: { allowed: ['a*'], denied: ['ab'] },
  },
];

const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream; charset=utf-8';

function run(pieces: readonly Buffer[], over: Partial<ListFilterOptions> = {}): Buffer {
  const filter = createListFilter({
    contentType: JSON_TYPE,
    method: 'tools/list',
    rules: ALLOW_A,
    ...over,
  });
  const passed = pieces.flatMap((piece) => filter.push(piece));
  return Buffer.concat([...passed, ...filter.finish()]);
}

const filtered = (text: string, over: Partial<ListFilterOptions> = {}): string =>
  run([Buffer.from(text)], over).toString();

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

const answer = (result: unknown, over: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, result, ...over });

test('entries outside the rules go, and all else keeps its bytes', () => {
  const text =
    ' {"jsonrpc":"2.0", "id" : 12345678901234567890,\n"result":{ "tools": [ {"name":"b"} ,{"x":1.50,"name":"a1", "y":1E400},  {"name":"ab"}\n, {"name":"\\u0061","z":"\\/"}, {"name":"c"} ] ,"nextCursor":"n","ttlMs":1.0, "cacheScope" : "public","_meta":{"k":-0}} }\n';
  expect(filtered(text)).toBe(
    ' {"jsonrpc":"2.0", "id" : 12345678901234567890,\n"result":{ "tools": [ {"x":1.50,"name":"a1", "y":1E400}\n, {"name":"\\u0061","z":"\\/"} ] ,"nextCursor":"n","ttlMs":1.0, "cacheScope" : "private","_meta":{"k":-0}} }\n',
  );
});

test.each([
  ['all entries', [{ name: 'b' }, { name: 'ab' }], []],
  ['the first', [{ name: 'b' }, { name: 'a' }], [{ name: 'a' }]],
  ['the last', [{ name: 'a' }, { name: 'b' }], [{ name: 'a' }]],
  ['entries without a name', [{}, 'a', null, ['a'], { name: 7 }, { name: 'a' }], [{ name: 'a' }]],
])('%s can go', (_what, tools, left) => {
  expect(filtered(answer({ tools }))).toBe(answer({ tools: left }));
});

test('resources go by what a server reads in their URI, as a request for them does', () => {
  const rules: RuleSets = [
    { tools: null, prompts: null, resources: { allowed: ['*'], denied: ['file:///b/*'] } },
  ];
  const resources = [{ uri: 'File:///b/c' }, { uri: 'file:///a/../b/c' }, { uri: 'file:///a' }];
  expect(filtered(answer({ resources }), { method: 'resources/list', rules })).toBe(
    answer({ resources: resources.slice(2) }),
  );
  const resourceTemplates = [{ uriTemplate: 'file:///%62/{x}' }, { uriTemplate: 'file:///{x}' }];
  expect(
    filtered(answer({ resourceTemplates }), { method: 'resources/templates/list', rules }),
  ).toBe(answer({ resourceTemplates: resourceTemplates.slice(1) }));
});

test.each(['{"name":"a","name":"b"}', '{"name":"a","Name":"b"}', '{"NAME":"a"}'])(
  'an entry that parsers read differently goes: %s',
  (entry) => {
    expect(filtered(`{"result":{"tools":[${entry}]}}`)).toBe('{"result":{"tools":[]}}');
  },
);

test.each(LISTS)('the names of $method are in $name', ({ method, field, name }) => {
  const list = (names: string[]) => answer({ [field]: names.map((text) => ({ [name]: text })) });
  expect(filtered(list(['a1', 'b', 'ab']), { method })).toBe(list(['a1']));
});

test.each([
  ['an error', answer(undefined, { error: { code: -32_000, message: 'tools' } })],
  ['a question to the client', answer({ resultType: 'input_required', inputRequests: {} })],
  ['a list of which all is allowed', answer({ tools: [{ name: 'a' }], cacheScope: 'private' })],
  ['an empty list', ' {"result":{"tools":[ ]}}'],
])('%s passes as it is', (_what, text) => {
  expect(filtered(text)).toBe(text);
  expect(filtered(`data: ${text}\n\n`, { contentType: SSE_TYPE })).toBe(`data: ${text}\n\n`);
});

test.each([
  ['no JSON', '<html>"tools"'],
  ['JSON that ends early', answer({ tools: [{ name: 'b' }] }).slice(0, -1)],
  ['a batch', `[${answer({ tools: [] })}]`],
  ['a text', '"tools"'],
  ['a list that is an object', answer({ tools: { name: 'b' } })],
  ['two results', '{"result":{"tools":[]},"result":{"tools":[{"name":"b"}]}}'],
  ['a result in capitals', '{"Result":{"tools":[{"name":"b"}]}}'],
  ['two lists', '{"result":{"tools":[],"to\\u006fls":[{"name":"b"}]}}'],
  ['a list in capitals', '{"result":{"TOOLS":[{"name":"b"}]}}'],
  ['a list with a long s', '{"result":{"tool\u017f":[{"name":"b"}]}}'],
  ['too many levels', `{"result":{"tools":${'['.repeat(129)}${']'.repeat(129)}}}`],
])('%s is refused, not passed', (_what, text) => {
  const refusal = { error: { code: 'upstream_error' } };
  const thrown = (contentType: string, sent: string) => {
    try {
      return filtered(sent, { contentType });
    } catch (error) {
      return error;
    }
  };
  expect(thrown(JSON_TYPE, text)).toMatchObject(refusal);
  expect(thrown(SSE_TYPE, `data: ${text}\n\n`)).toMatchObject(refusal);
});

test('bytes that are no UTF-8 are refused', () => {
  const bytes = Buffer.from(answer({ tools: [{ name: 'a\u00ff' }] }), 'latin1');
  expect(() => run([bytes])).toThrow(/not JSON/);
  const event = Buffer.concat([Buffer.from('data: '), bytes, Buffer.from('\n\n')]);
  expect(() => run([event], { contentType: SSE_TYPE })).toThrow(/not UTF-8/);
});

test('a list beyond the limit is refused before it is complete', () => {
  const chunk = Buffer.alloc(LIST_BYTES / 4, 'x');
  const chunks = [chunk, chunk, chunk, chunk, Buffer.from('x')];
  for (const contentType of [JSON_TYPE, SSE_TYPE]) {
    expect(() => run(chunks, { contentType })).toThrow(/more than 4194304 bytes/);
  }
});

test('a stream that may replay results of tools has the limit of events', () => {
  const event = Buffer.from(`data: ${answer({ content: ['x'.repeat(10 * 2 ** 20)] })}\n\n`);
  const any = { contentType: SSE_TYPE, method: undefined };
  expect(run([event], any).equals(event)).toBe(true);
});

test('without rules for the list nothing is kept or changed', () => {
  const free: RuleSets = [{ tools: null, prompts: { allowed: [], denied: [] }, resources: null }];
  const filter = createListFilter({ contentType: JSON_TYPE, method: 'tools/list', rules: free });
  const chunk = Buffer.from('anything');
  expect(filter.push(chunk)).toEqual([chunk]);
  expect(filter.finish()).toEqual([]);
});

test('tools are shown to the caller, who may leave them out', () => {
  const seen: unknown[] = [];
  const options: Partial<ListFilterOptions> = {
    rules: [],
    admitTool: (name, definition) => {
      seen.push([name, definition]);
      return name !== 'b';
    },
  };
  const list = (names: string[], cacheScope: string) =>
    answer({ tools: names.map((name) => ({ name, n: 1 })), cacheScope });
  expect(filtered(list(['a', 'b'], 'public'), options)).toBe(list(['a'], 'private'));
  expect(seen).toEqual([
    ['a', { name: 'a', n: 1 }],
    ['b', { name: 'b', n: 1 }],
  ]);
  // Nothing was left out and no rule applies, so the list is the same for all keys.
  expect(filtered(list(['a'], 'public'), options)).toBe(list(['a'], 'public'));
});

test('tools that the rules do not allow are not shown', () => {
  const admitTool = jest.fn(() => true);
  filtered(answer({ tools: [{ name: 'a' }, { name: 'b' }] }), { admitTool });
  expect(admitTool).toHaveBeenCalledTimes(1);
});

test('other events pass as soon as they are complete', () => {
  const filter = createListFilter({
    contentType: SSE_TYPE,
    method: 'tools/list',
    rules: ALLOW_A,
  });
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString();
  const progress = `id: 3\nevent: message\ndata: {"method":"notifications/progress","n":1.0}\n\n`;
  expect(text(filter.push(Buffer.from(': hello\n\n')))).toBe(': hello\n\n');
  expect(text(filter.push(Buffer.from(`${progress}data: {"resu`)))).toBe(progress);
  const rest = 'lt":{"tools":[{"name":"b"}]}}\n\n';
  expect(text(filter.push(Buffer.from(rest)))).toBe('data: {"result":{"tools":[]}}\n\n');
  expect(filter.finish()).toEqual([]);
});

test('an event keeps its other lines, their order and their endings', () => {
  const text =
    '\uFEFFdata\r\nid: 5\r: note\n data: x\ndata:{"result":{"tools":\r\nretry: 9\ndata: [{"name":"b"}]}}\nevent: message\n\n';
  expect(filtered(text, { contentType: SSE_TYPE })).toBe(
    '\uFEFFdata: \r\ndata: {"result":{"tools":\r\ndata: []}}\r\nid: 5\r: note\n data: x\nretry: 9\nevent: message\n\n',
  );
});

test('line separators of Unicode do not hide a list', () => {
  const sent = answer({ tools: [{ name: 'b', description: '\u2028\u2029\u0085' }] });
  expect(filtered(`data: ${sent}\n\n`, { contentType: SSE_TYPE })).not.toContain('"b"');
});

test('an event without its blank line is filtered at the end', () => {
  const sent = `data: ${answer({ tools: [{ name: 'b' }] })}\n`;
  expect(filtered(sent, { contentType: SSE_TYPE })).toBe(`data: ${answer({ tools: [] })}\n`);
});

const names = fc.oneof(
  fc.constantFrom('a', 'ab', 'abc', 'b', 'A', ''),
  fc.string({ unit: 'binary' }).map((text) => `a${text}`),
  fc.string({ unit: 'binary' }),
);
const entries = fc.oneof(
  fc.record({ name: names, more: fc.jsonValue({ maxDepth: 3 }) }),
  fc.record({ uri: names, more: fc.string({ unit: 'binary' }) }),
);
const results = fc.record(
  {
    tools: fc.array(entries, { maxLength: 6 }),
    nextCursor: fc.string({ unit: 'binary' }),
    cacheScope: fc.constantFrom('public', 'private'),
    _meta: fc.jsonValue({ maxDepth: 3 }),
  },
  { requiredKeys: ['tools'] },
);
const places = fc.array(fc.nat(), { maxLength: 12 });

/** What the filter should leave, by way of values. */
function expected(result: { tools: unknown[]; cacheScope?: string }): unknown {
  const isAllowed = (entry: unknown): boolean => {
    const { name } = entry as { name?: string };
    return name !== undefined && name.startsWith('a') && name !== 'ab';
  };
  const scope = result.cacheScope === undefined ? {} : { cacheScope: 'private' };
  return { ...result, ...scope, tools: result.tools.filter(isAllowed) };
}

test('any list is filtered alike, wherever its document is cut', () => {
  fc.assert(
    fc.property(results, fc.constantFrom(0, 1, '\t'), places, (result, indent, at) => {
      const text = JSON.stringify({ jsonrpc: '2.0', result, id: 1 }, null, indent);
      const output = run(cut(Buffer.from(text), at)).toString();
      const { result: sent } = JSON.parse(text) as { result: typeof result };
      expect(JSON.parse(output)).toEqual({ jsonrpc: '2.0', result: expected(sent), id: 1 });
    }),
  );
});

test('any list is filtered alike in a stream, and other events keep their bytes', () => {
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  const note = fc
    .jsonValue({ maxDepth: 2 })
    .map((params) => JSON.stringify({ method: 'notifications/x', params }));
  fc.assert(
    fc.property(results, note, ends, fc.boolean(), places, (result, other, end, pretty, at) => {
      const rows = JSON.stringify({ result }, null, pretty ? 1 : 0).split('\n');
      const before = `: c${end}${end}id: 1${end}data: ${other}${end}${end}`;
      const event = [...rows.map((row) => `data:${row}`), 'id: 2', ''].join(end) + end;
      const pieces = cut(Buffer.from(before + event + before), at);
      const output = run(pieces, { contentType: SSE_TYPE }).toString();
      expect(output.startsWith(before) && output.endsWith(before)).toBe(true);
      const lines = output.slice(before.length, output.length - before.length).split(/\r\n|\n|\r/);
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
      expect(JSON.parse(data.join('\n'))).toEqual({ result: expected(result) });
      expect(lines).toContain('id: 2');
    }),
  );
});

test('any bytes are passed on as they came or refused', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(`data: ${text}\n\n`)),
  );
  fc.assert(
    fc.property(bytes, places, (sent, at) => {
      const whole = Buffer.from(sent);
      try {
        const output = run(cut(whole, at), { contentType: SSE_TYPE });
        expect(output.equals(whole)).toBe(true);
      } catch (error) {
        expect(error).toMatchObject({ name: 'UpstreamFailure' });
      }
    }),
  );
});
