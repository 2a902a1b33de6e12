// A client of the responses WebSocket, and a provider that streams responses.

import type { ServerResponse } from 'node:http';
import { WebSocket, type ClientOptions } from 'ws';

import { openSse } from '../../test-support/fake-upstream';
import { KEY, MODEL, until } from '../../test-support/harness';

export interface Frame {
  type: string;
  status?: number;
  stream_id?: string;
  delta?: string;
  headers?: Record<string, string>;
  error?: { code: string; message: string; param: string | null };
  response?: { id: string; status: string; output: object[]; usage?: object };
}

export type SocketClient = Awaited<ReturnType<typeof connectSocket>>;

export async function connectSocket(
  baseUrl: string,
  {
    key = KEY,
    path = '/v1/responses',
    ...options
  }: ClientOptions & { key?: string; path?: string } = {},
) {
  const ws = new WebSocket(baseUrl.replace('http', 'ws') + path, {
    perMessageDeflate: true,
    ...options,
    headers: { authorization: `Bearer ${key}`, ...options.headers },
  });
  const frames: Frame[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  ws.on('message', (data: Buffer, binary) => {
    if (binary) throw new Error('a frame is binary');
    frames.push(JSON.parse(data.toString()) as Frame);
  });
  await new Promise((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  ws.on('error', () => undefined);
  return {
    ws,
    frames,
    closed,
    send: (message: unknown) =>
      ws.send(
        typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
      ),
    /** Sends a message and returns the frames up to the end of its answer. */
    ask: async (message: object) => {
      const from = frames.length;
      ws.send(JSON.stringify(message));
      await until(() => frames.slice(from).some(isEnd), 'the end of a response');
      return frames.slice(from);
    },
    until: (holds: () => boolean, what: string) => until(holds, what),
  };
}

export function isEnd({ type }: Frame): boolean {
  return ['response.completed', 'response.failed', 'response.incomplete', 'error'].includes(type);
}

/** A message that asks for a response. */
export function create(over: object = {}) {
  return { type: 'response.create', model: MODEL, input: 'Hi', ...over };
}

const ITEM = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };

export function responseBody(id: string, text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return {
    id,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'gpt-upstream',
    output: [{ ...ITEM, id: `msg_${id}`, content }],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
}

export function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export function begin(res: ServerResponse, id: string): void {
  openSse(res);
  const response = { ...responseBody(id, ''), status: 'in_progress', output: [], usage: null };
  res.write(event('response.created', { sequence_number: 0, response }));
  const item = { ...ITEM, id: `msg_${id}`, content: [] };
  res.write(event('response.output_item.added', { sequence_number: 1, output_index: 0, item }));
}

export function say(res: ServerResponse, delta: string): boolean {
  const place = { sequence_number: 2, item_id: 'msg_1', output_index: 0, content_index: 0 };
  return res.write(event('response.output_text.delta', { ...place, delta }));
}

export function end(res: ServerResponse, id: string, text: string): void {
  res.end(event('response.completed', { sequence_number: 9, response: responseBody(id, text) }));
}

/** Answers the n-th request as `resp_n`, with a text. */
export function answering(text = 'Hello') {
  let n = 0;
  return (res: ServerResponse): void => {
    n += 1;
    begin(res, `resp_${n}`);
    say(res, text);
    end(res, `resp_${n}`, text);
  };
}
