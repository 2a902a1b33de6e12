import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client as FirstClient } from 'mcp-sdk1/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from 'mcp-sdk1/client/streamableHttp.js';

import { pythonWith } from '../python-matrix/test-support/venv';
import { connect, ERAS } from './client';

// The official clients, each with the same two actions.

export interface OfficialClient {
  /** Calls `sim_echo`; returns what the tool answered. */
  readonly echo: (n: number) => Promise<string>;
  readonly close: () => Promise<void>;
}

interface Row {
  readonly name: string;
  readonly connect: (url: string, key: string) => Promise<OfficialClient>;
}

const textIn = ({ content }: Readonly<Record<string, unknown>>): string =>
  (content as readonly { text?: string }[]).map(({ text = '' }) => text).join();

const SECOND: readonly Row[] = ERAS.map(([era, mode]) => ({
  name: `TypeScript v2, ${era}`,
  connect: async (url, key) => {
    const client = await connect(url, key, mode);
    return {
      echo: async (n) => textIn(await client.callTool({ name: 'sim_echo', arguments: { n } })),
      close: () => client.close(),
    };
  },
}));

const FIRST: Row = {
  name: 'TypeScript v1',
  connect: async (url, key) => {
    const client = new FirstClient({ name: 'e2e', version: '1' });
    const headers = { authorization: `Bearer ${key}` };
    const transport = new FirstTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport);
    return {
      echo: async (n) => textIn(await client.callTool({ name: 'sim_echo', arguments: { n } })),
      close: () => client.close(),
    };
  },
};

const PYTHON: readonly Row[] = (['legacy', 'auto'] as const).map((mode) => ({
  name: `Python, ${mode}`,
  connect: (url, key) => pythonClient(url, key, mode),
}));

export const OFFICIAL_CLIENTS: readonly Row[] = [...SECOND, FIRST, ...PYTHON];

/** Installed once for all tests of a machine, which takes a while. */
export const installPython = (): Promise<string> => pythonWith(join(__dirname, 'requirements.txt'));

async function pythonClient(url: string, key: string, mode: string): Promise<OfficialClient> {
  const script = join(__dirname, 'python/calls.py');
  const child = spawn(await installPython(), [script, url, key, mode]);
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`the Python client has ended: ${complaints}`);
    return line.value;
  };
  const ready = await next();
  if (!ready.startsWith('ready')) throw new Error(ready);
  return {
    echo: async (n) => {
      child.stdin.write(`${String(n)}\n`);
      const [text = ''] = JSON.parse(await next()) as string[];
      return JSON.stringify({ n: Number((JSON.parse(text) as { line: string }).line) });
    },
    close: async () => {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
