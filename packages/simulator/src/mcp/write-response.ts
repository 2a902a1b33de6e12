// Writes a web response of the SDK to Node's, with the faults in its middle. The SDK's own adapter ends
// an answer cleanly whatever happens to its stream, so that nothing could be cut.

import type { ServerResponse } from 'node:http';

import type { Client } from '../http';
import type { McpDirectives } from './directives';

type MidFaults = Pick<McpDirectives, 'cut-at' | 'end-at' | 'stall-at'>;

export async function writeResponse(
  source: Response,
  target: ServerResponse,
  client: Client,
  faults: MidFaults,
): Promise<void> {
  target.writeHead(source.status, Object.fromEntries(source.headers));
  // A stream may have no event for long, and its headers are an answer already.
  target.flushHeaders();
  const reader = source.body?.getReader();
  if (reader === undefined) return void target.end();
  // A client that leaves ends the stream, which is how the SDK learns of it.
  target.on('close', () => void reader.cancel().catch(() => undefined));
  let left = faults['cut-at'] ?? faults['end-at'] ?? faults['stall-at'] ?? Infinity;
  try {
    while (!client.gone()) {
      const { done, value } = await reader.read();
      if (done) return void target.end();
      const chunk = Buffer.from(value);
      if (chunk.length > left) {
        target.write(chunk.subarray(0, left));
        return await breakOff(target, client, faults);
      }
      left -= chunk.length;
      target.write(chunk);
      if (target.writableNeedDrain) await client.drained();
    }
  } catch {
    target.destroy();
  }
}

async function breakOff(target: ServerResponse, client: Client, faults: MidFaults): Promise<void> {
  if (faults['stall-at'] !== undefined) await client.left();
  else if (faults['end-at'] !== undefined) target.end();
  else {
    while (!client.gone() && target.writableLength > 0) await client.tick();
    target.destroy();
  }
}
