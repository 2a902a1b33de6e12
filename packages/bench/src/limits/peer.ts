import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '@tollgate/stack';

import { bodyFor, type Peer } from '../gateway/peers';
import type { Candidate, Kill } from './candidate';

const run = promisify(execFile);
const COMMAND_TIMEOUT_MS = 120_000;

export function peerCandidate(peer: Peer): Candidate {
  const { name, url, headers, budgetHeaders } = peer;
  const bodyOf = (body: string): string => bodyFor(peer, body);
  return { name, url, headers, budgetHeaders, bodyOf, kills: killsOf(peer) };
}

function killsOf({ name, url, pids, restart, recorded }: Peer): Kill[] {
  if (restart === undefined || recorded === undefined || Object.keys(pids).length === 0) return [];
  return [
    {
      what: Object.keys(pids).join(', '),
      kill: () => {
        for (const pid of Object.values(pids)) process.kill(pid, 'SIGKILL');
      },
      restart: async () => {
        await shell(restart);
        await until(() => fetch(url), `${name} does not answer`, COMMAND_TIMEOUT_MS);
      },
      recorded: async () => countIn(name, await shell(recorded)),
    },
  ];
}

async function shell(command: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', command], { timeout: COMMAND_TIMEOUT_MS });
  return stdout;
}

/** @throws Error unless it is a whole number */
export function countIn(name: string, printed: string): number {
  const text = printed.trim();
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`${name}: "recorded" must print a number, not ${JSON.stringify(text)}`);
}
