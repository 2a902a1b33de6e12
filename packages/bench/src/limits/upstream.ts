import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers a chat request after a while, and counts what it has begun and finished. */
export interface CountingUpstream {
  readonly url: string;
  /** Requests that have arrived since the last `reset`. */
  readonly began: () => number;
  readonly reset: () => void;
  readonly stop: () => Promise<void>;
}

export interface UpstreamOptions {
  /** Default: any free one. */
  readonly port?: number | undefined;
  readonly delayMs: number;
  /** What each answer says it has used. */
  readonly outputTokens: number;
}

export async function startCountingUpstream(options: UpstreamOptions): Promise<CountingUpstream> {
  const answer = Buffer.from(answerOf(options.outputTokens));
  let began = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      began += 1;
      setTimeout(() => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': answer.length,
        });
        response.end(answer);
      }, options.delayMs);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    began: () => began,
    reset: () => (began = 0),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerOf(outputTokens: number): string {
  const promptTokens = 10;
  return JSON.stringify({
    id: 'chatcmpl-limits',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'small',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'length' },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: outputTokens,
      total_tokens: promptTokens + outputTokens,
    },
  });
}
