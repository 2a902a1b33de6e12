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
  type KeyContext__Output,
  type ReportRequest__Output,
  type ReportSoftLimitsRequest__Output,
  type ResolveKeysRequest__Output,
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
  /** Sets or replaces a key's context and announces it to watchers. */
  readonly putKey: (keySha256: Buffer, context: KeyContext__Output) => void;
  readonly announce: (change: Omit<Invalidation, 'seq'>) => void;
  /** Number of calls of a method. */
  readonly calls: (method: string) => number;
  /** ResolveKeys and WindowTotals wait from now until the release. */
  readonly freeze: () => { readonly release: () => void };
  /** Stops listening until it is started again. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export async function startFakeCatalog(log: Logger): Promise<FakeCatalog> {
  const books = createFakeBooks();
  const contexts = new Map<string, KeyContext__Output>();
  const rows: (Invalidation & { seq: number })[] = [];
  const watchers = new Set<(row: Invalidation) => void>();
  const calls = new Map<string, number>();
  const softLimits: SoftLimitPassed__Output[] = [];
  const upstreams: UpstreamChange__Output[] = [];
  let frozen: Promise<void> | undefined;
  let port = 0;
  let server: GrpcServer | undefined;

  const count = (method: string): void => {
    calls.set(method, (calls.get(method) ?? 0) + 1);
  };

  const directory = {
    resolveKey: unary(() => {
      throw new GrpcFailure(grpcStatus.UNIMPLEMENTED, 'policy asks for several at once');
    }),
    resolveKeys: unary(async ({ keySha256, knownDigests }: ResolveKeysRequest__Output) => {
      count('resolveKeys');
      await frozen;
      const found = keySha256.map((sha256) => contexts.get(sha256.toString('hex')));
      return resolved(found, rows.length, knownDigests);
    }),
    getConnection: unary(() => {
      throw new GrpcFailure(grpcStatus.NOT_FOUND, 'policy never asks for connections');
    }),
    watchInvalidations: serverStream<WatchInvalidationsRequest__Output, Invalidation>((call) => {
      count('watchInvalidations');
      const { fromSeq } = call.request;
      const send = (row: Invalidation): void => {
        call.write(row);
      };
      if (fromSeq > 0) for (const row of rows.slice(fromSeq)) send(row);
      send({ kind: 'HEARTBEAT', seq: rows.length });
      watchers.add(send);
      call.on('cancelled', () => watchers.delete(send));
    }),
  };

  const ledger = {
    append: unary(async (request: AppendRequest__Output) => {
      count('append');
      return books.append(request);
    }),
    windowTotals: unary(async (request: WindowTotalsRequest__Output) => {
      count('windowTotals');
      await frozen;
      return books.windowTotals(request);
    }),
    getShards: unary(async ({ shards }: GetShardsRequest__Output) => ({
      shards: books.shards.filter(({ shard }) => shards.length === 0 || shards.includes(shard)),
    })),
    advanceEpoch: unary(async ({ shard, fromEpoch }: AdvanceEpochRequest__Output) => {
      count('advanceEpoch');
      return books.advanceEpoch(shard, fromEpoch);
    }),
    checkpoint: unary(async ({ holds }: CheckpointRequest__Output) => {
      count('checkpoint');
      books.checkpoint(holds);
      return { stored: holds.length };
    }),
    reportSoftLimits: unary(async ({ passed }: ReportSoftLimitsRequest__Output) => {
      count('reportSoftLimits');
      softLimits.push(...passed);
      return { noted: passed.length };
    }),
    report: unary(async (request: ReportRequest__Output) => {
      count('report');
      upstreams.push(...request.upstreams);
      return { stored: request.upstreams.length };
    }),
  };

  const start = async (): Promise<void> => {
    server = await serveGrpc({
      host: '127.0.0.1',
      port,
      services: [
        { definition: DirectoryDefinition, implementation: directory },
        { definition: LedgerDefinition, implementation: ledger },
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
    putKey: (keySha256, context) => {
      contexts.set(keySha256.toString('hex'), context);
      for (const wire of context.limits ?? []) {
        const limit = limitFromWire(wire);
        books.limits.set(limit.limitId, limit);
      }
      const organisationId = context.subject?.organisationId ?? '';
      announce({ kind: 'API_KEY', organisationId, keySha256 });
    },
    announce,
    calls: (method) => calls.get(method) ?? 0,
    freeze: () => {
      let release = (): void => {};
      frozen = new Promise((resolve) => {
        release = () => {
          frozen = undefined;
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
