import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'ws';

import { sharedGateway, type SharedGateway } from '..';
import { filled, type Fixture } from './fixture';
import type { RecordedRequest } from './recorder';
import { agentsTenant } from './tenant';

// What the real agents sent once (`npm run agents`), sent again: each request is answered as it was.

const FOLDER = join(__dirname, 'fixtures');
const fixtures = readdirSync(FOLDER).map(
  (name) => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Fixture] as const,
);

let gateway: SharedGateway;
let key: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  ({ key } = await agentsTenant(gateway));
});

test.each(fixtures)('%s', async (_, { requests }) => {
  expect(requests.length).toBeGreaterThan(0);
  for (const request of requests) {
    if (request.messages) await converse(request);
    else await send(request);
  }
});

/** Headers of a connection are written by the client that sends the request again. */
const OF_CONNECTION = /^(?:accept-encoding|content-length|sec-websocket-.*|upgrade)$/;

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name));
  const own = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  return { ...own, authorization: `Bearer ${key}` };
}

async function send({ method, path, headers, body, status }: RecordedRequest): Promise<void> {
  const answer = await fetch(gateway.edgeUrl() + path, {
    method,
    headers: headersOf(headers),
    ...(body === null ? {} : { body: JSON.stringify(filled(body)) }),
  });
  const text = await answer.text();
  expect({ path, status: answer.status }).toEqual({ path, status });
  if (path.startsWith('/v1/messages?')) expect(text).toContain('event: message_stop');
  if (path === '/v1/responses') expect(text).toContain('event: response.completed');
  if (path.startsWith('/v1/models')) {
    const { data } = JSON.parse(text) as { data: { id: string; display_name: string }[] };
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^claude/)]),
    );
    for (const model of data) expect(model.display_name).toEqual(expect.any(String));
  }
}

interface Frame {
  readonly type: string;
  readonly response?: { readonly id: string };
}

async function converse({ path, headers, messages = [] }: RecordedRequest): Promise<void> {
  const ws = new WebSocket(gateway.edgeUrl().replace('http', 'ws') + path, {
    headers: headersOf(headers),
  });
  await new Promise((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  let lastId: string | undefined;
  for (const message of messages) {
    const asked = filled(message) as { previous_response_id?: string };
    // The recorded id is another one on this connection.
    if (asked.previous_response_id !== undefined) asked.previous_response_id = lastId ?? '';
    ws.send(JSON.stringify(asked));
    const last = await new Promise<Frame>((resolve, reject) => {
      ws.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Frame;
        if (frame.type === 'response.completed') resolve(frame);
        if (frame.type === 'error') reject(new Error(data.toString()));
      });
      ws.once('close', reject);
    });
    ws.removeAllListeners();
    lastId = last.response?.id;
  }
  ws.close();
}
