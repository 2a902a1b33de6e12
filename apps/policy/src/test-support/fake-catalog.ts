import { limitFromWire } from '@tollgate/contracts';
import {
  DirectoryDefinition,
  GRPC_CALLERS,
  LedgerDefinition,
  type AdvanceEpochRequest__Output,
  type AppendRequest__Output,
  type CheckpointRequest__Output,
  type GetShardsRequest__Output,
  type Invalidation,
  type KeepBodiesRequest__Output,
  type KeptDecision__Output,
  type KeyContext__Output,
  type KeyRefusals__Output,
  type ReportDecisionsRequest__Output,
  type ReportRefusedRequest__Output,
  type ReportRequest__Output,
  type ReportSoftLimitsRequest__Output,
  type ResolveKeysRequest__Output,
  type ScreeningEntry__Output,
  type SoftLimitPassed__Output,
  type UpstreamChange__Output,
  type WatchInvalidationsRequest__Output,
  type WindowTotalsRequest__Output,
} from '@tollgate/contracts/node';
import {
  GrpcFailure,
  grpcStatus,
  serveGrpc,
  serverStream,
  unary,
  type GrpcServer,
  type Logger,
} from '@tollgate/kit';

import { resolved } from './contexts';
import { createFakeBooks, type FakeBooks } from './fake-books';

/** A real gRPC server that replies like the catalog, from memory. */
export interface FakeCatalog {
  readonly address: string;
  readonly books: FakeBooks;
  /** Every report of a soft limit, repetitions included. */
  readonly softLimits: readonly SoftLimitPassed__Output[];
  /** Every reported change of an upstream. */
  readonly upstreams: readonly UpstreamChange__Output[];
  /** Every reported sum of refusals of a key. */
  readonly refusals: readonly KeyRefusals__Output[];
  /** Every reported decision. */
  readonly decisions: readonly KeptDecision__Output[];
  /** Sets or replaces a key's context and announces it to watchers. */
  readonly putKey: (keySha256: Buffer, context: KeyContext__Output) => void;
  /** Replaces the screening policies of an organisation and announces them to watchers. */
  readonly putScreening: (
    organisationId: string,
    screening: readonly ScreeningEntry__Output[],
  ) => void;
  readonly announce: (change: Omit<Invalidation, 'seq'>) => void;
  /** Number of calls of a method. */
  readonly calls: (method: string) => number;
  /** ResolveKeys and WindowTotals wait from now until the release. */
  readonly freeze: () => { readonly release: () => void };
  /** Stops listening until it is started again. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

interface World {
  readonly books: FakeBooks;
  readonly contexts: Map<string, KeyContext__Output>;
  readonly rows: (Invalidation & { seq: number })[];
  readonly watchers: Set<(row: Invalidation) => void>;
  /** By method. */
  readonly calls: Map<string, number>;
  readonly softLimits: SoftLimitPassed__Output[];
  readonly upstreams: UpstreamChange__Output[];
  readonly refusals: KeyRefusals__Output[];
  readonly decisions: KeptDecision__Output[];
  frozen: Promise<void> | undefined;
}

export async function startFakeCatalog(log: Logger): Promise<FakeCatalog> {
  const world = newWorld();
  const { books, rows, watchers, calls, decisions, refusals, softLimits, upstreams } = world;
  let port = 0;
  let server: GrpcServer | undefined;

  const start = async (): Promise<void> => {
    server = await serveGrpc({
      host: '127.0.0.1',
      port,
      services: [
        { definition: DirectoryDefinition, implementation: directoryOf(world) },
        { definition: LedgerDefinition, implementation: ledgerOf(world) },
      ],
      tokens: new Map(),
      callers: GRPC_CALLERS,
      log,
    });
    port = server.port;
  };

  const announce: FakeCatalog['announce'] = (change) => {
    const row = { ...change, seq: rows.length + 1 };
    rows.push(row);
    for (const send of watchers) send(row);
  };

  await start();
  return {
    address: `127.0.0.1:${String(port)}`,
    books,
    softLimits,
    upstreams,
    refusals,
    decisions,
    putKey: (keySha256, context) => {
      replaceKey(world, keySha256, context);
      const organisationId = context.subject?.organisationId ?? '';
      announce({ kind: 'API_KEY', organisationId, keySha256 });
    },
    putScreening: (organisationId, screening) => {
      replaceScreening(world, organisationId, screening);
      announce({ kind: 'SCREENING_POLICY', organisationId });
    },
    announce,
    calls: (method) => calls.get(method) ?? 0,
    freeze: () => {
      let release = (): void => {};
      world.frozen = new Promise((resolve) => {
        release = () => {
          world.frozen = undefined;
          resolve();
        };
      });
      return { release };
    },
    stop: async () => {
      watchers.clear();
      await server?.close({ drainMs: 0 });
      server = undefined;
    },
    start,
  };
}

function newWorld(): World {
  return {
    books: createFakeBooks(),
    contexts: new Map(),
    rows: [],
    watchers: new Set(),
    calls: new Map(),
    softLimits: [],
    upstreams: [],
    refusals: [],
    decisions: [],
    frozen: undefined,
  };
}

function replaceKey(
  { books, contexts }: World,
  keySha256: Buffer,
  context: KeyContext__Output,
): void {
  contexts.set(keySha256.toString('hex'), context);
  const onValues = (context.valueLimits ?? []).flatMap(({ limit }) => limit ?? []);
  const ofShadows = (context.experiments ?? []).flatMap(({ shadow }) => shadow?.budget ?? []);
  for (const wire of [...(context.limits ?? []), ...onValues, ...ofShadows]) {
    const limit = limitFromWire(wire);
    books.limits.set(limit.limitId, limit);
  }
}

function replaceScreening(
  { contexts }: World,
  organisationId: string,
  screening: readonly ScreeningEntry__Output[],
): void {
  for (const [key, context] of contexts) {
    if (context.subject?.organisationId !== organisationId) continue;
    contexts.set(key, { ...context, screening: [...screening] });
  }
}

function directoryOf(world: World) {
  return {
    resolveKey: unary(() => {
      throw new GrpcFailure(grpcStatus.UNIMPLEMENTED, 'policy asks for several at once');
    }),
    resolveKeys: unary(async ({ keySha256, knownDigests }: ResolveKeysRequest__Output) => {
      count(world, 'resolveKeys');
      await world.frozen;
      const found = keySha256.map((sha256) => world.contexts.get(sha256.toString('hex')));
      return resolved(found, world.rows.length, knownDigests);
    }),
    getConnection: unary(() => {
      throw new GrpcFailure(grpcStatus.NOT_FOUND, 'policy never asks for connections');
    }),
    getMcpConnection: unary(() => {
      throw new GrpcFailure(grpcStatus.NOT_FOUND, 'policy never asks for connections');
    }),
    getMcpSignIn: unary(() => {
      throw new GrpcFailure(grpcStatus.NOT_FOUND, 'policy never asks for sign-ins');
    }),
    getScreeningPolicy: unary(() => {
      throw new GrpcFailure(grpcStatus.NOT_FOUND, 'policy never asks for rules');
    }),
    watchInvalidations: serverStream<WatchInvalidationsRequest__Output, Invalidation>((call) => {
      count(world, 'watchInvalidations');
      const { fromSeq } = call.request;
      const send = (row: Invalidation): void => {
        call.write(row);
      };
      if (fromSeq > 0) for (const row of world.rows.slice(fromSeq)) send(row);
      send({ kind: 'HEARTBEAT', seq: world.rows.length });
      world.watchers.add(send);
      call.on('cancelled', () => world.watchers.delete(send));
    }),
  };
}

function ledgerOf(world: World) {
  return {
    append: unary(async (request: AppendRequest__Output) => {
      count(world, 'append');
      return world.books.append(request);
    }),
    windowTotals: unary(async (request: WindowTotalsRequest__Output) => {
      count(world, 'windowTotals');
      await world.frozen;
      return world.books.windowTotals(request);
    }),
    getShards: unary(async ({ shards }: GetShardsRequest__Output) => ({
      shards: world.books.shards.filter(
        ({ shard }) => shards.length === 0 || shards.includes(shard),
      ),
    })),
    advanceEpoch: unary(async ({ shard, fromEpoch }: AdvanceEpochRequest__Output) => {
      count(world, 'advanceEpoch');
      return world.books.advanceEpoch(shard, fromEpoch);
    }),
    checkpoint: unary(async ({ holds }: CheckpointRequest__Output) => {
      count(world, 'checkpoint');
      world.books.checkpoint(holds);
      return { stored: holds.length };
    }),
    reportSoftLimits: unary(async ({ passed }: ReportSoftLimitsRequest__Output) => {
      count(world, 'reportSoftLimits');
      world.softLimits.push(...passed);
      return { noted: passed.length };
    }),
    report: unary(async (request: ReportRequest__Output) => {
      count(world, 'report');
      world.upstreams.push(...request.upstreams);
      world.refusals.push(...request.refusals);
      return { stored: request.upstreams.length };
    }),
    reportDecisions: unary(async ({ decisions }: ReportDecisionsRequest__Output) => {
      count(world, 'reportDecisions');
      world.decisions.push(...decisions);
      return { stored: decisions.length };
    }),
    // Only edges report these.
    keepBodies: unary(async ({ bodies }: KeepBodiesRequest__Output) => ({
      kept: bodies.length,
    })),
    reportRefused: unary(async ({ sums }: ReportRefusedRequest__Output) => ({
      stored: sums.length,
    })),
  };
}

function count({ calls }: World, method: string): void {
  calls.set(method, (calls.get(method) ?? 0) + 1);
}
