// Failures of an upstream: before an answer, each vendor's SDK raises a typed error; within an
// answer, it raises an error too, and never returns an answer that looks complete.

import { CELLS, CLIENT_CELLS, modelOf, startMatrix, type Matrix } from './test-support/matrix';
import { expectedOf, type Sdk, type Status } from './test-support/sdk';
import { SDKS } from './test-support/sdks';
import { UPSTREAMS, type Upstream } from './test-support/upstreams';

let matrix: Matrix;

beforeAll(async () => {
  matrix = await startMatrix({
    models: {
      rejects: 'status-400',
      lacks: 'status-404',
      'finds-too-large': 'status-413',
      'knows-no-key': 'status-401',
      'has-no-credit': 'status-402',
      limits: 'status-429.retry-after-7',
      fails: 'status-500',
      babbles: 'garbage',
      cuts: 'cut-after-2',
      ends: 'end-after-2',
      breaks: 'error-after-2',
      garbles: 'garbage-after-2',
      recovers: 'fail-first-1',
    },
    providers: {
      // A port without a listener.
      'is-down': { url: 'http://127.0.0.1:1' },
      'never-answers': { directives: 'timeout', settings: { firstByteTimeoutMs: 100 } },
    },
  });
});
afterAll(() => matrix?.gateway.stop());

interface Failure {
  readonly kind: string;
  readonly status: Status;
  readonly code: string;
  /** Whether the SDKs are told not to retry. */
  readonly final?: true;
  readonly retryAfter?: string;
  readonly newest?: true;
}

/** The vendor's own status, if the client speaks its format; absent: the gateway's. */
const VENDORS_OWN: Readonly<Record<string, number>> = {
  rejects: 400,
  lacks: 404,
  'finds-too-large': 413,
  limits: 429,
};

/** A vendor's errors have the same shape in all of its formats. */
function speakOneFormat(sdk: Sdk, upstream: Upstream): boolean {
  return sdk.format.split('-')[0] === upstream.wire.split('-')[0];
}

/** A vendor's event that its clients act on, and that is passed on unchanged. */
function saysOverloaded(kind: string, sdk: Sdk, upstream: Upstream, stream: boolean): boolean {
  const { wire } = upstream;
  return kind === 'breaks' && stream && wire === 'anthropic-messages' && sdk.format === wire;
}

// Failures that differ only in the gateway's code run for the newest version of each SDK alone.
const BEFORE: readonly Failure[] = [
  { kind: 'rejects', status: 400, code: 'upstream_rejected', final: true },
  { kind: 'lacks', status: 400, code: 'upstream_rejected', final: true, newest: true },
  { kind: 'finds-too-large', status: 400, code: 'upstream_rejected', final: true, newest: true },
  { kind: 'knows-no-key', status: 502, code: 'provider_auth_failed', final: true, newest: true },
  { kind: 'has-no-credit', status: 502, code: 'provider_auth_failed', final: true, newest: true },
  { kind: 'limits', status: 429, code: 'upstream_rate_limited', retryAfter: '7' },
  { kind: 'fails', status: 502, code: 'upstream_error' },
  { kind: 'babbles', status: 502, code: 'upstream_error', newest: true },
  { kind: 'is-down', status: 502, code: 'upstream_error', newest: true },
];

describe.each(BEFORE)('an upstream that $kind: $code', (failure) => {
  const { kind, final, retryAfter, newest = false } = failure;
  const cells = CELLS.filter(([, { sdk }]) => sdk.newest || !newest);

  test.each(cells)('%s', async (_, { sdk, upstream, stream }) => {
    const talk = await matrix.talk(sdk, { model: modelOf(upstream, kind), stream }, { retries: 0 });
    const refusal = await talk.refusal();
    const [attempt] = talk.attempts;
    expect(attempt?.headers.get('x-tollgate-error-code')).toBe(failure.code);
    expect(attempt?.headers.get('retry-after')).toBe(retryAfter ?? null);
    const own = speakOneFormat(sdk, upstream) ? VENDORS_OWN[kind] : undefined;
    if (own === undefined) {
      expect(refusal).toMatchObject(expectedOf(sdk, failure));
      expect(attempt?.headers.get('x-should-retry')).toBe(final ? 'false' : null);
    } else {
      expect(refusal.status).toBe(own);
      expect(refusal.code).not.toBe(failure.code);
      expect(refusal.message).toContain('simulat');
      expect(attempt?.headers.get('x-should-retry')).toBeNull();
    }
    expect(await talk.received()).toHaveLength(kind === 'is-down' ? 0 : 1);
  });
});

test.each(CLIENT_CELLS)('an upstream that never answers: %s', async (_, { sdk, stream }) => {
  const settings = { model: 'openai-never-answers', stream };
  const talk = await matrix.talk(sdk, settings, { retries: 0 });
  const expected = expectedOf(sdk, { status: 502, code: 'upstream_timeout' });
  expect(await talk.refusal()).toMatchObject(expected);
});

// The simulator fails once per model, so each SDK has its own upstream. Google's SDK retries only
// if configured.
const patient = SDKS.filter(({ format }) => format !== 'gemini-generate').map(
  (sdk, at) => [sdk.name, sdk, UPSTREAMS[at]] as const,
);

test.each(patient)('%s asks again by itself, and is answered', async (_, sdk, upstream) => {
  if (upstream === undefined) throw new Error('more SDKs than upstreams');
  const talk = await matrix.talk(sdk, { model: modelOf(upstream, 'recovers'), stream: false });
  expect((await talk.ask(['Hello there'])).text).toBe('You said: Hello there');
  expect(talk.attempts).toMatchObject([{ status: 502 }, { status: 200 }]);
});

const IN_THE_MIDDLE = ['cuts', 'ends', 'breaks', 'garbles'];

describe.each(IN_THE_MIDDLE)('an upstream that %s in the middle', (kind) => {
  test.each(CELLS)('%s', async (_, { sdk, upstream, stream }) => {
    const talk = await matrix.talk(sdk, { model: modelOf(upstream, kind), stream }, { retries: 0 });
    const refusal = await talk.refusal();
    const [error, type] = stream ? sdk.midStream : sdk.errors[502];
    if (saysOverloaded(kind, sdk, upstream, stream)) {
      expect(refusal).toMatchObject({ error, type: 'overloaded_error' });
      expect(refusal.code).toBeUndefined();
    } else {
      expect(refusal).toMatchObject({ error, code: 'upstream_error' });
      expect(refusal.type).toBe(type);
    }
    expect(talk.attempts).toMatchObject([{ status: stream ? 200 : 502 }]);
  });
});

// One test per SDK, because records take a moment to be written.
test.each(SDKS)('$name: an interrupted answer is booked for its usage', async (sdk) => {
  const booked: { name: string; id: string; stream: boolean }[] = [];
  for (const [name, { upstream, stream }] of CELLS.filter(([, cell]) => cell.sdk === sdk)) {
    const talk = await matrix.talk(
      sdk,
      { model: modelOf(upstream, 'cuts'), stream },
      { retries: 0 },
    );
    await talk.refusal();
    booked.push({ name, id: talk.requestId(), stream });
  }
  for (const { name, id, stream } of booked) {
    const record = await matrix.recordOf(id);
    const outcome = stream ? 'PARTIAL' : 'FAILED';
    const expected = { outcome, errorCode: 'upstream_error', stream };
    expect({ name, record }).toMatchObject({ name, record: expected });
  }
});
