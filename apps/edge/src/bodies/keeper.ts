// The queue of bodies between the end of a request and the catalog. It is bounded in bytes and in requests. What has no
// room is told as a note; when even notes have none, only the metric knows.

import { BODY_LEFT_OUT, isOneOf } from '@tollgate/contracts';
import type { KeepBodiesRequest, RequestBodies } from '@tollgate/contracts/node';
import { grpcStatus, type Logger } from '@tollgate/kit';

import type { BodyKeeper, EndedBodies } from '../exchange/kept-bodies';
import type { ByteBudget, ByteLease } from '../intake';
import { maskBodies } from './mask';

export interface BodyKeeperDeps {
  readonly send: (request: KeepBodiesRequest) => Promise<unknown>;
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
      metrics.bodyKept('lost');
    },
    stop: async () => {
      clearInterval(timer);
      await running;
      await flushOnce();
    },
  };
}

async function nextBatch(deps: BodyKeeperDeps, waiting: readonly EndedBodies[]): Promise<Batch> {
  const bodies: RequestBodies[] = [];
  const leases: ByteLease[] = [];
  let bytes = 0;
  for (const ended of waiting) {
    if (leases.length === BATCH_MOST || bytes > BATCH_BYTES) break;
    leases.push(ended.lease);
    try {
      const masked = await maskBodies(deps, ended);
      bodies.push(masked);
      bytes += lengthOf(masked);
    } catch (error) {
      // Nothing that is not masked leaves, and one failure must not stop the queue.
      deps.metrics.bodyKept('lost');
      const { requestId } = ended;
      deps.log.warn('bodies of a request cannot be masked', { requestId, error });
    }
  }
  return { bodies, leases };
}

/** @throws the error of a catalog that is away */
async function sendBatch({ log, metrics, send }: BodyKeeperDeps, { bodies }: Batch): Promise<void> {
  if (bodies.length === 0) return;
  try {
    await send({ bodies: [...bodies] });
  } catch (error) {
    if (!FINAL.has((error as { code?: unknown }).code)) throw error;
    metrics.bodyKept('lost', bodies.length);
    log.warn('the catalog refuses bodies of requests', { requests: bodies.length, error });
    return;
  }
  for (const { answer, request } of bodies) {
    for (const body of [request, answer]) if (body) metrics.bodyKept(outcomeOf(body.leftOut));
  }
}

function lengthOf({ answer, request }: RequestBodies): number {
  return (answer?.text?.length ?? 0) + (request?.text?.length ?? 0);
}

function outcomeOf(leftOut: string | undefined): string {
  return isOneOf(BODY_LEFT_OUT, leftOut ?? '') ? String(leftOut).toLowerCase() : 'kept';
}
