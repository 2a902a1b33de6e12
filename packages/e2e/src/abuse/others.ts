import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';

import { percentile } from '../faults/proof';
import {
  HEALTH_EVERY_MS,
  OTHERS_GRACE_MS,
  OTHERS_IN_FLIGHT,
  OTHERS_PER_SECOND,
  OTHERS_TIMEOUT_MS,
} from './limits';
import type { OthersOrder, OthersReady, OthersReport, OthersSettings } from './others-process';

// The other callers run in their own process, so that hostile inputs do not delay them. They send
// at fixed instants, whether or not earlier requests are answered, and each latency counts from its
// instant.

interface Sent {
  readonly atMs: number;
  ms?: number;
  ok?: boolean;
}

const agent = new Agent({ pipelining: 1 });

let asked: Sent[] = [];
let probes: Sent[] = [];
let inFlight = 0;

async function ask(sent: Sent, url: string, options: object): Promise<void> {
  inFlight += 1;
  try {
    const answer = await request(url, {
      dispatcher: agent,
      headersTimeout: OTHERS_TIMEOUT_MS,
      bodyTimeout: OTHERS_TIMEOUT_MS,
      ...options,
    });
    await answer.body.dump();
    sent.ok = answer.statusCode === 200;
  } catch {
    sent.ok = false;
  }
  inFlight -= 1;
  sent.ms = performance.now() - sent.atMs;
}

function at(list: Sent[], dueMs: number, url: string, options: object): void {
  const sent: Sent = { atMs: dueMs };
  list.push(sent);
  if (inFlight < OTHERS_IN_FLIGHT) void ask(sent, url, options);
  else sent.ok = false;
}

/** Calls `send` for each due instant; a late timer catches up. */
function pace(everyMs: number, send: (dueMs: number) => void): void {
  let dueMs = performance.now();
  setInterval(() => {
    for (; dueMs <= performance.now(); dueMs += everyMs) send(dueMs);
  }, everyMs / 2);
}

function start({ url, key, model }: OthersSettings): void {
  const options = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello there' }] }),
  };
  pace(1_000 / OTHERS_PER_SECOND, (dueMs) =>
    at(asked, dueMs, `${url}/v1/chat/completions`, options),
  );
  pace(HEALTH_EVERY_MS, (dueMs) => at(probes, dueMs, `${url}/v1/health`, { method: 'GET' }));
}

async function report(): Promise<OthersReport> {
  const [requests, health] = [asked, probes];
  [asked, probes] = [[], []];
  const deadline = performance.now() + OTHERS_GRACE_MS;
  const open = (): boolean => [...requests, ...health].some(({ ok }) => ok === undefined);
  while (open() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS));
  }
  const nowMs = performance.now();
  const took = ({ ms, atMs, ok }: Sent): number => ms ?? (ok === false ? 0 : nowMs - atMs);
  // A failed request counts as infinite latency.
  const latencies = requests.map((sent) => (sent.ok === true ? took(sent) : Infinity));
  return {
    asked: requests.length,
    failed: requests.filter(({ ok }) => ok !== true).length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    longestMs: Math.max(0, ...requests.map(took)),
    healthMs: Math.max(0, ...health.map(took)),
  };
}

process.on('message', (order: OthersOrder) => {
  if (order === 'end') void report().then((found) => process.send?.(found));
  else if (order === 'begin') [asked, probes] = [[], []];
  else start(order.start);
});
const ANSWER = JSON.stringify({
  id: 'chatcmpl-others',
  object: 'chat.completion',
  created: 1,
  model: 'others',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
});

const upstream = createServer((req, res) => {
  req.resume();
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(ANSWER);
  });
});
upstream.listen(0, '127.0.0.1', () => {
  const { port } = upstream.address() as AddressInfo;
  process.send?.({ upstreamPort: port } satisfies OthersReady);
});

// The parent process has ended.
process.once('disconnect', () => process.exit());
