import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { urlToHttpOptions } from 'node:url';

import { createConnection, type Connection, type Ended } from './http-connection';
import type { Job, Outcome, Quantiles } from './job';
import { pace } from './pace';

/**
 * Open loop: requests start at fixed times, whether earlier ones were answered or not, and latency
 * counts from the scheduled start. A stalled server is thus charged for every request that
 * would have waited. Closed loop: every connection sends its next request when the last is answered.
 *
 * `onWarm` is awaited between the warm-up, whose requests have all ended, and the measurement.
 */
export async function runJob(
  job: Job,
  onWarm: () => Promise<void> = async () => undefined,
): Promise<Outcome> {
  const load = createLoad(job);
  try {
    if (job.warmUpSeconds !== undefined) await load.run(job.warmUpSeconds);
    await onWarm();
    return await load.run(job.seconds);
  } finally {
    load.stop();
  }
}

const EXPIRE_EVERY_MS = 1_000;

interface Load {
  readonly run: (seconds: number) => Promise<Outcome>;
  readonly stop: () => void;
}

function createLoad(job: Job): Load {
  const requests = requestsOf(job);
  let figures = createFigures(job.expect);
  let sent = 0;
  const lines: Lines = {
    all: Array.from({ length: job.connections }, () => createLine()),
    begin: (line, intendedMs) => {
      const request = requests[sent % requests.length];
      if (request === undefined) throw new RangeError('nothing to send');
      sent += 1;
      line.intendedMs = intendedMs;
      line.connection.send(request);
    },
    spent: () => job.once === true && sent >= requests.length,
    onEnded: () => undefined,
  };

  function createLine(): Line {
    const { hostname, port } = urlToHttpOptions(new URL(job.url));
    const to = { host: String(hostname), port: Number(port ?? 80) };
    const connection = createConnection(to, (ended) => {
      figures.add(ended, line.intendedMs);
      lines.onEnded(line);
    });
    const line: Line = { connection, intendedMs: 0 };
    return line;
  }

  const expiry = setInterval(() => {
    for (const { connection } of lines.all) connection.expire(performance.now());
  }, EXPIRE_EVERY_MS);

  return {
    run: async (seconds) => {
      figures = createFigures(job.expect);
      const startMs = performance.now();
      if (job.perSecond === undefined) await closedLoop(lines, seconds);
      else await openLoop(lines, seconds, job.perSecond);
      return figures.outcome(performance.now() - startMs);
    },
    stop: () => {
      clearInterval(expiry);
      for (const { connection } of lines.all) connection.close();
    },
  };
}

interface Line {
  readonly connection: Connection;
  /** Scheduled start of the running request, on the clock of `performance`. */
  intendedMs: number;
}

interface Lines {
  readonly all: readonly Line[];
  /** Sends the next request. */
  readonly begin: (line: Line, intendedMs: number) => void;
  /** Whether every request of a job with `once` has been sent. */
  readonly spent: () => boolean;
  /** Called when a request has ended, so that the line is free. */
  onEnded: (line: Line) => void;
}

function closedLoop(lines: Lines, seconds: number): Promise<void> {
  const untilMs = performance.now() + seconds * 1_000;
  let busy = lines.all.length;
  return new Promise((resolve) => {
    lines.onEnded = (line) => {
      const nowMs = performance.now();
      if (nowMs < untilMs && !lines.spent()) lines.begin(line, nowMs);
      else busy -= 1;
      if (busy === 0) resolve();
    };
    lines.all.forEach(lines.onEnded);
  });
}

function openLoop(lines: Lines, seconds: number, perSecond: number): Promise<void> {
  const count = Math.round(seconds * perSecond);
  const everyMs = 1_000 / perSecond;
  const startMs = performance.now();
  // Lines take turns: the warm-up opens all, and none idles until the other side closes it.
  const free = [...lines.all];
  let due = 0;
  let begun = 0;
  let ended = 0;
  const beginDue = (): void => {
    while (begun < due) {
      const line = free.shift();
      if (line === undefined) return;
      lines.begin(line, startMs + begun * everyMs);
      begun += 1;
    }
  };
  return new Promise((resolve) => {
    lines.onEnded = (line) => {
      free.push(line);
      ended += 1;
      if (ended === count) resolve();
      else beginDue();
    };
    pace(() => {
      due = Math.min(count, Math.floor((performance.now() - startMs) / everyMs) + 1);
      beginDue();
      const nextMs = due === count ? undefined : startMs + due * everyMs;
      return { nextMs, busy: free.length < lines.all.length };
    });
  });
}

/** The bytes of the request, or one request per token. */
function requestsOf({ url, headers, tokens = [], body }: Job): Buffer[] {
  const { host, pathname, search } = new URL(url);
  const withHeaders = (all: Readonly<Record<string, string>>): Buffer => {
    const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = String(Buffer.byteLength(body));
    return Buffer.from(
      `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${fields.join('')}` +
        `content-length: ${length}\r\n\r\n${body}`,
    );
  };
  if (tokens.length === 0) return [withHeaders(headers)];
  const made = new Map<string, Buffer>();
  return tokens.map((token) => {
    const request =
      made.get(token) ?? withHeaders({ ...headers, authorization: `Bearer ${token}` });
    made.set(token, request);
    return request;
  });
}

interface Figures {
  readonly add: (ended: Ended, intendedMs: number) => void;
  readonly outcome: (elapsedMs: number) => Outcome;
}

function createFigures(expect: number): Figures {
  const total = histogram();
  const first = histogram();
  const failures = new Map<string, number>();
  let ok = 0;
  const fail = (why: string): unknown => failures.set(why, (failures.get(why) ?? 0) + 1);
  return {
    add: (ended, intendedMs) => {
      if ('failure' in ended) fail(ended.failure);
      else if (ended.status !== expect) fail(`status ${String(ended.status)}`);
      else {
        ok += 1;
        record(total, ended.endMs - intendedMs);
        if (ended.firstMs !== undefined) record(first, ended.firstMs - intendedMs);
      }
    },
    outcome: (elapsedMs) => ({
      elapsedMs,
      requests: ok,
      failures: Object.fromEntries(failures),
      totalUs: quantiles(total),
      firstUs: quantiles(first),
    }),
  };
}

const histogram = (): RecordableHistogram =>
  createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 });

const record = (into: RecordableHistogram, ms: number): void =>
  into.record(Math.max(1, Math.round(ms * 1_000)));

function quantiles(from: RecordableHistogram): Quantiles {
  const at = (percent: number): number => (from.count === 0 ? 0 : from.percentile(percent));
  return { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9) };
}
