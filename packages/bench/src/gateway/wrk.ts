import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import type { Job, Outcome } from './job';

/**
 * Closed loops by wrk, where it is installed: it needs much less CPU than our own generator and
 * leaves the rest to the targets. One thread, so that one script sees all answers.
 */

const run = promisify(execFile);
/** How long wrk may take to end after its load. */
const SLACK_MS = 30_000;

export const wrkIsThere = (): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'wrk')));

/** Runs a closed-loop job; throws with wrk's own error. */
export async function runWrk(job: Job): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-wrk-'));
  try {
    const script = join(folder, 'job.lua');
    const tokens = join(folder, 'tokens');
    await writeFile(tokens, (job.tokens ?? []).map((token) => `${token}\n`).join(''));
    await writeFile(script, luaOf(job, tokens));
    const size = `-t 1 -c ${String(job.connections)} -d ${String(job.seconds)}s`;
    const { stdout } = await run(
      'wrk',
      `${size} --timeout 60s`.split(' ').concat('-s', script, job.url),
      {
        timeout: job.seconds * 1_000 + SLACK_MS,
      },
    );
    return outcomeOf(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The figures that the script prints last, one per line. */
export function outcomeOf(printed: string): Outcome {
  const figures = new Map<string, number>();
  for (const [, name, value] of printed.matchAll(/^tollgate (.+) (\d+)$/gm)) {
    figures.set(name ?? '', Number(value));
  }
  const figure = (name: string): number => {
    const value = figures.get(name);
    if (value === undefined) throw new Error(`wrk did not print ${name}: ${printed}`);
    return value;
  };
  const failures = [...figures].filter(([name, count]) => !NAMED.has(name) && count > 0);
  const totalUs = {
    p50: figure('p50'),
    p90: figure('p90'),
    p99: figure('p99'),
    p999: figure('p999'),
  };
  return {
    elapsedMs: figure('elapsed') / 1_000,
    requests: figure('requests'),
    failures: Object.fromEntries(failures),
    totalUs,
    // wrk does not report when an answer began.
    firstUs: { p50: 0, p90: 0, p99: 0, p999: 0 },
  };
}

const NAMED = new Set(['elapsed', 'requests', 'p50', 'p90', 'p99', 'p999']);

/** The script that wrk runs for each request and answer. */
function luaOf({ headers, tokens, body, expect }: Job, tokensFile: string): string {
  const sent = Object.entries(headers).filter(
    ([name]) => tokens === undefined || name !== 'authorization',
  );
  const fields = sent.map(([name, value]) => `[${lua(name)}] = ${lua(value)}`);
  return `
local tokens = {}
local at, before, after = 0, nil, nil
answered, others = 0, {}
wrk.method = 'POST'
wrk.headers = { ${fields.join(', ')} }
wrk.body = ${lua(body)}
local thread
function setup(one) thread = one end
function init()
  for token in io.lines(${lua(tokensFile)}) do tokens[#tokens + 1] = token end
  if #tokens > 0 then
    wrk.headers['authorization'] = 'Bearer @'
    local whole = wrk.format()
    local mark = whole:find('Bearer @', 1, true)
    before, after = whole:sub(1, mark + 6), whole:sub(mark + 8)
  else before = wrk.format() end
end
function request()
  if #tokens == 0 then return before end
  at = at % #tokens + 1
  return before .. tokens[at] .. after
end
function response(status)
  if status == ${String(expect)} then answered = answered + 1
  else others[status] = (others[status] or 0) + 1 end
end
function done(summary, latency)
  local function say(name, value) print(('tollgate %s %d'):format(name, value)) end
  say('elapsed', summary.duration)
  say('requests', thread:get('answered'))
  for status, count in pairs(thread:get('others')) do say('status ' .. status, count) end
  for _, kind in ipairs({ 'connect', 'read', 'write', 'timeout' }) do
    say(kind, summary.errors[kind])
  end
  say('p50', latency:percentile(50))
  say('p90', latency:percentile(90))
  say('p99', latency:percentile(99))
  say('p999', latency:percentile(99.9))
end
`;
}

/** A Lua string: characters that JSON escapes differently are written as decimal bytes. */
function lua(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${String(byte).padStart(3, '0')}`
      : String.fromCharCode(byte),
  );
  return `"${bytes.join('')}"`;
}
