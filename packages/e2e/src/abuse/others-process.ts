import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot } from '@tollgate/stack';

import { OTHERS_GRACE_MS } from './limits';

// The other callers' interface to the rest of the program: when to start counting, and the results.

export interface OthersSettings {
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

export interface OthersReport {
  readonly asked: number;
  /** Not answered with 200, or not sent because too many were waiting. */
  readonly failed: number;
  readonly p50Ms: number;
  /** Infinite if more than one in a hundred failed. */
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The longest wait for `GET /v1/health`, which has no dependencies. */
  readonly healthMs: number;
}

export interface Others {
  /** The provider of these callers alone, unaffected by large bodies. */
  readonly upstreamUrl: string;
  readonly start: (settings: OthersSettings) => void;
  /** Discards the results so far. */
  readonly begin: () => void;
  /** The results of all requests since `begin`, once they have ended. */
  readonly end: () => Promise<OthersReport>;
  readonly stop: () => Promise<void>;
}

/** The messages to the other process. */
export type OthersOrder = { readonly start: OthersSettings } | 'begin' | 'end';

/** The first message of the other process, once its provider listens. */
export interface OthersReady {
  readonly upstreamPort: number;
}

/** The path in the build, because a process cannot be started from the source. */
const PROGRAM = 'packages/e2e/dist/abuse/others.js';

const REPORT_TIMEOUT_MS = 2 * OTHERS_GRACE_MS;

export async function openOthers(): Promise<Others> {
  // JSON, the default serialisation, would turn infinite numbers into null.
  const child = fork(join(workspaceRoot(), PROGRAM), [], { serialization: 'advanced' });
  const order = (what: OthersOrder): void => void child.send(what);
  const [{ upstreamPort }] = (await once(child, 'message')) as [OthersReady];
  return {
    upstreamUrl: `http://127.0.0.1:${String(upstreamPort)}/v1`,
    start: (settings) => order({ start: settings }),
    begin: () => order('begin'),
    end: async () => {
      const ended = AbortSignal.timeout(REPORT_TIMEOUT_MS);
      const answered = once(child, 'message', { signal: ended });
      order('end');
      const [report] = await answered;
      return report as OthersReport;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
