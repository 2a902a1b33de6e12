// The catalog as this service calls it: a deadline for every method, and what its failures mean.
import { status } from '@grpc/grpc-js';
import {
  DirectoryClient,
  LedgerClient,
  type AppendReply__Output,
  type AppendRequest,
  type CheckpointRequest,
  type ReportDecisionsReply__Output,
  type ReportDecisionsRequest,
  type ReportRequest,
  type ReportSoftLimitsRequest,
  type ResolveKeysReply__Output,
  type WindowQuery,
  type WindowTotalsReply__Output,
} from '@tollgate/contracts/node';
import { callUnary, createGrpcClient, openStream, type GrpcChannel } from '@tollgate/kit';

import { AwayError, type InvalidationStream } from './directory';
import type { ShardBook } from './holds';
import { UnbookableError } from './ledger';

export interface Catalog extends ShardBook {
  /** Rejects with an AwayError when the catalog or its database is unreachable. */
  readonly resolveKeys: (
    keySha256: readonly Buffer[],
    knownDigests: readonly Buffer[],
  ) => Promise<ResolveKeysReply__Output>;
  readonly watch: (fromSeq: number) => InvalidationStream;
  readonly windowTotals: (
    shard: number,
    organisationId: string,
    windows: WindowQuery[],
  ) => Promise<WindowTotalsReply__Output>;
  /** Throws an UnbookableError when the entries are at fault. */
  readonly append: (request: AppendRequest) => Promise<AppendReply__Output>;
  readonly checkpoint: (request: CheckpointRequest) => Promise<unknown>;
  readonly reportSoftLimits: (request: ReportSoftLimitsRequest) => Promise<unknown>;
  /**
   * Reports breaker states and refusals of keys, which people read. Throws an UnbookableError when
   * the report itself is at fault.
   */
  readonly report: (request: ReportRequest) => Promise<unknown>;
  /** As `report`. */
  readonly reportDecisions: (
    request: ReportDecisionsRequest,
  ) => Promise<ReportDecisionsReply__Output>;
  /** Rejects when the catalog's process is unreachable. */
  readonly reach: (timeoutMs: number) => Promise<void>;
  readonly close: () => void;
}

export interface CatalogOptions {
  readonly channel: GrpcChannel;
  readonly deadlineMs: number;
  readonly ledgerDeadlineMs: number;
}

// Codes for entries that can never be booked.
const CERTAIN: ReadonlySet<number> = new Set([
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.OUT_OF_RANGE,
  status.DATA_LOSS,
]);
// Codes of an unreachable catalog: another call would fail too.
const AWAY: ReadonlySet<number | undefined> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
]);
// Codes that may be the entry's fault or the catalog's.
const SUSPECT: ReadonlySet<number> = new Set([status.INTERNAL, status.UNKNOWN]);

export function createCatalog(options: CatalogOptions): Catalog {
  const { channel, deadlineMs, ledgerDeadlineMs } = options;
  const directory = createGrpcClient(DirectoryClient, channel);
  const ledger = createGrpcClient(LedgerClient, channel);
  return {
    resolveKeys: async (keySha256, knownDigests) => {
      const request = {
        keySha256: [...keySha256],
        knownDigests: [...knownDigests],
        knowsRegions: true,
      };
      try {
        return await callUnary(directory, 'resolveKeys', request, { deadlineMs });
      } catch (error) {
        if (AWAY.has(codeOf(error)))
          throw new AwayError('the catalog is unreachable', { cause: error });
        throw error;
      }
    },
    watch: (fromSeq) => openStream(directory, 'watchInvalidations', { fromSeq }),
    windowTotals: (shard, organisationId, windows) =>
      callUnary(ledger, 'windowTotals', { shard, organisationId, windows }, { deadlineMs }),
    getShards: async (shards) => {
      const reply = await callUnary(ledger, 'getShards', { shards: [...shards] }, { deadlineMs });
      return reply.shards;
    },
    advanceEpoch: (shard, fromEpoch, reason) =>
      callUnary(ledger, 'advanceEpoch', { shard, fromEpoch, reason }, { deadlineMs }),
    append: async (request) => {
      try {
        return await callUnary(ledger, 'append', request, { deadlineMs: ledgerDeadlineMs });
      } catch (error) {
        throw unbookable(error) ?? error;
      }
    },
    checkpoint: (request) =>
      callUnary(ledger, 'checkpoint', request, { deadlineMs: ledgerDeadlineMs }),
    reportSoftLimits: (request) => callUnary(ledger, 'reportSoftLimits', request, { deadlineMs }),
    report: async (request) => {
      try {
        return await callUnary(ledger, 'report', request, { deadlineMs });
      } catch (error) {
        throw unbookable(error) ?? error;
      }
    },
    reportDecisions: async (request) => {
      try {
        return await callUnary(ledger, 'reportDecisions', request, { deadlineMs });
      } catch (error) {
        throw unbookable(error) ?? error;
      }
    },
    reach: (timeoutMs) =>
      new Promise((resolve, reject) => {
        ledger.waitForReady(Date.now() + timeoutMs, (error) => {
          if (error) reject(new Error('the catalog is unreachable', { cause: error }));
          else resolve();
        });
      }),
    close: () => {
      directory.close();
      ledger.close();
    },
  };
}

function unbookable(error: unknown): UnbookableError | undefined {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  if (CERTAIN.has(code)) return new UnbookableError(error.message, true);
  return SUSPECT.has(code) ? new UnbookableError(error.message, false) : undefined;
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
