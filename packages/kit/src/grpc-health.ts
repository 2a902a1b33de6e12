import type { ServerWritableStream, ServiceDefinition } from '@grpc/grpc-js';

import type { GrpcService } from './grpc-binding';
import { GrpcFailure, grpcStatus, serverStream, unary } from './grpc-handler';
import { singleFlight } from './single-flight';

// grpc.health.v1, with which Kubernetes, proxies and clients check a gRPC port. No token is needed,
// so a reply has nothing but the status, is computed at most once in `everyMs`, and watchers are
// bounded.

export interface GrpcHealthOptions {
  /** Whether calls can be served, like the HTTP health check; a rejection means no. */
  serving: () => Promise<boolean>;
  /** How long a status is cached, and how often watchers are updated; default 1 s. */
  everyMs?: number;
  /** Open Watch streams; default 100. */
  maxWatchers?: number;
}

const EVERY_MS = 1_000;
const MAX_WATCHERS = 100;

const STATUS = { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;
export type ServingStatus = keyof typeof STATUS;

interface Asked {
  service: string;
}
interface Answered {
  status: ServingStatus;
}
interface Watcher {
  call: ServerWritableStream<Asked, Answered>;
  known: boolean;
  told: ServingStatus | undefined;
}

/**
 * Serves each of `services` by its full name, and `""` for the whole server. Once `draining` fires,
 * every status is NOT_SERVING and the watches end.
 */
export function createGrpcHealth(
  services: readonly Pick<GrpcService, 'definition'>[],
  draining: AbortSignal,
  options: GrpcHealthOptions,
): GrpcService {
  const { everyMs = EVERY_MS, maxWatchers = MAX_WATCHERS } = options;
  const names = new Set(['', ...services.map(({ definition }) => nameOf(definition))]);
  const look = createStatus(options.serving, everyMs);
  const status = async (): Promise<ServingStatus> => {
    const found = draining.aborted ? 'NOT_SERVING' : await look();
    return draining.aborted ? 'NOT_SERVING' : found;
  };
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;

  const tell = (watcher: Watcher, now: ServingStatus): void => {
    const next = watcher.known ? now : 'SERVICE_UNKNOWN';
    // A watcher that does not read is updated when it does.
    if (next === watcher.told || watcher.call.writableNeedDrain || watcher.call.destroyed) return;
    watcher.told = next;
    watcher.call.write({ status: next });
  };
  const lookAfter = async (): Promise<void> => {
    const now = await status();
    for (const watcher of watchers) tell(watcher, now);
  };
  const leave = (watcher: Watcher): void => {
    watchers.delete(watcher);
    if (watchers.size === 0) clearInterval(timer);
  };
  const drain = (): void => {
    for (const watcher of watchers) {
      tell(watcher, 'NOT_SERVING');
      watcher.call.end();
    }
  };
  draining.addEventListener('abort', drain, { once: true });

  const watch = (call: Watcher['call']): void => {
    if (watchers.size >= maxWatchers) {
      throw new GrpcFailure(grpcStatus.RESOURCE_EXHAUSTED, 'too many health watches are open');
    }
    if (watchers.size === 0) {
      timer = setInterval(() => void lookAfter(), everyMs).unref();
    }
    const watcher = { call, known: names.has(call.request.service), told: undefined };
    watchers.add(watcher);
    for (const end of ['cancelled', 'close', 'finish', 'error']) {
      call.once(end, () => leave(watcher));
    }
    void lookAfter();
  };
  const check = async ({ service }: Asked): Promise<Answered> => {
    if (!names.has(service)) throw new GrpcFailure(grpcStatus.NOT_FOUND, 'no such service');
    return { status: await status() };
  };
  return {
    definition: HEALTH_DEFINITION,
    implementation: { Check: unary(check), Watch: serverStream(watch) },
  };
}

/** Repeated questions within `everyMs` get the cached status. */
function createStatus(
  serving: () => Promise<boolean>,
  everyMs: number,
): () => Promise<ServingStatus> {
  const flight = singleFlight<ServingStatus>();
  let kept: { atMs: number; status: ServingStatus } | undefined;
  const look = async (): Promise<ServingStatus> => {
    const status = (await serving().catch(() => false)) ? 'SERVING' : 'NOT_SERVING';
    kept = { atMs: performance.now(), status };
    return status;
  };
  return () =>
    kept !== undefined && performance.now() - kept.atMs < everyMs
      ? Promise.resolve(kept.status)
      : flight('status', look);
}

function nameOf(definition: ServiceDefinition): string {
  const [path = ''] = Object.values(definition).map((method) => method.path);
  return path.split('/')[1] ?? '';
}

// Both messages have one field: `string service = 1` and `ServingStatus status = 1`.
const SERVICE_TAG = 0x0a;
const STATUS_TAG = 0x08;
const METHOD = {
  requestStream: false,
  requestSerialize: ({ service }: Asked): Buffer => {
    const name = Buffer.from(service);
    if (name.length === 0) return name;
    if (name.length > 127) throw new RangeError('a service name has at most 127 bytes');
    return Buffer.concat([Buffer.from([SERVICE_TAG, name.length]), name]);
  },
  // A longer message, or one with unknown fields, names no service that is served here.
  requestDeserialize: (bytes: Buffer): Asked => {
    if (bytes.length === 0) return { service: '' };
    const [tag, length] = bytes;
    const whole = tag === SERVICE_TAG && length !== undefined && length === bytes.length - 2;
    return { service: whole && length < 128 ? bytes.toString('utf8', 2) : UNREADABLE };
  },
  responseSerialize: ({ status }: Answered): Buffer => Buffer.from([STATUS_TAG, STATUS[status]]),
  responseDeserialize: (bytes: Buffer): Answered => {
    const found = Object.entries(STATUS).find(([, value]) => value === (bytes[1] ?? 0));
    return { status: (found?.[0] ?? 'UNKNOWN') as ServingStatus };
  },
};
const UNREADABLE = '\0';

const HEALTH = '/grpc.health.v1.Health';
export const HEALTH_DEFINITION = {
  Check: { ...METHOD, originalName: 'check', path: `${HEALTH}/Check`, responseStream: false },
  Watch: { ...METHOD, originalName: 'watch', path: `${HEALTH}/Watch`, responseStream: true },
} satisfies ServiceDefinition;
