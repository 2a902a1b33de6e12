import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot } from '@tollgate/stack';

import { OTHERS_GRACE_MS } from './limits';

// The other callers as the rest of the program sees them: when to begin counting, and what was seen.

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
  /** Infinite when more than one in a hundred failed. */
  readonly p99Ms: number;
  readonly longestMs: number;
  /** The longest wait for `GET /v1/health`, which asks nothing of anybody else. */
  readonly healthMs: number;
}

export interface Others {
  /** The provider of these callers alone: nobody's large body keeps it busy. */
  readonly upstreamUrl: string;
  readonly start: (settings: OthersSettings) => void;
  /** Forgets what was sent so far. */
  readonly begin: () => void;
  /** What happened to all requests since `begin`, once they have ended. */
  readonly end: () => Promise<OthersReport>;
  readonly stop: () => Promise<void>;
}

/** What the other process is told. */
export type OthersOrder = { readonly start: OthersSettings } | 'begin' | 'end';

/** What it says once its provider listens. */
export interface OthersReady {
  readonly upstreamPort: number;
}

/** From the build, wherever this is run from: a process cannot be started from the source. */
const PROGRAM = 'packages/e2e/dist/abuse/others.js';

const REPORT_TIMEOUT_MS = 2 * OTHERS_GRACE_MS;

export async function openOthers(): Promise<Others> {
  // Of the plain form of messages, JSON, numbers that are not finite would come back as null.
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
