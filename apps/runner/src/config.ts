// The only place of this service that reads environment variables.
import { isAbsolute } from 'node:path';
import { catalogClientShape, keyRingShape, upstreamAddressShape } from '@tollgate/contracts/node';
import {
  callerShape,
  envVar,
  grpcShape,
  readConfig,
  serviceShape,
  type ConfigOf,
  type Env,
} from '@tollgate/kit';

import { parseUserRange } from './user-range';

export const configShape = {
  ...serviceShape,
  ...grpcShape,
  ...callerShape,
  RUNNER_PORT: envVar.port({
    default: 8085,
    description: 'HTTP port of the runner, for edges and the catalog; keep clients away.',
  }),
  RUNNER_OPS_PORT: envVar.port({
    default: 8086,
    description: 'Port for operators of the runner: /livez, /readyz, /healthz and /metrics.',
  }),
  RUNNER_URL_SELF: envVar.url({
    optional: true,
    protocols: ['http', 'https'],
    description:
      'Base URL at which edges reach this very process; sessions stay with it. Unset: HOST and RUNNER_PORT.',
  }),
  RUNNER_COMMANDS_FILE: envVar.string({
    default: '',
    description:
      'JSON file of the commands that may be started for STDIO servers (docs/runner.md). Unset: none.',
  }),
  RUNNER_CHILD_UIDS: envVar.string({
    default: '',
    check: (text) => {
      if (text !== '') parseUserRange(text);
    },
    description:
      'User ids for child processes, as 20000-20999, of which nothing else runs: each session gets one of its own. The runner must start as root with the capabilities SETUID, SETGID and KILL. Required with commands, unless RUNNER_SAME_USER is set.',
  }),
  RUNNER_SHARED_FOLDERS: envVar.list({
    default: ['/tmp', '/var/tmp', '/dev/shm'],
    check: (folder) => {
      if (!isAbsolute(folder)) throw new RangeError(`must be absolute paths; ${folder} is not one`);
    },
    description:
      "Folders that the users of RUNNER_CHILD_UIDS may write, beside the runner's own for temporary files: what a child leaves there is removed with it, and at the start. A value replaces the default, so name these too when you add volumes that every user may write. Other file systems below them are not searched. Comma-separated.",
  }),
  RUNNER_SAME_USER: envVar.bool({
    default: false,
    description:
      "Whether child processes may run as the runner's own user. They can then read the runner's secrets, and those of one another: for development only.",
  }),
  RUNNER_MAX_SESSIONS: envVar.int({
    default: 200,
    min: 1,
    max: 10_000,
    description: 'Maximum sessions of this process, each with a child process or a stream.',
  }),
  RUNNER_MAX_SESSIONS_PER_KEY: envVar.int({
    default: 10,
    min: 1,
    max: 10_000,
    description: 'Maximum sessions of one API key.',
  }),
  RUNNER_SSE_IDLE_MS: envVar.durationMs({
    default: 600_000,
    min: 1_000,
    description: 'How long an unused session with an SSE server lives.',
  }),
  RUNNER_SSE_MAX_SESSIONS: envVar.int({
    default: 50,
    min: 1,
    max: 10_000,
    description: 'Maximum sessions with one SSE server.',
  }),
  RUNNER_START_TIMEOUT_MS: envVar.durationMs({
    default: 30_000,
    min: 100,
    description: 'How long a server may take to answer initialize.',
  }),
  RUNNER_KILL_GRACE_MS: envVar.durationMs({
    default: 2_000,
    min: 10,
    max: 30_000,
    description: 'Time between SIGTERM and SIGKILL when a child process is ended.',
  }),
  RUNNER_CATALOG_DEADLINE_MS: envVar.durationMs({
    default: 2_000,
    min: 10,
    max: 60_000,
    description: "How long a new session waits for its server's settings from the catalog.",
  }),
  ...catalogClientShape,
  ...keyRingShape,
  ...upstreamAddressShape,
  SHUTDOWN_TIMEOUT_MS: envVar.durationMs({
    default: 20_000,
    description: 'How long a shutdown may take before the process exits anyway.',
  }),
} as const;

export type Config = ConfigOf<typeof configShape>;

/** Reports every problem of the environment at once. */
export function loadConfig(env: Env = process.env): Config {
  return readConfig('runner', configShape, env);
}

/** What commands may name parts of. */
export const ownEnvironment = (): Env => process.env;
