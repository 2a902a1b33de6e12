// Runs the real Claude Code and Codex against a gateway whose provider is the simulator, and records the
// shapes of their requests. By hand: `npm run agents -- FOLDER`, where FOLDER has both packages installed:
//   npm i --prefix FOLDER @anthropic-ai/claude-code @openai/codex

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { startGateway, type Gateway } from '..';
import { scrubbed, type Fixture } from './fixture';
import { startRecorder } from './recorder';
import { agentsTenant, CLAUDE, CLAUDE_SMALL, CODEX } from './tenant';

const PATIENCE_MS = 120_000;
const TASK = 'Say hello in one short sentence.';
const FIXTURES = resolve(__dirname, '../../src/agents/fixtures');

interface Agent {
  readonly client: string;
  readonly fixture: string;
  readonly binary: string;
  readonly args: (url: string) => string[];
  readonly env: (url: string, key: string, home: string) => Record<string, string>;
  /** Files of its home. */
  readonly files?: (url: string) => Record<string, string>;
  readonly settings: Record<string, string>;
}

const CODEX_ARGS = ['exec', '--skip-git-repo-check', TASK];

const codexProvider = (url: string, webSockets: boolean): string => `
model = "${CODEX}"
model_provider = "tollgate"
[model_providers.tollgate]
name = "Tollgate"
base_url = "${url}/v1"
env_key = "TOLLGATE_API_KEY"
wire_api = "responses"
supports_websockets = ${String(webSockets)}
`;

const AGENTS: readonly Agent[] = [
  {
    client: 'Claude Code',
    fixture: 'claude-code',
    binary: 'claude',
    args: () => ['-p', TASK, '--model', CLAUDE],
    env: (url, key) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: CLAUDE_SMALL,
      CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
      CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
    }),
    settings: {
      CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
      CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
    },
  },
  ...[true, false].map((webSockets): Agent => ({
    client: 'Codex',
    fixture: webSockets ? 'codex-websocket' : 'codex-http',
    binary: 'codex',
    args: () => CODEX_ARGS,
    env: (_, key, home) => ({ TOLLGATE_API_KEY: key, CODEX_HOME: join(home, '.codex') }),
    files: (url) => ({ '.codex/config.toml': codexProvider(url, webSockets) }),
    settings: { supports_websockets: String(webSockets) },
  })),
  {
    client: 'Codex',
    fixture: 'codex-openai',
    binary: 'codex',
    args: () => CODEX_ARGS,
    env: (_, key, home) => ({ CODEX_API_KEY: key, CODEX_HOME: join(home, '.codex') }),
    files: (url) => ({
      '.codex/config.toml': `model = "${CODEX}"\nopenai_base_url = "${url}/v1"\n`,
    }),
    settings: { openai_base_url: '<the gateway>/v1' },
  },
];

async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('name the folder that has both agents installed');
  const bin = join(resolve(folder), 'node_modules/.bin');
  const gateway = await startGateway();
  try {
    const failed: string[] = [];
    for (const agent of AGENTS) {
      if (!(await record(gateway, join(bin, agent.binary), agent))) failed.push(agent.fixture);
    }
    if (failed.length > 0) throw new Error(`not recorded: ${failed.join(', ')}`);
  } finally {
    await gateway.stop();
  }
}

/** Whether the agent did its task. The shapes of one that failed are not kept. */
async function record(gateway: Gateway, binary: string, agent: Agent): Promise<boolean> {
  const { key } = await agentsTenant(gateway);
  const recorder = await startRecorder(gateway.edgeUrl());
  const home = await mkdtemp(join(tmpdir(), 'tollgate-agent-'));
  try {
    for (const [path, text] of Object.entries(agent.files?.(recorder.url) ?? {})) {
      await mkdir(join(home, path, '..'), { recursive: true });
      await writeFile(join(home, path), text);
    }
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      // Nothing else can be reached.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
      ...agent.env(recorder.url, key, home),
    };
    const version = (await run(binary, ['--version'], home, env)).stdout.trim();
    const startMs = Date.now();
    const ended = await run(binary, agent.args(recorder.url), home, env);
    const took = ((Date.now() - startMs) / 1_000).toFixed(1);
    process.stdout.write(
      `${agent.fixture} (${version}): exit ${String(ended.code)} after ${took} s\n${ended.stdout.trim().slice(-600)}\n`,
    );
    if (ended.code !== 0) process.stdout.write(`${ended.stderr.slice(-2_000)}\n`);
    for (const { method, path, status, messages } of recorder.requests) {
      const many = messages ? `, ${String(messages.length)} messages` : '';
      process.stdout.write(`  ${String(status)} ${method} ${path}${many}\n`);
    }
    if (ended.code !== 0 || recorder.requests.length === 0) return false;
    const fixture: Fixture = {
      client: agent.client,
      version,
      recorded: new Date().toISOString().slice(0, 10),
      settings: agent.settings,
      requests: recorder.requests.map(scrubbed),
    };
    await mkdir(FIXTURES, { recursive: true });
    const path = join(FIXTURES, `${agent.fixture}.json`);
    await writeFile(path, `${JSON.stringify(fixture, null, 2)}\n`);
    return true;
  } finally {
    await recorder.stop();
    await rm(home, { recursive: true, force: true });
  }
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  binary: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Ended> {
  return new Promise((resolved) => {
    const options = { cwd, env, timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(binary, args, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      resolved({ code, stdout, stderr });
    });
    child.stdin?.end();
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
  process.exit(1);
});
