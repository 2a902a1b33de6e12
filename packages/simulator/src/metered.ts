// Endpoints of a vendor that no gateway knows, below /metered: any method, any path, any bytes. The vendor bills each
// call and the bytes of both bodies.
//
// ?bytes=N   length of the answer (0)      ?status=N  an error, which is not billed
// ?hold=1    never ends the answer         ?silent=1  never begins it
//
// GET /_sim/metered?apiKey= reads the bill.

import type { IncomingMessage, ServerResponse } from 'node:http';

import { readBody, sendBody } from './http';

export interface MeteredBill {
  calls: number;
  requestBytes: number;
  responseBytes: number;
  /** Method and path of every call, billed or not; the latest 1,000. */
  asked: string[];
}

export interface Metered {
  /** Undefined: another path. */
  serve: (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ) => Promise<void> | undefined;
}

const PREFIX = '/metered/';
const BILL = '/_sim/metered';
const ASKED_MOST = 1_000;
const KEYS_MOST = 10_000;
const BYTES_MOST = 64 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

export function createMetered(): Metered {
  const bills = new Map<string, MeteredBill>();

  const billOf = (apiKey: string): MeteredBill => {
    const known = bills.get(apiKey);
    if (known) return known;
    const bill = { calls: 0, requestBytes: 0, responseBytes: 0, asked: [] };
    if (bills.size < KEYS_MOST) bills.set(apiKey, bill);
    return bill;
  };

  const call = async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> => {
    const { headers, method = '' } = request;
    const apiKey = (headers.authorization ?? '').replace(/^Bearer /, '');
    const body = await readBody(request);
    if (body === undefined) return;
    const bill = billOf(apiKey);
    bill.asked.push(`${method} ${path}`);
    if (bill.asked.length > ASKED_MOST) bill.asked.shift();
    const status = Number(query.get('status') ?? 200);
    if (status >= 400) return sendBody(response, status, '{"error":"as asked"}');
    bill.calls += 1;
    bill.requestBytes += body.length;
    if (query.has('silent')) return;
    response.writeHead(status, { 'content-type': 'application/octet-stream' });
    let left = Math.min(Number(query.get('bytes') ?? 0), BYTES_MOST);
    while (left > 0 && !response.destroyed) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length));
      left -= chunk.length;
      bill.responseBytes += chunk.length;
      if (!response.write(chunk)) await drained(response);
    }
    if (!query.has('hold')) response.end();
  };

  return {
    serve: (request, response, path, query) => {
      if (path.startsWith(PREFIX)) return call(request, response, path, query);
      if (path !== BILL || request.method !== 'GET') return undefined;
      request.resume();
      const bill = billOf(query.get('apiKey') ?? '');
      return Promise.resolve(sendBody(response, 200, JSON.stringify(bill)));
    },
  };
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
