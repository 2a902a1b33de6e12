// A fake policy: a real gRPC server that implements the session protocol (idempotent by request id,
// every hold ended once, numbers per shard, booked marks). The test supplies the decision and
// injects faults.

import type { ServerDuplexStream } from '@grpc/grpc-js';
import { shardOf } from '@tollgate/contracts';
import {
  GRPC_CALLERS,
  PolicyServiceDefinition,
  type Allow,
  type AttemptReport__Output,
  type AuthorizeReply,
  type AuthorizeRequest__Output,
  type DryRunReply,
  type ExtendReply,
  type ExtendRequest__Output,
  type McpTarget,
  type RefusalReport__Output,
  type SessionItem__Output,
  type SessionReply,
  type SessionRequest__Output,
  type SessionResult,
  type SettleReply,
  type SettleRequest__Output,
  type ValidateKeyReply,
} from '@tollgate/contracts/node';
import { createLogger, duplex, GrpcFailure, grpcStatus, serveGrpc, unary } from '@tollgate/kit';

type Call = ServerDuplexStream<SessionRequest__Output, SessionReply>;

export interface HoldState {
  state: 'HELD' | 'SETTLED' | 'CANCELLED';
  reply: AuthorizeReply;
  /** The ledger number of its settle. */
  seq: number;
}

export type FakePolicy = Awaited<ReturnType<typeof startFakePolicy>>;

export const ORGANISATION = '01990000-0000-7000-8000-000000000001';
export const SHARD = shardOf(ORGANISATION);

/** What the fake keeps; `fake` is what tests see and change. */
interface World extends State {
  readonly fake: Fake;
}

interface State {
  readonly calls: Set<Call>;
  readonly held: Map<string, HoldState>;
  /** What a frozen fake does once it is thawed. */
  readonly waiting: (() => void)[];
  seq: number;
  epoch: number;
}

type Fake = ReturnType<typeof createFake>;

export async function startFakePolicy(port = 0) {
  const state: State = { calls: new Set(), held: new Map(), waiting: [], seq: 0, epoch: 1 };
  const fake = createFake(state);
  const world: World = Object.assign(state, { fake });
  const server = await serveGrpc({
    host: '127.0.0.1',
    port,
    services: [
      {
        definition: PolicyServiceDefinition,
        implementation: {
          authorize: unary(async (request: AuthorizeRequest__Output) => authorize(world, request)),
          dryRun: unary(async (request: AuthorizeRequest__Output) => {
            fake.dryRuns.push(request);
            return fake.dryRun(request);
          }),
          extend: unary(async (request: ExtendRequest__Output) => extend(world, request)),
          settle: unary(async (request: SettleRequest__Output) => settle(world, request)),
          validateKey: unary(async () => fake.validate()),
          invalidate: unary(async (request: { organisationId: string; keySha256: Buffer }) => {
            fake.invalidated.push(request);
            return { dropped: 1 };
          }),
          health: unary(async () => ({
            serving: fake.serving,
            dependencies: [
              { name: 'redis', ok: fake.serving, message: fake.serving ? '' : 'away' },
              { name: 'postgres', ok: true, message: '' },
            ],
          })),
          session: duplex((call: Call) => session(world, call)),
        },
      },
    ],
    tokens: new Map(),
    callers: GRPC_CALLERS,
    log: createLogger({ service: 'fake-policy', level: 'error', write: () => undefined }),
  });
  fake.address = `127.0.0.1:${server.port}`;
  return Object.assign(fake, {
    stop: async () => {
      fake.cut();
      await server.close({ drainMs: 0 });
    },
  });
}

function createFake(world: State) {
  const fake = {
    address: '',
    authorized: [] as AuthorizeRequest__Output[],
    dryRuns: [] as AuthorizeRequest__Output[],
    extended: [] as ExtendRequest__Output[],
    settled: [] as SettleRequest__Output[],
    /** Attempts that the edge reported. */
    reported: [] as AttemptReport__Output[],
    /** Refusals that the edge made itself and reported. */
    refused: [] as RefusalReport__Output[],
    invalidated: [] as { organisationId: string; keySha256: Buffer }[],
    /** The number of items in each frame from the edge. */
    frames: [] as number[],
    /** All items in order, with the session on which they arrived. */
    arrived: [] as { kind: string; requestId: string; call: Call }[],
    /** The session on which the last frame arrived. */
    lastCall: undefined as Call | undefined,
    opened: 0,
    holds: world.held,
    decide: (_request: AuthorizeRequest__Output): AuthorizeReply => ({ allow: {} }),
    dryRun: (request: AuthorizeRequest__Output) => asDryRun(fake.decide(request)),
    extend: (_request: ExtendRequest__Output): ExtendReply => ({ granted: true }),
    /** Hashes of keys that are refused when a large body is confirmed. */
    strangers: new Set<string>(),
    /** MCP servers that all keys are granted, by identifier. */
    mcpServers: new Map<string, McpTarget>(),
    /** How often a large body was confirmed. */
    confirmed: 0,
    validate: (): ValidateKeyReply => ({ valid: true }),
    serving: true,
    /** Accepts items and answers none, like a stopped process. */
    frozen: false,
    /** New sessions get no greeting. */
    silent: false,
    /** New sessions are asked to drain instead. */
    draining: false,
    /** Items of these kinds fail with an unavailable dependency. */
    failing: new Set<string>(),
    failureCode: 'UNAVAILABLE',
    /** Sends a booked mark with every answer. */
    booking: true,
    sessions: () => world.calls.size,
    heldNow: () => [...world.held.values()].filter(({ state }) => state === 'HELD').length,
    cutOne: (call: Call | undefined) => {
      if (!call) return;
      world.calls.delete(call);
      call.emit('error', new GrpcFailure(grpcStatus.UNAVAILABLE, 'cut'));
    },
    /** Breaks every session, including pending answers. */
    cut: () => {
      for (const call of world.calls) fake.cutOne(call);
    },
    /** Forgets what arrived, and decides as at the start. */
    reset: () => {
      fake.extend = () => ({ granted: true });
      fake.failing.clear();
      fake.authorized.length = 0;
      fake.settled.length = 0;
      for (const asked of [fake.dryRuns, fake.extended]) asked.length = 0;
      fake.reported.length = 0;
      fake.refused.length = 0;
      fake.arrived.length = 0;
      fake.strangers.clear();
      fake.mcpServers.clear();
      fake.confirmed = 0;
    },
    thaw: () => {
      fake.frozen = false;
      for (const act of world.waiting.splice(0)) act();
    },
    announce: (reply: SessionReply) => {
      for (const call of world.calls) call.write(reply);
    },
    /** Loses all state, as when Redis restarts empty, and tells the edges. */
    loseData: () => {
      world.held.clear();
      world.epoch += 1;
      fake.announce({ reopenedShards: [SHARD] });
    },
    bookAll: () => {
      fake.announce({ booked: [mark(world)] });
    },
  };
  return fake;
}

function asDryRun(reply: AuthorizeReply): DryRunReply {
  return { ...reply, candidates: reply.allow?.candidates ?? [] };
}

function mark({ epoch, seq }: State) {
  return { shard: SHARD, epoch, booked: seq };
}

function authorize(world: World, request: AuthorizeRequest__Output): AuthorizeReply {
  world.fake.authorized.push(request);
  const known = world.held.get(request.requestId);
  if (known?.state === 'HELD') return known.reply;
  const reply = world.fake.decide(request);
  if (!reply.allow) return reply;
  const allow: Allow = {
    holdToken: Buffer.from(`hold:${request.requestId}:0`),
    leaseUntilMs: Date.now() + 60_000,
    subject: { organisationId: ORGANISATION, apiKeyId: 'key-1' },
    ...reply.allow,
  };
  world.held.set(request.requestId, { state: 'HELD', reply: { allow }, seq: 0 });
  return { allow };
}

function extend(world: World, request: ExtendRequest__Output): ExtendReply {
  world.fake.extended.push(request);
  const hold = world.held.get(request.requestId);
  if (!hold && request.adopt) {
    world.held.set(request.requestId, { state: 'HELD', reply: {}, seq: 0 });
  } else if (hold?.state !== 'HELD') return { granted: false, gone: true };
  const reply = world.fake.extend(request);
  if (!reply.granted) return reply;
  const count = world.fake.extended.filter(
    ({ requestId }) => requestId === request.requestId,
  ).length;
  return {
    leaseUntilMs: Date.now() + 60_000,
    holdToken: Buffer.from(`hold:${request.requestId}:${count}`),
    ...reply,
  };
}

function settle(world: World, request: SettleRequest__Output): SettleReply {
  const hold = world.held.get(request.requestId);
  if (hold && hold.state !== 'HELD') return { duplicate: true, seq: hold.seq, shard: SHARD };
  world.fake.settled.push(request);
  const state = request.cancelled ? 'CANCELLED' : 'SETTLED';
  if (!request.cancelled) world.seq += 1;
  const own = request.cancelled ? 0 : world.seq;
  world.held.set(request.requestId, { state, reply: hold?.reply ?? {}, seq: own });
  return { seq: own, shard: SHARD };
}

function result(world: World, item: SessionItem__Output): SessionResult {
  const { correlationId } = item;
  if (item.item && world.fake.failing.has(item.item)) {
    return { correlationId, failure: { code: world.fake.failureCode, dependency: 'redis' } };
  }
  if (item.authorize) return { correlationId, authorize: authorize(world, item.authorize) };
  if (item.extend) return { correlationId, extend: extend(world, item.extend) };
  if (item.settle) return { correlationId, settle: settle(world, item.settle) };
  if (item.confirmKey) {
    world.fake.confirmed += 1;
    const valid = !world.fake.strangers.has(item.confirmKey.keySha256.toString('hex'));
    const mcp = world.fake.mcpServers.get(item.confirmKey.mcpServer);
    return { correlationId, confirmKey: { valid, ...(valid && mcp ? { mcp } : {}) } };
  }
  return { correlationId, failure: { code: 'INVALID_ARGUMENT' } };
}

function arrival(item: SessionItem__Output, call: Call) {
  const { requestId = '' } = item.authorize ?? item.extend ?? item.settle ?? {};
  return { kind: item.item ?? '', requestId, call };
}

function session(world: World, call: Call): void {
  world.calls.add(call);
  world.fake.opened += 1;
  // Policy greets a session for an edge that waits for a sign of life.
  if (!world.fake.silent) call.write({ draining: world.fake.draining });
  const forget = (): void => {
    world.calls.delete(call);
  };
  call.on('cancelled', forget);
  call.on('close', forget);
  call.on('error', forget);
  call.on('data', (frame) => {
    if (frame.items.length > 0) world.fake.frames.push(frame.items.length);
    world.fake.reported.push(...frame.attempts);
    world.fake.refused.push(...frame.refusals);
    world.fake.lastCall = call;
    for (const item of frame.items) world.fake.arrived.push(arrival(item, call));
    const act = (): void => {
      const results = frame.items.map((item: SessionItem__Output) => result(world, item));
      const booked = world.fake.booking ? [mark(world)] : [];
      call.write({ results, booked });
    };
    if (world.fake.frozen) world.waiting.push(act);
    else act();
  });
  call.on('end', () => {
    forget();
    call.end();
  });
}
