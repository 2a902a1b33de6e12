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
  type ExtendReply,
  type ExtendRequest__Output,
  type RefusalReport__Output,
  type SessionItem__Output,
  type SessionReply,
  type SessionRequest__Output,
  type SessionResult,
  type SettleReply,
  type SettleRequest__Output,
  type ValidateKeyReply,
} from '@tollgate/contracts/node';
import {
  createLogger,
  duplex,
  GrpcFailure,
  grpcStatus,
  serveGrpc,
  unary,
  type GrpcServer,
} from '@tollgate/kit';

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

export async function startFakePolicy(port = 0) {
  const calls = new Set<Call>();
  const held = new Map<string, HoldState>();
  const frames: number[] = [];
  let seq = 0;
  let epoch = 1;
  let server: GrpcServer;

  const fake = {
    address: '',
    authorized: [] as AuthorizeRequest__Output[],
    extended: [] as ExtendRequest__Output[],
    settled: [] as SettleRequest__Output[],
    /** Attempts that the edge reported. */
    reported: [] as AttemptReport__Output[],
    /** Refusals that the edge made itself and reported. */
    refused: [] as RefusalReport__Output[],
    invalidated: [] as { organisationId: string; keySha256: Buffer }[],
    /** The number of items in each frame from the edge. */
    frames,
    /** The session on which the last frame arrived. */
    lastCall: undefined as Call | undefined,
    opened: 0,
    holds: held,
    decide: (_request: AuthorizeRequest__Output): AuthorizeReply => ({ allow: {} }),
    extend: (_request: ExtendRequest__Output): ExtendReply => ({ granted: true }),
    /** Hashes of keys that are refused when a large body is confirmed. */
    strangers: new Set<string>(),
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
    sessions: () => calls.size,
    heldNow: () => [...held.values()].filter(({ state }) => state === 'HELD').length,
    cutOne: (call: Call | undefined) => {
      if (!call) return;
      calls.delete(call);
      call.emit('error', new GrpcFailure(grpcStatus.UNAVAILABLE, 'cut'));
    },
    /** Breaks every session, including pending answers. */
    cut: () => {
      for (const call of calls) fake.cutOne(call);
    },
    thaw: () => {
      fake.frozen = false;
      for (const act of waiting.splice(0)) act();
    },
    announce: (reply: SessionReply) => {
      for (const call of calls) call.write(reply);
    },
    /** Loses all state, as when Redis restarts empty, and tells the edges. */
    loseData: () => {
      held.clear();
      epoch += 1;
      fake.announce({ reopenedShards: [SHARD] });
    },
    bookAll: () => {
      fake.announce({ booked: [{ shard: SHARD, epoch, booked: seq }] });
    },
    stop: async () => {
      fake.cut();
      await server.close({ drainMs: 0 });
    },
  };
  const waiting: (() => void)[] = [];

  const authorize = (request: AuthorizeRequest__Output): AuthorizeReply => {
    fake.authorized.push(request);
    const known = held.get(request.requestId);
    if (known?.state === 'HELD') return known.reply;
    const reply = fake.decide(request);
    if (!reply.allow) return reply;
    const allow: Allow = {
      holdToken: Buffer.from(`hold:${request.requestId}:0`),
      leaseUntilMs: Date.now() + 60_000,
      subject: { organisationId: ORGANISATION, apiKeyId: 'key-1' },
      ...reply.allow,
    };
    held.set(request.requestId, { state: 'HELD', reply: { allow }, seq: 0 });
    return { allow };
  };

  const extend = (request: ExtendRequest__Output): ExtendReply => {
    fake.extended.push(request);
    const hold = held.get(request.requestId);
    if (!hold && request.adopt) {
      held.set(request.requestId, { state: 'HELD', reply: {}, seq: 0 });
    } else if (hold?.state !== 'HELD') return { granted: false, gone: true };
    const reply = fake.extend(request);
    if (!reply.granted) return reply;
    const count = fake.extended.filter(({ requestId }) => requestId === request.requestId).length;
    return {
      leaseUntilMs: Date.now() + 60_000,
      holdToken: Buffer.from(`hold:${request.requestId}:${count}`),
      ...reply,
    };
  };

  const settle = (request: SettleRequest__Output): SettleReply => {
    const hold = held.get(request.requestId);
    if (hold && hold.state !== 'HELD') return { duplicate: true, seq: hold.seq, shard: SHARD };
    fake.settled.push(request);
    const state = request.cancelled ? 'CANCELLED' : 'SETTLED';
    if (!request.cancelled) seq += 1;
    const own = request.cancelled ? 0 : seq;
    held.set(request.requestId, { state, reply: hold?.reply ?? {}, seq: own });
    return { seq: own, shard: SHARD };
  };

  const result = (item: SessionItem__Output): SessionResult => {
    const { correlationId } = item;
    if (item.item && fake.failing.has(item.item)) {
      return { correlationId, failure: { code: fake.failureCode, dependency: 'redis' } };
    }
    if (item.authorize) return { correlationId, authorize: authorize(item.authorize) };
    if (item.extend) return { correlationId, extend: extend(item.extend) };
    if (item.settle) return { correlationId, settle: settle(item.settle) };
    if (item.confirmKey) {
      fake.confirmed += 1;
      const valid = !fake.strangers.has(item.confirmKey.keySha256.toString('hex'));
      return { correlationId, confirmKey: { valid } };
    }
    return { correlationId, failure: { code: 'INVALID_ARGUMENT' } };
  };

  const session = (call: Call): void => {
    calls.add(call);
    fake.opened += 1;
    // Policy greets a session for an edge that waits for a sign of life.
    if (!fake.silent) call.write({ draining: fake.draining });
    const forget = (): void => {
      calls.delete(call);
    };
    call.on('cancelled', forget);
    call.on('close', forget);
    call.on('error', forget);
    call.on('data', (frame) => {
      if (frame.items.length > 0) frames.push(frame.items.length);
      fake.reported.push(...frame.attempts);
      fake.refused.push(...frame.refusals);
      fake.lastCall = call;
      const act = (): void => {
        const results = frame.items.map(result);
        const booked = fake.booking ? [{ shard: SHARD, epoch, booked: seq }] : [];
        call.write({ results, booked });
      };
      if (fake.frozen) waiting.push(act);
      else act();
    });
    call.on('end', () => {
      forget();
      call.end();
    });
  };

  server = await serveGrpc({
    host: '127.0.0.1',
    port,
    services: [
      {
        definition: PolicyServiceDefinition,
        implementation: {
          authorize: unary(async (request: AuthorizeRequest__Output) => authorize(request)),
          extend: unary(async (request: ExtendRequest__Output) => extend(request)),
          settle: unary(async (request: SettleRequest__Output) => settle(request)),
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
          session: duplex(session),
        },
      },
    ],
    tokens: new Map(),
    callers: GRPC_CALLERS,
    log: createLogger({ service: 'fake-policy', level: 'error', write: () => undefined }),
  });
  fake.address = `127.0.0.1:${server.port}`;
  return fake;
}
