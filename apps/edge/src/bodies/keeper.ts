// The queue of bodies between the end of a request and the catalog. It is bounded in bytes and in requests. What has no
// room is told as a note; when even notes have none, only the metric knows.

import { BODY_LEFT_OUT, isOneOf } from '@tollgate/contracts';
import type {
  KeepBodiesReply__Output,
  KeepBodiesRequest,
  RequestBodies,
} from '@tollgate/contracts/node';
import { grpcStatus, withDeadline, type Logger } from '@tollgate/kit';

import type { BodyKeeper, EndedBodies } from '../exchange/kept-bodies';
import type { ByteBudget, ByteLease } from '../intake';
import { createTurns } from '../screening';
import { maskBodies } from './mask';

export interface BodyKeeperDeps {
  readonly send: (request: KeepBodiesRequest) => Promise<KeepBodiesReply__Output>;
  readonly room: ByteBudget;
  /** Of one body. */
  readonly mostBytes: number;
  readonly metrics: { readonly bodyKept: (outcome: string, count?: number) => void };
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly nowMs: () => number;
  readonly flushMs?: number;
  /** Requests in the queue. */
  readonly most?: number;
}

const FLUSH_MS = 500;
const MOST = 10_000;
/** Of one call; the catalog takes 200 requests, and 16 MiB. */
const BATCH_MOST = 100;
const BATCH_BYTES = 4 * 1024 * 1024;

/** The catalog will never take such a batch. */
const FINAL: ReadonlySet<unknown> = new Set([
  grpcStatus.INVALID_ARGUMENT,
  grpcStatus.UNIMPLEMENTED,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.RESOURCE_EXHAUSTED,
]);

interface Batch {
  readonly bodies: readonly RequestBodies[];
  readonly leases: readonly ByteLease[];
}

export function createBodyKeeper(deps: BodyKeeperDeps): BodyKeeper {
  const { flushMs = FLUSH_MS, log, metrics, most = MOST, mostBytes, room } = deps;
  let waiting: EndedBodies[] = [];
  let unsent: Batch | undefined;
  let running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (unsent ?? waiting.length > 0) {
      if (!unsent) {
        unsent = await nextBatch(deps, waiting);
        waiting = waiting.slice(unsent.leases.length);
      }
      await sendBatch(deps, unsent);
      for (const lease of unsent.leases) lease.release();
      unsent = undefined;
    }
  };

  // One batch at a time: while the catalog is slow or away, bodies wait in their bounded room.
  const flushOnce = (): Promise<void> => {
    running ??= flush()
      .catch((error: unknown) => {
        log.debug('bodies of requests could not be stored', { waiting: waiting.length, error });
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const timer = setInterval(() => {
    if (unsent ?? waiting.length > 0) void flushOnce();
  }, flushMs);
  timer.unref();

  return {
    mostBytes,
    room,
    keep: (ended) => {
      if (waiting.length < most) {
        waiting.push(ended);
        return;
      }
      ended.lease.release();
      metrics.bodyKept('lost', wantedOf(ended));
    },
    stop: async (deadlineMs) => {
      clearInterval(timer);
      const drained = (running ?? Promise.resolve()).then(flushOnce);
      await withDeadline(drained, deadlineMs, 'the queue of bodies').catch(() => undefined);
      const waits = [...(unsent?.bodies ?? []), ...waiting];
      const left = waits.reduce((sum, ended) => sum + wantedOf(ended), 0);
      if (left === 0) return;
      metrics.bodyKept('lost', left);
      log.warn('bodies of requests were not stored before the end', { bodies: left });
    },
  };
}

/** How many bodies the organisation wants of a request. */
function wantedOf({ answer, request }: { readonly answer?: unknown; readonly request?: unknown }) {
  return (answer ? 1 : 0) + (request ? 1 : 0);
}

async function nextBatch(deps: BodyKeeperDeps, waiting: readonly EndedBodies[]): Promise<Batch> {
  const bodies: RequestBodies[] = [];
  const leases: ByteLease[] = [];
  let bytes = 0;
  const takeTurns = createTurns(deps);
  for (const ended of waiting) {
    if (leases.length === BATCH_MOST || bytes > BATCH_BYTES) break;
    leases.push(ended.lease);
    try {
      const masked = await maskBodies({ ...deps, takeTurns }, ended);
      bodies.push(masked);
      bytes += lengthOf(masked);
    } catch (error) {
      // Nothing that is not masked leaves, and one failure must not stop the queue.
      deps.metrics.bodyKept('lost', wantedOf(ended));
      const { requestId } = ended;
      deps.log.warn('bodies of a request cannot be masked', { requestId, error });
    }
  }
  return { bodies, leases };
}

/** @throws the error of a catalog that is away */
async function sendBatch({ log, metrics, send }: BodyKeeperDeps, { bodies }: Batch): Promise<void> {
  if (bodies.length === 0) return;
  const each = bodies.flatMap(({ answer, request }) => [answer, request]).filter((one) => !!one);
  let reply: KeepBodiesReply__Output;
  try {
    reply = await send({ bodies: [...bodies] });
  } catch (error) {
    if (!FINAL.has((error as { code?: unknown }).code)) throw error;
    metrics.bodyKept('lost', each.length);
    log.warn('the catalog refuses bodies of requests', { requests: bodies.length, error });
    return;
  }
  const notes = each.flatMap(({ leftOut }) =>
    isOneOf(BODY_LEFT_OUT, leftOut ?? '') ? [leftOut] : [],
  );
  for (const leftOut of notes) metrics.bodyKept(String(leftOut).toLowerCase());
  const { dayFull, kept } = reply;
  const outcomes = {
    kept,
    day_full: dayFull,
    unwanted: each.length - notes.length - kept - dayFull,
  };
  for (const [outcome, count] of Object.entries(outcomes)) {
    if (count > 0) metrics.bodyKept(outcome, count);
  }
}

function lengthOf({ answer, request }: RequestBodies): number {
  return (answer?.text?.length ?? 0) + (request?.text?.length ?? 0);
}
