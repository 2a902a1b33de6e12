// The newest Python SDKs with every type of provider: each case works, is refused with a reason, or
// is listed as missing. CI runs the short form; with MATRIX=whole (`npm run sdk-matrix`) every cell
// is run.

import { CASES, type Case, type SdkName } from './test-support/cases';
import type { Call, Refusal } from './test-support/driver';
import { ATTEMPTS, CLASSES, inAStream, type Status } from './test-support/errors';
import { IMPOSSIBLE, impossibleAt, missingAt, NOT_YET } from './test-support/exceptions';
import { hasPython } from './test-support/venv';
import { PROVIDERS, SILENT, startWorld, type Seen, type World } from './test-support/world';

const WHOLE = process.env['MATRIX'] === 'whole';
const START_TIMEOUT_MS = 400_000;

/** The provider whose format an SDK speaks. */
const HOMES: Readonly<Record<SdkName, string>> = {
  openai: 'openai',
  responses: 'openai',
  anthropic: 'anthropic',
  genai: 'gemini',
};
const SDKS = Object.keys(HOMES) as readonly SdkName[];

interface Cell {
  readonly sdk: SdkName;
  readonly upstream: string;
}

/** The short form: an SDK's own provider, and every provider for the cells marked so. */
function cellsOf(sdks: readonly SdkName[], everywhere?: (cell: Cell) => boolean): Cell[] {
  return sdks
    .flatMap((sdk) => PROVIDERS.map(({ name }) => ({ sdk, upstream: name })))
    .filter((cell) => WHOLE || cell.upstream === HOMES[cell.sdk] || everywhere?.(cell) === true);
}

/** Exceptions are part of both forms. */
function cellsOfCase({ name, sdks, short }: Case): Cell[] {
  return cellsOf(sdks, (cell) => {
    const place = { name, ...cell };
    return short === true || impossibleAt(place) !== undefined || missingAt(place) !== undefined;
  });
}

let world: World;

/** A missing cell must fail, so that it leaves the list as soon as it works. */
async function expectCell(name: string, cell: Cell, check: () => Promise<void>): Promise<void> {
  const missing = missingAt({ name, ...cell });
  if (missing === undefined) return check();
  const failure = await check().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) throw new Error(`works now, take it off the list: ${missing.reason}`);
}

function refusalIn({ outcome }: Seen): Refusal {
  if ('refusal' in outcome) return outcome.refusal;
  throw new Error(`answered instead: ${JSON.stringify(outcome.said)}`);
}

async function checkCase({ name, model: kind, check }: Case, cell: Cell): Promise<void> {
  const { sdk, upstream } = cell;
  const model = `${upstream}-${kind}`;
  const impossible = impossibleAt({ name, ...cell });
  // A combination that no route can serve may be refused at its registration already.
  const unregistered = world.unregistered.get(model);
  if (unregistered !== undefined) {
    expect({ unregistered, reason: impossible?.reason }).toMatchObject({
      reason: expect.any(String),
    });
    return;
  }
  const seen = await world.run(sdk, name, model);
  if (impossible === undefined) {
    if ('refusal' in seen.outcome) throw new Error(JSON.stringify(seen.outcome.refusal));
    return check({ ...seen, said: seen.outcome.said, sdk, model });
  }
  const refusal = refusalIn(seen);
  expect(impossible.statuses).toContain(refusal.status);
  expect(refusal.message).toMatch(impossible.says);
}

(hasPython() ? describe : describe.skip)('Python', () => {
  beforeAll(async () => {
    world = await startWorld();
    await world.tenant.model('not-granted', 'sim');
  }, START_TIMEOUT_MS);
  afterAll(() => world?.stop());

  describe.each(CASES.map((one) => [one.name, one] as const))('%s', (name, one) => {
    test.each(cellsOfCase(one))('$sdk × $upstream', (cell) =>
      expectCell(name, cell, () => checkCase(one, cell)),
    );
  });

  interface Kind {
    readonly status: Status;
    readonly code: string;
    readonly case?: string;
    readonly model?: string;
    readonly retries?: number;
    readonly key?: () => Promise<string> | string;
    readonly param?: RegExp;
  }

  /** A separate key with its own limit. */
  async function limitedKey(resource: string, limit: object): Promise<string> {
    const { tenant, modelIds } = world;
    const { id, key } = await tenant.key({ modelIds });
    await tenant.create(resource, { scope: { type: 'API_KEY', id }, mode: 'HARD', ...limit });
    return key;
  }

  /** Refusals by the gateway itself, before an upstream call. */
  const REFUSALS: Readonly<Record<string, Kind>> = {
    'a field that is wrong': {
      status: 400,
      code: 'invalid_request',
      case: 'malformed',
      param: /temperature$/,
    },
    'a key that nobody has': { status: 401, code: 'invalid_api_key', key: () => 'tg_nobody' },
    'a budget with nothing left': {
      status: 402,
      code: 'budget_exceeded',
      key: () => limitedKey('budgets', { period: 'DAILY', limitUsd: '0.000000001' }),
    },
    'a model that is not granted': {
      status: 403,
      code: 'model_access_denied',
      model: 'not-granted',
    },
    'an unknown model': { status: 404, code: 'model_not_found', model: 'unheard-of' },
    'an unknown route': { status: 404, code: 'route_not_found', case: 'unknown route' },
    'a quota with nothing left': {
      status: 429,
      code: 'quota_exceeded',
      key: () => limitedKey('quotas', { period: 'DAILY', metric: 'TOKENS', limit: 1 }),
    },
    'a rate limit': {
      status: 429,
      code: 'rate_limit_exceeded',
      // The SDK would sleep for it.
      retries: 0,
      key: async () => {
        const key = await limitedKey('rate-limits', { requestsPerMinute: 1 });
        await world.run('openai', 'text', 'openai-chat', { key });
        return key;
      },
    },
  };

  describe.each(Object.entries(REFUSALS))('%s', (name, kind) => {
    const asking = SDKS.filter((sdk) => kind.case !== 'unknown route' || sdk !== 'responses');

    test.each(asking)('%s', async (sdk) => {
      const upstream = HOMES[sdk];
      await expectCell(name, { sdk, upstream }, async () => {
        const key = (await kind.key?.()) ?? world.key;
        const { retries } = kind;
        const over: Partial<Call> = { key, ...(retries === undefined ? {} : { retries }) };
        const model = kind.model ?? `${upstream}-chat`;
        const seen = await world.run(sdk, kind.case ?? 'text', model, over);
        const { status, code } = kind;
        const refusal = refusalIn(seen);
        expect(refusal).toMatchObject({ class: CLASSES[sdk][status], status, code });
        expect(refusal.param ?? '').toMatch(kind.param ?? /^/);
        expect(seen.attempts).toHaveLength(1);
        expect(seen.received).toEqual([]);
      });
    });
  });

  const upstreamCells = cellsOf(SDKS).flatMap((cell) =>
    ['text', 'stream'].map((how) => ({ ...cell, how })),
  );

  test.each(upstreamCells)('an upstream that fails: $sdk × $upstream, $how', async (cell) => {
    const { sdk, upstream, how } = cell;
    const seen = await world.run(sdk, how, `${upstream}-fails`);
    const expected = { class: CLASSES[sdk][502], status: 502, code: 'upstream_error' };
    expect(refusalIn(seen)).toMatchObject(expected);
    expect(seen.attempts).toHaveLength(ATTEMPTS[sdk]);
    expect(seen.received).toHaveLength(ATTEMPTS[sdk]);
  });

  test.each(upstreamCells)('an upstream that rejects: $sdk × $upstream, $how', async (cell) => {
    const { sdk, upstream, how } = cell;
    const seen = await world.run(sdk, how, `${upstream}-rejects`);
    expect(refusalIn(seen)).toMatchObject({
      class: CLASSES[sdk][400],
      status: 400,
      message: expect.stringContaining('The simulator was asked to answer 400.'),
    });
    expect(seen.attempts).toHaveLength(1);
  });

  test.each(upstreamCells)('an upstream that limits: $sdk × $upstream, $how', async (cell) => {
    const { sdk, upstream, how } = cell;
    const seen = await world.run(sdk, how, `${upstream}-limits`, { retries: 0 });
    expect(refusalIn(seen)).toMatchObject({ class: CLASSES[sdk][429], status: 429 });
    expect(seen.attempts).toHaveLength(1);
  });

  test.each(upstreamCells)(
    'an upstream that rejects the gateway’s key: $sdk × $upstream, $how',
    async (cell) => {
      const { sdk, upstream, how } = cell;
      const seen = await world.run(sdk, how, `${upstream}-denies`);
      const expected = { class: CLASSES[sdk][502], status: 502, code: 'provider_auth_failed' };
      expect(refusalIn(seen)).toMatchObject(expected);
      // The SDKs are told not to retry.
      expect(seen.attempts).toHaveLength(1);
    },
  );

  test.each(SDKS)('an upstream that never answers: %s', async (sdk) => {
    const seen = await world.run(sdk, 'text', SILENT);
    const expected = { class: CLASSES[sdk][502], status: 502, code: 'upstream_timeout' };
    expect(refusalIn(seen)).toMatchObject(expected);
    expect(seen.attempts).toHaveLength(ATTEMPTS[sdk]);
  });

  test.each(cellsOf(SDKS))(
    'an upstream that interrupts its answer: $sdk × $upstream',
    async ({ sdk, upstream }) => {
      const seen = await world.run(sdk, 'stream', `${upstream}-breaks`);
      expect(refusalIn(seen)).toMatchObject(inAStream(sdk, upstream));
      expect(seen.attempts).toMatchObject([{ status: 200 }]);
    },
  );
});

test('every exception names existing cases, SDKs and providers', () => {
  const names = new Set([...CASES.map(({ name }) => name), 'an unknown model', 'an unknown route']);
  const upstreams = new Set(PROVIDERS.map(({ name }) => name));
  for (const cells of [...IMPOSSIBLE, ...NOT_YET]) {
    expect(cells.cases.filter((name) => !names.has(name))).toEqual([]);
    expect(cells.upstreams?.filter((name) => !upstreams.has(name)) ?? []).toEqual([]);
    expect(cells.sdks?.filter((sdk) => !SDKS.includes(sdk)) ?? []).toEqual([]);
  }
});
