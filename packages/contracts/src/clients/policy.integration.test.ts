import { join } from 'node:path';
import {
  createLogger,
  duplex,
  GrpcFailure,
  grpcStatus,
  serveGrpc,
  unary,
  uuidv7Time,
  type GrpcServer,
} from '@tollgate/kit';

import {
  createPolicyClient,
  DEPENDENCY_TRAILER,
  newRequestId,
  PolicyError,
  type PolicyApi,
  type PolicyClientOptions,
} from '.';
import { GRPC_CALLERS } from '../grpc-callers';
import { PolicyServiceDefinition } from '../protos';

// A real server that answers with what it was asked, and fails or waits where a test says so.

const INTERNAL = 'internal-token-0123456789';
const OPS = 'ops-token-0123456789';
const tokens = new Map([
  [INTERNAL, 'internal'],
  [OPS, 'ops'],
]);
const PATIENT_MS = 30_000;

let asked: unknown[] = [];
let callers: string[] = [];
let behave: () => Promise<void> | void = () => undefined;
let servers: GrpcServer[] = [];
let clients: PolicyApi[] = [];

function answering(reply: object) {
  return unary(async (request: unknown, { caller }) => {
    asked.push(request);
    callers.push(caller);
    await behave();
    return reply;
  });
}

const implementation = {
  authorize: answering({ denial: { code: 'budget_exceeded', message: 'no money' } }),
  dryRun: answering({ denial: { code: 'quota_exceeded' }, checks: [{ name: 'limits' }] }),
  extend: answering({ granted: true, leaseUntilMs: 5 }),
  settle: answering({ seq: 7, shard: 3 }),
  validateKey: answering({ valid: true }),
  invalidate: answering({ dropped: 2 }),
  health: answering({ serving: true }),
  session: duplex(() => undefined),
};

const tlsFile = (name: string): string => join(__dirname, '../../../kit/test/tls', name);
const TLS = {
  certFile: tlsFile('service.pem'),
  keyFile: tlsFile('service.key'),
  caFile: tlsFile('ca.pem'),
};

async function serve(tls?: typeof TLS, port = 0): Promise<string> {
  const server = await serveGrpc({
    host: '127.0.0.1',
    port,
    services: [{ definition: PolicyServiceDefinition, implementation }],
    tokens,
    callers: GRPC_CALLERS,
    tls,
    log: createLogger({ service: 'test', level: 'error', write: () => undefined }),
  });
  servers.push(server);
  return `127.0.0.1:${String(server.port)}`;
}

function open(address: string, over: Partial<PolicyClientOptions> = {}): PolicyApi {
  const client = createPolicyClient({
    address,
    token: INTERNAL,
    deadlineMs: PATIENT_MS,
    options: { 'grpc.ssl_target_name_override': 'localhost' },
    ...over,
  });
  clients.push(client);
  return client;
}

async function failureOf(call: Promise<unknown>): Promise<PolicyError> {
  const outcome = await call.then(
    () => 'answered',
    (error: unknown) => error,
  );
  if (outcome instanceof PolicyError) return outcome;
  throw new Error(`no PolicyError but ${String(outcome)}`);
}

afterEach(async () => {
  behave = () => undefined;
  asked = [];
  callers = [];
  for (const client of clients.splice(0)) client.close();
  await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })));
});

const keySha256 = Buffer.alloc(32, 1);
const requestId = newRequestId();
const holdToken = Buffer.from('token');

test.each<[string, (client: PolicyApi) => Promise<unknown>, sent: object, answer: object]>([
  [
    'authorize',
    (client) => client.authorize({ requestId, keySha256, model: 'small' }),
    { requestId, keySha256, model: 'small' },
    { decision: 'denial', denial: { code: 'budget_exceeded' } },
  ],
  [
    'dryRun',
    (client) => client.dryRun({ requestId, keySha256, model: 'small' }),
    { requestId, keySha256, model: 'small' },
    { decision: 'denial', checks: [{ name: 'limits', passed: false }] },
  ],
  [
    'extend',
    (client) => client.extend({ requestId, holdToken, addOutputTokens: 10 }),
    { requestId, holdToken, addOutputTokens: 10 },
    { granted: true, leaseUntilMs: 5, gone: false },
  ],
  [
    'settle',
    (client) => client.settle({ requestId, holdToken, cancelled: true }),
    { requestId, holdToken, cancelled: true },
    { seq: 7, shard: 3, duplicate: false },
  ],
  [
    'validateKey',
    (client) => client.validateKey({ keySha256 }),
    { keySha256 },
    { valid: true, limits: [] },
  ],
  [
    'invalidate',
    (client) => client.invalidate({ organisationId: 'o' }),
    { organisationId: 'o' },
    { dropped: 2 },
  ],
  ['health', (client) => client.health(), {}, { serving: true }],
])('%s goes out with the service token and comes back typed', async (_, call, sent, answer) => {
  const client = open(await serve());
  expect(await call(client)).toMatchObject(answer);
  expect(asked).toMatchObject([sent]);
  expect(callers).toEqual(['internal']);
});

test('a refusal is an answer, not an error', async () => {
  const { denial, allow } = await open(await serve()).authorize({ requestId, keySha256 });
  expect([denial?.code, allow ?? null]).toEqual(['budget_exceeded', null]);
});

test('what is away is told by name, with the server’s own words', async () => {
  const client = open(await serve());
  behave = () => {
    const trailers = { [DEPENDENCY_TRAILER]: 'redis' };
    throw new GrpcFailure(grpcStatus.UNAVAILABLE, 'redis does not reply', { trailers });
  };
  expect(await failureOf(client.settle({ requestId }))).toMatchObject({
    code: 'UNAVAILABLE',
    message: 'redis does not reply',
    dependency: 'redis',
    retryable: true,
  });
});

test('a mistake of the caller is no dependency’s fault and not to be repeated', async () => {
  const client = open(await serve());
  behave = () => {
    throw new GrpcFailure(grpcStatus.INVALID_ARGUMENT, 'key_sha256: must be 32 bytes');
  };
  expect(await failureOf(client.validateKey({}))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'key_sha256: must be 32 bytes',
    dependency: undefined,
    retryable: false,
  });
});

test('a bug of policy is told as such and says nothing of itself', async () => {
  const client = open(await serve());
  behave = () => {
    throw new Error('a secret');
  };
  expect(await failureOf(client.health())).toMatchObject({
    code: 'INTERNAL',
    message: 'internal error',
    dependency: 'policy',
  });
});

test('without a token, or with one of nobody, no call is let in', async () => {
  const address = await serve();
  for (const token of [undefined, 'token-of-nobody-0123']) {
    expect(await failureOf(open(address, { token }).health())).toMatchObject({
      code: 'UNAUTHENTICATED',
      dependency: undefined,
      retryable: false,
    });
  }
  const ops = open(address, { token: OPS, caller: 'ops' });
  expect(await failureOf(ops.authorize({ requestId }))).toMatchObject({
    code: 'PERMISSION_DENIED',
    retryable: false,
  });
  expect(await ops.invalidate({})).toEqual({ dropped: 2 });
  expect(asked).toHaveLength(1);
});

describe('a policy that does not answer', () => {
  const never = (): Promise<void> => new Promise(() => undefined);

  test('fails each call by its deadline', async () => {
    const address = await serve();
    behave = never;
    const failed = { code: 'DEADLINE_EXCEEDED', dependency: 'policy', retryable: true };
    expect(await failureOf(open(address, { deadlineMs: 50 }).health())).toMatchObject(failed);
    const patient = open(address);
    expect(await failureOf(patient.health({ deadlineMs: 50 }))).toMatchObject(failed);
  });

  test('fails a call without a deadline of its own as well', async () => {
    const address = await serve();
    behave = never;
    const client = createPolicyClient({ address, token: INTERNAL });
    clients.push(client);
    expect(await failureOf(client.health())).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  test('can be given up', async () => {
    const client = open(await serve());
    const controller = new AbortController();
    behave = () => {
      controller.abort();
      return never();
    };
    const { signal } = controller;
    expect(await failureOf(client.health({ signal }))).toMatchObject({
      code: 'CANCELLED',
      dependency: undefined,
    });
  });

  test('is away when nothing listens, and found again when something does', async () => {
    const address = await serve();
    const client = open(address);
    expect((await client.health()).serving).toBe(true);
    await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })));
    expect(await failureOf(client.health())).toMatchObject({
      code: 'UNAVAILABLE',
      dependency: 'policy',
    });
    await serve(undefined, Number(address.split(':')[1]));
    // The channel looks again by itself, within a second of the last time.
    let answered = false;
    while (!answered) {
      answered = await client.health().then(
        () => true,
        () => false,
      );
    }
    expect(asked).toHaveLength(2);
  });
});

test('after close() no call goes out', async () => {
  const client = open(await serve());
  await client.health();
  client.close();
  await expect(client.health()).rejects.toThrow();
  expect(asked).toHaveLength(1);
});

test('with mutual TLS a certificate of the authority is needed beside the token', async () => {
  const address = await serve(TLS);
  expect((await open(address, { tls: TLS }).health()).serving).toBe(true);
  const stranger = {
    ...TLS,
    certFile: tlsFile('stranger.pem'),
    keyFile: tlsFile('stranger.key'),
  };
  for (const tls of [undefined, stranger]) {
    expect(await failureOf(open(address, { tls }).health())).toMatchObject({
      code: 'UNAVAILABLE',
      dependency: 'policy',
    });
  }
});

test('a new request id is one that policy accepts: a UUIDv7 of this moment', () => {
  const beforeMs = Date.now();
  const id = newRequestId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(uuidv7Time(id)).toBeGreaterThanOrEqual(beforeMs);
});
