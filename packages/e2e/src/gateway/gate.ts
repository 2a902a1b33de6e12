import { createServer } from 'node:http';

export interface Gate {
  /** The base URL of a chat provider. */
  readonly url: string;
  /** The number of calls that have arrived, answered or not. */
  readonly arrivals: () => number;
  /** Answers the waiting calls, and every later call at once. */
  readonly open: () => void;
  readonly stop: () => Promise<void>;
}

const ANSWER = JSON.stringify({
  id: 'chatcmpl-gate',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gate',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
});

/**
 * An upstream whose calls wait until the test releases them, independent of the machine's speed.
 */
export async function startGate(): Promise<Gate> {
  const waiting: (() => void)[] = [];
  let arrivals = 0;
  let opened = false;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
      };
      arrivals += 1;
      if (opened) answer();
      else waiting.push(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}/v1`,
    arrivals: () => arrivals,
    open: () => {
      opened = true;
      for (const answer of waiting.splice(0)) answer();
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
