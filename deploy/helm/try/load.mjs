// Load from inside the cluster: RATE short requests a second and STREAMS open streams, for MAX_SECONDS
// at most. Nothing is sent again, so every failure shows. Connections are reused and replaced within
// seconds, as pools of clients do. `GET /phase?name=…` on loopback ends a phase and begins another one.
import http from 'node:http';

const { EDGE_URL, API_KEY } = process.env;
const RATE = Number(process.env.RATE ?? 200);
const STREAMS = Number(process.env.STREAMS ?? 20);
const MAX_SECONDS = Number(process.env.MAX_SECONDS ?? 1_500);
const TICK_MS = 20;
const AGENT_MS = 5_000;
const WAIT_MS = 90_000;
const SAMPLES_MOST = 200_000;

let phase = begin('start');
let agent = newAgent();
const retired = new Set();

function begin(name) {
  const streams = { started: 0, complete: 0 };
  return { name, atMs: Date.now(), sent: 0, ok: 0, streams, failures: {}, latencies: [] };
}

function newAgent() {
  return new http.Agent({ keepAlive: true, maxSockets: 256 });
}

function fail(reason) {
  phase.failures[reason] = (phase.failures[reason] ?? 0) + 1;
}

/** Sends a chat; `done` gets its status, error code and text, or what broke it. */
function chat(model, stream, done) {
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] });
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const options = { method: 'POST', agent, timeout: WAIT_MS, headers };
  const request = http.request(`${EDGE_URL}/v1/chat/completions`, options, (answer) => {
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (piece) => (text += piece));
    answer.on('error', (error) => done(`answer ${error.code ?? error.message}`));
    answer.on('end', () => {
      if (answer.statusCode === 200) done(undefined, text);
      else
        done(
          `${answer.statusCode} ${(/"dependency":"[^"]*"/.exec(text) ?? [text.slice(0, 160)])[0]}`,
        );
    });
  });
  request.on('timeout', () => request.destroy(new Error('timeout')));
  request.on('error', (error) => {
    done(`${request.reusedSocket ? 'reused' : 'new'} connection ${error.code ?? error.message}`);
  });
  request.end(body);
}

/** An answer that breaks reports it twice. */
function once(handle) {
  let called = false;
  return (...results) => {
    if (called) return;
    called = true;
    handle(...results);
  };
}

function sendOne() {
  const startedMs = performance.now();
  phase.sent += 1;
  const done = once((problem, text) => {
    if (problem) return fail(problem);
    if (!text.includes('You said')) return fail('another answer');
    phase.ok += 1;
    if (phase.latencies.length < SAMPLES_MOST) phase.latencies.push(performance.now() - startedMs);
  });
  chat('demo', false, done);
}

function keepStreaming() {
  phase.streams.started += 1;
  const done = once((problem, text) => {
    if (problem) fail(`stream: ${problem}`);
    else if (text.includes('data: [DONE]')) phase.streams.complete += 1;
    else fail('stream: cut off');
    if (process.uptime() < MAX_SECONDS) setTimeout(keepStreaming, 500);
  });
  chat('demo-slow', true, done);
}

function summary({ name, atMs, latencies, ...counts }) {
  const seconds = (Date.now() - atMs) / 1_000;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  const failed = Object.values(counts.failures).reduce((sum, count) => sum + count, 0);
  return {
    name,
    seconds: Math.round(seconds),
    rate: Math.round(counts.sent / seconds),
    ...counts,
    failed,
    p50: at(0.5),
    p99: at(0.99),
  };
}

const control = http.createServer((request, response) => {
  const ended = phase;
  phase = begin(new URL(request.url, 'http://control').searchParams.get('name') ?? 'unnamed');
  response.end(JSON.stringify(summary(ended)));
});
control.listen(7000, '127.0.0.1');

// Sockets of replaced agents close when their last answer has ended.
const replacing = setInterval(() => {
  retired.add(agent);
  agent = newAgent();
}, AGENT_MS);
const closing = setInterval(() => {
  for (const old of retired) {
    for (const sockets of Object.values(old.freeSockets)) for (const one of sockets) one.destroy();
    if (Object.keys(old.sockets).length === 0) retired.delete(old);
  }
}, 250);

for (let n = 0; n < STREAMS; n += 1) setTimeout(keepStreaming, n * 500);
const startedMs = performance.now();
let sent = 0;
const sending = setInterval(() => {
  const due = Math.floor(((performance.now() - startedMs) / 1_000) * RATE);
  // After a pause of this process nothing is made up for.
  sent = Math.max(sent, due - RATE);
  for (; sent < due; sent += 1) sendOne();
  if (process.uptime() < MAX_SECONDS) return;
  for (const timer of [sending, replacing, closing]) clearInterval(timer);
  control.close();
}, TICK_MS);
