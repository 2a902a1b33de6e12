// Delivers a reply, or the part that its directives allow, and puts it on the bill.

import type { ServerResponse } from 'node:http';

import type { BillBook, BilledUsage } from './bill';
import type { Directives } from './directives';
import { sendBody, type Client } from './http';
import type { Call, Payload, Problem, Reply, Stream } from './reply';
import { bytesLetThrough, createSink, pack, packingOf, type Sink } from './sink';

export interface Exchange {
  call: Call;
  operation: string;
  reply: Reply;
  response: ServerResponse;
  client: Client;
  bill: BillBook;
  refuse: (problem: Problem) => void;
}

/** Faults that happen after a number of tokens. */
const FAULTS = ['stall-after', 'cut-after', 'end-after', 'error-after', 'garbage-after'] as const;
type Fault = (typeof FAULTS)[number];

function faultIn(directives: Directives): Fault | undefined {
  return FAULTS.find((name) => directives[name] !== undefined);
}

export function deliver(exchange: Exchange): Promise<void> {
  const { stream } = exchange.reply;
  return stream === undefined ? deliverWhole(exchange) : deliverStream(exchange, stream);
}

/** DeepSeek's refusal of an account that is out of credit. */
const NO_CREDIT: Problem = {
  status: 402,
  code: 'invalid_request_error',
  type: 'unknown_error',
  message: 'Insufficient Balance (simulated)',
};

export function failureOf(status: number): Problem {
  if (status === NO_CREDIT.status) return NO_CREDIT;
  const message = `The simulator was asked to answer ${status}.`;
  return { status, code: `simulated_${status}`, message };
}

const MID_STREAM_FAILURE: Problem = {
  status: 529,
  code: 'simulated_error',
  message: 'Overloaded: the simulator was asked to fail.',
};

function charge(exchange: Exchange, completed: boolean, generatedTokens: number): BilledUsage {
  const { bill, call, operation, reply } = exchange;
  const usage = reply.usage(generatedTokens);
  if (completed) reply.done?.();
  if (reply.id === undefined) return usage;
  bill.charge({
    id: reply.id,
    operation,
    model: call.model,
    apiKey: call.apiKey,
    stream: reply.stream !== undefined,
    completed,
    generatedTokens,
    usage,
    units: reply.units ?? {},
    ...(reply.tiers === undefined ? {} : { tiers: reply.tiers }),
  });
  return usage;
}

async function deliverWhole(exchange: Exchange): Promise<void> {
  const { call, client, reply, response } = exchange;
  const { directives } = call;
  const fault = faultIn(directives);
  const until = Math.min(reply.tokens, (fault && directives[fault]) ?? reply.tokens);
  const pace = directives.pace ?? 0;
  const start = performance.now();
  if (pace > 0) await client.wait(pace * until);
  if (fault === 'stall-after') await client.left();
  if (client.gone()) {
    const passed = pace > 0 ? Math.floor((performance.now() - start) / pace) : until;
    charge(exchange, false, Math.min(until, passed));
    return;
  }
  if (directives.garbage || fault === 'garbage-after') {
    const type = directives.html ? { 'content-type': HTML } : {};
    sendBody(response, 200, '<html>this is not the answer you are looking for</html>', type);
    return;
  }
  if (fault === 'error-after') return exchange.refuse(failureOf(500));

  const usage = reply.usage(until);
  const payload = reply.unary(directives['no-usage'] ? undefined : usage);
  const part = bytesLetThrough(directives) ?? Infinity;
  const whole = fault === undefined && part >= Buffer.byteLength(payload.body);
  charge(exchange, whole, until);
  if (whole) sendWhole(response, payload, directives);
  else if (fault !== undefined) breakOff(response, payload, fault);
  else sendPart(response, payload, part, directives['cut-at'] !== undefined);
}

const HTML = 'text/html; charset=utf-8';

/**
 * Sends some bytes of an answer, and then breaks the connection or ends the body as if complete.
 */
function sendPart(
  response: ServerResponse,
  { body, headers, type }: Payload,
  bytes: number,
  cut: boolean,
): void {
  const length = cut ? { 'content-length': Buffer.byteLength(body) } : {};
  response.writeHead(200, { 'content-type': type, ...headers, ...length });
  response.flushHeaders();
  const part = Buffer.from(body).subarray(0, bytes);
  if (cut) response.write(part, () => response.destroy());
  else response.end(part);
}

function sendWhole(response: ServerResponse, payload: Payload, directives: Directives): void {
  const { body, headers, type } = payload;
  const packing = packingOf(directives);
  const packed = packing === undefined ? {} : { 'content-encoding': packing };
  const bytes = packing === undefined ? body : pack(body, packing);
  const named = directives.html ? HTML : type;
  sendBody(response, 200, bytes, { 'content-type': named, ...headers, ...packed });
}

/** Sends half an answer, and then breaks the connection or ends the body. */
function breakOff(response: ServerResponse, { body, headers, type }: Payload, fault: Fault): void {
  response.writeHead(200, { 'content-type': type, ...headers });
  const half = Buffer.from(body).subarray(0, Math.floor(Buffer.byteLength(body) / 2));
  if (fault === 'end-after') response.end(half);
  else response.write(half, () => response.destroy());
}

async function deliverStream(exchange: Exchange, stream: Stream): Promise<void> {
  const { call, client, response } = exchange;
  const { directives } = call;
  const packing = packingOf(directives);
  response.writeHead(200, {
    'content-type': directives.html ? HTML : stream.type,
    'cache-control': 'no-cache',
    ...(packing === undefined ? {} : { 'content-encoding': packing }),
  });
  const sink = createSink(response, client, directives);
  if (directives.garbage) {
    sink.write('this is not the stream you are looking for');
    sink.end();
    return;
  }
  const fault = faultIn(directives);
  const until = fault === undefined ? undefined : directives[fault];
  let generated = 0;
  for (const frame of stream.frames) {
    // Opening events carry no token, so a fault after zero tokens comes after them.
    if (until !== undefined && generated >= until && (frame.tokens > 0 || generated > 0)) break;
    if (frame.tokens > 0 && directives.pace) await client.wait(directives.pace * frame.tokens);
    if (client.gone()) break;
    if (frame.tokens > 0 && directives.pings) sink.write(stream.keepAlive);
    sink.write(frame.text);
    generated += frame.tokens;
    if (sink.short()) break;
    await sink.drained();
  }
  if (fault !== undefined || client.gone()) {
    charge(exchange, false, generated);
    if (!client.gone()) await endBadly(exchange, stream, sink, fault);
    return;
  }
  const usage = exchange.reply.usage(generated);
  const ending = stream.ending(directives['no-usage'] ? undefined : usage);
  if (!sink.short()) sink.write(ending);
  const whole = !sink.short();
  if (directives.twice) sink.write(ending);
  charge(exchange, whole, generated);
  if (whole || directives['cut-at'] === undefined) return sink.end();
  response.flushHeaders();
  await cut(response, sink);
}

async function endBadly(
  { client, response }: Exchange,
  stream: Stream,
  sink: Sink,
  fault: Fault | undefined,
): Promise<void> {
  switch (fault) {
    case 'stall-after':
      // The head must be sent even without a token.
      response.flushHeaders();
      return client.left();
    case 'cut-after':
      response.flushHeaders();
      return cut(response, sink);
    case 'error-after': {
      const event = stream.problem(MID_STREAM_FAILURE);
      if (event === undefined) return cut(response, sink);
      sink.write(event);
      return sink.end();
    }
    case 'garbage-after':
      sink.write(stream.garbage);
      return sink.end();
    default:
      return sink.end();
  }
}

/** Breaks the connection after written data is flushed, so that N tokens arrive. */
async function cut(response: ServerResponse, sink: Sink): Promise<void> {
  await sink.flushed();
  response.destroy();
}
