// A runner in a process of its own, which a test can kill.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import { KEY_RING } from './fake-directory';
import { writeCommands } from './rig';

export interface RunnerProcess {
  readonly child: ChildProcess;
  readonly url: (server: string) => string;
  /** Sends the signal, and resolves when the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

export async function startRunnerProcess(
  directoryAddress: string,
  commands: object,
  env: Readonly<Record<string, string>>,
): Promise<RunnerProcess> {
  const root = join(__dirname, '../../../..');
  const hook = join(root, 'packages/kit/test/typescript-hook.cjs');
  const program = join(__dirname, 'run-process.ts');
  const child = spawn(process.execPath, ['-C', '@tollgate/source', '-r', hook, program], {
    env: {
      PATH: process.env['PATH'],
      CATALOG_GRPC_ADDRESS: directoryAddress,
      KEY_ENCRYPTION_KEYS: KEY_RING,
      RUNNER_COMMANDS_FILE: writeCommands(commands),
      RUNNER_KILL_GRACE_MS: '300',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /"port":(\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the runner ended with ${String(code)}`)));
  });
  return {
    child,
    url: (server) => `http://127.0.0.1:${port}/v1/servers/${server}/1`,
    end: async (signal) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    },
  };
}
