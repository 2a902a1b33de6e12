import fc from 'fast-check';

import type { Document, Operation } from './document';
import { fitting, hostile, HOSTILE_TEXT, idArbitrary, idNamed, spoilt } from './values';

/** Requests of one operation: valid, nearly valid, and hostile. */

export const CALLERS = ['SUPER_ADMIN', 'ORG_ADMIN', 'MANAGER', 'USER', 'nobody', 'forger'] as const;
export type Caller = (typeof CALLERS)[number];

/** As drawn: ids are names such as `{{own.teamId}}`. */
export interface Drawn {
  readonly caller: Caller;
  /** Percent-encoded, except for the ids. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes as latin1 text; undefined: no body. */
  readonly body: string | undefined;
}

/** The spoiled part of a request; half of the requests are valid. */
const SPOILT = ['path', 'query', 'headers', 'body', 'body', 'everything'] as const;
type Spoilt = (typeof SPOILT)[number] | 'nothing';

export function requestOf(document: Document, operation: Operation): fc.Arbitrary<Drawn> {
  const spoilt = fc.oneof(fc.constant<Spoilt>('nothing'), fc.constantFrom<Spoilt>(...SPOILT));
  return spoilt.chain((what) => {
    const is = (part: Spoilt): boolean => what === part || what === 'everything';
    return fc
      .record({
        caller: callerOf(),
        path: pathOf(operation, is('path')),
        query: is('query') ? oddQuery(document, operation) : soundQuery(document, operation),
        headers: is('headers') ? oddHeaders(operation) : soundHeaders(operation),
        body: is('body') ? oddBody(document, operation) : soundBody(document, operation),
      })
      .map(({ caller, path, query, headers, body }) => ({
        caller,
        path: query === '' ? path : `${path}?${query}`,
        headers: { ...body.headers, ...headers },
        body: body.bytes,
      }));
  });
}

function callerOf(): fc.Arbitrary<Caller> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<Caller>('SUPER_ADMIN', 'ORG_ADMIN') },
    { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
  );
}

const ODD_SEGMENTS = [
  '%00',
  '%ff',
  '%',
  '%2e%2e%2f',
  'x',
  '0',
  'undefined',
  encodeURIComponent('é\u{1F4A5}'),
  'a'.repeat(500),
  '019aa000-0000-7000-8000-00000000000g',
];

function pathOf({ path, pathParameters }: Operation, spoilt: boolean): fc.Arbitrary<string> {
  const segments = pathParameters.map(({ name }) => {
    const own = fc.constant(idNamed('own', name));
    return spoilt ? fc.oneof(own, idArbitrary(name), fc.constantFrom(...ODD_SEGMENTS)) : own;
  });
  return fc
    .tuple(...segments)
    .map((values) =>
      pathParameters.reduce(
        (filled, { name }, at) => filled.replace(`{${name}}`, () => values[at] ?? ''),
        path,
      ),
    );
}

/** Percent-encodes text that may have unpaired surrogates, and keeps the names of ids. */
function encoded(text: string): string {
  if (/^\{\{.*\}\}$/.test(text)) return text;
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80';
}

const pair = (name: string, value: unknown): string =>
  `${name}=${encoded(typeof value === 'string' ? value : JSON.stringify(value))}`;

/** Required parameters, and some optional ones. Cursors cannot be generated. */
function soundQuery(document: Document, { queryParameters }: Operation): fc.Arbitrary<string> {
  const known = queryParameters.filter(({ name }) => name !== 'cursor');
  const pairs = known.map(({ name, schema, required }) => {
    const one = fitting(document, schema, name).map((value) => pair(name, value));
    return required ? one : fc.option(one, { nil: undefined, freq: 2 });
  });
  return fc
    .tuple(...pairs)
    .map((list) => list.filter((one): one is string => one !== undefined).join('&'));
}

const ODD_PAIRS = [
  '__proto__=1',
  'constructor[name]=x',
  'noSuchThing=1',
  '%00=%00',
  '=',
  '&&&',
  '%ff=%ff',
  'limit=1&limit=2',
  'cursor=%00',
  'limit=18446744073709551616',
];

function oddQuery(document: Document, operation: Operation): fc.Arbitrary<string> {
  const names = operation.queryParameters.map(({ name }) => name);
  const named = fc
    .tuple(fc.constantFrom(...names, 'noSuchThing'), fc.constantFrom(...HOSTILE_TEXT))
    .map(([name, value]) => pair(name, value));
  return fc
    .tuple(soundQuery(document, operation), fc.oneof(named, fc.constantFrom(...ODD_PAIRS)))
    .chain(([sound, odd]) => fc.constantFrom(`${sound}&${odd}`, odd, `${odd}&${odd}`));
}

const ODD_HEADERS = [
  '',
  '*',
  '"',
  '""',
  'W/"x"',
  '"a", "b"',
  'a b',
  'x'.repeat(300),
  '\u00e9',
  ',',
];

function soundHeaders({ headerParameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const repeatable = headerParameters.some(({ name }) => name === 'Idempotency-Key');
  if (!repeatable) return fc.constant({});
  const key = fc.record({ 'idempotency-key': fc.oneof(fc.uuid(), fc.constant('the-same-key')) });
  return fc.option(key, { nil: {}, freq: 2 });
}

const OTHER_HEADERS = {
  'user-agent': fc.constantFrom('\u00ff\u00fe', 'x'.repeat(2_000), ''),
  cookie: fc.constantFrom(
    '=',
    ';;;',
    'tollgate_refresh=%',
    'tollgate_refresh=x; tollgate_sso=x',
    `tollgate_refresh=${'x'.repeat(3_000)}`,
  ),
  accept: fc.constantFrom('text/html', '*/*;q=x', 'application/xml'),
  'x-forwarded-for': fc.constantFrom('x', '1.2.3.4, , ', '::ffff:1'),
  'accept-language': fc.constant('\u00e9'),
  'if-none-match': fc.constantFrom(...ODD_HEADERS),
};

function oddHeaders({ headerParameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const known = headerParameters.map(({ name }) => [
    name.toLowerCase(),
    fc.constantFrom(...ODD_HEADERS),
  ]);
  const all = { ...OTHER_HEADERS, ...(Object.fromEntries(known) as typeof OTHER_HEADERS) };
  return fc
    .record(all, { requiredKeys: [], noNullPrototype: true })
    .map((some) => some as Record<string, string>);
}

interface Body {
  readonly bytes: string | undefined;
  readonly headers: Record<string, string>;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

const RAW: readonly Body[] = [
  ...[
    '',
    '{',
    '{"a":1,}',
    'null',
    '"text"',
    '[]',
    '0',
    '\u00ff\u00fe{}',
    '\u00ef\u00bb\u00bf{}',
    '{"name":"\u00ff\u00ff"}',
    '{"__proto__":{"x":1},"constructor":1}',
    '{"a":1e400,"b":-1e400}',
    '{"name":"a","name":"b"}',
    '['.repeat(20_000) + ']'.repeat(20_000),
    '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
    `{"name":"${'x'.repeat(1_100_000)}"}`,
  ].map((bytes) => ({ bytes, headers: JSON_HEADERS })),
  ...['text/plain', 'multipart/form-data', 'application/json; charset=bogus', '/', 'x'].map(
    (type) => ({ bytes: '{"name":"x"}', headers: { 'content-type': type } }),
  ),
  { bytes: '{}', headers: { ...JSON_HEADERS, 'content-type': 'application/json; charset=utf-16' } },
  { bytes: 'not gzip', headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' } },
  { bytes: '{}', headers: { ...JSON_HEADERS, 'content-encoding': 'lzma' } },
  { bytes: '{}', headers: {} },
];

const NONE: Body = { bytes: undefined, headers: {} };

const jsonBody = (value: unknown): Body => ({
  bytes: Buffer.from(JSON.stringify(value) ?? '', 'utf8').toString('latin1'),
  headers: JSON_HEADERS,
});

function soundBody(document: Document, { body }: Operation): fc.Arbitrary<Body> {
  return body === undefined ? fc.constant(NONE) : fitting(document, body).map(jsonBody);
}

function oddBody(document: Document, { body }: Operation): fc.Arbitrary<Body> {
  const raw = fc.constantFrom(...RAW);
  const any = fc.oneof(raw, hostile.map(jsonBody));
  if (body === undefined) return any;
  return fc.oneof(
    { weight: 8, arbitrary: fitting(document, body).chain(spoilt).map(jsonBody) },
    { weight: 2, arbitrary: any },
    { weight: 1, arbitrary: fc.constant(NONE) },
  );
}
