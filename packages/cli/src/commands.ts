import type { Readable, Writable } from 'node:stream';

import { connect } from './api/connect';
import type { Api } from './api/management-api';
import { waitUntilReady } from './api/wait';
import { applyPlan } from './apply/apply';
import { openKeySink } from './apply/key-sink';
import { credentialsOf, urlOf, UsageError, type Env } from './config';
import { readInput } from './documents/input';
import { readDocuments, type Documents } from './documents/read';
import { documentSchema } from './documents/schema';
import { exportDocuments, exportText, type Format } from './documents/write';
import { readInstallation, type Installation } from './installation/read';
import { titleOf } from './kinds/index';
import { plainText, tellLine } from './plain-text';
import { createPlan, type Plan } from './plan/plan';
import { diffText, planText } from './plan/print';

/** What each command does. The numbers are exit codes. */

export const NOTHING_TO_DO = 0;
export const FAILED = 1;
export const CHANGES = 2;

export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface Options {
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly files: readonly string[];
  readonly organisations: readonly string[];
  readonly format: Format;
  readonly prune: boolean;
  readonly keysOut: string | undefined;
  /** Of `prices import`: the list of known models instead of a file, and which of its models. */
  readonly known: boolean;
  readonly models: readonly string[];
  readonly dryRun: boolean;
  /** How long to wait for an installation that is starting. */
  readonly waitMs: number;
}

export interface Command {
  readonly options: Options;
  readonly env: Env;
  readonly folder: string;
  readonly streams: Streams;
  readonly nowMs: () => number;
}

export function writeSchema({ streams }: Command): Promise<number> {
  streams.stdout.write(`${JSON.stringify(documentSchema(), null, 2)}\n`);
  return Promise.resolve(NOTHING_TO_DO);
}

export function exportAll(command: Command): Promise<number> {
  const { options, streams } = command;
  return connected(command, async (api) => {
    const wanted = options.organisations.length === 0 ? undefined : new Set(options.organisations);
    const installation = await readInstallation(api, { wanted, leaveEnded: true });
    const missing = options.organisations.filter((slug) => !installation.organisations.has(slug));
    if (missing.length > 0) throw new UsageError(`There is no organisation ${missing.join(', ')}.`);
    const chosen = wanted === undefined ? installation : only(installation, wanted);
    for (const line of installation.left) tellLine(streams.stderr, `left out: ${line}`);
    streams.stdout.write(exportText(exportDocuments(chosen), options.format));
    return NOTHING_TO_DO;
  });
}

/** Of chosen organisations: without the others, and without the users of the platform. */
function only(installation: Installation, wanted: ReadonlySet<string>): Installation {
  const objects = [...installation.objects].filter(([, { identity }]) =>
    identity.organisation === null
      ? identity.kind === 'Organisation' && wanted.has(identity.name)
      : wanted.has(identity.organisation),
  );
  return { ...installation, objects: new Map(objects) };
}

export function showPlan(command: Command): Promise<number> {
  return planned(command, (plan) => planText(plan));
}

export function showDiff(command: Command): Promise<number> {
  return planned(command, (plan) => diffText(plan));
}

async function planned(command: Command, text: (plan: Plan) => string): Promise<number> {
  const documents = await described(command);
  return connected(command, async (api) => {
    const { plan } = await planFor(command, documents, api);
    command.streams.stdout.write(plainText(text(plan)));
    return plan.steps.length === 0 ? NOTHING_TO_DO : CHANGES;
  });
}

export async function apply(command: Command): Promise<number> {
  const { options, streams } = command;
  const documents = await described(command);
  return connected(command, async (api) => {
    const { plan, installation } = await planFor(command, documents, api);
    const tell = (line: string): void => tellLine(streams.stderr, line);
    for (const note of plan.notes) tell(`note: ${note}`);
    assertPlaceForSecrets(plan, options);
    const keys = await openKeySink(options.keysOut, streams.stdout);
    try {
      const { done, failed, skipped } = await applyPlan(plan, { api, installation, keys, tell });
      const rest =
        failed + skipped === 0 ? '' : `; ${String(failed)} failed, ${String(skipped)} not tried`;
      tell(`${String(done)} done, ${String(plan.unchanged)} unchanged${rest}`);
      return failed + skipped === 0 ? NOTHING_TO_DO : FAILED;
    } finally {
      await keys.close();
    }
  });
}

/** Secrets that the installation generates are shown once. */
function assertPlaceForSecrets({ steps }: Plan, { keysOut }: Options): void {
  const fresh = steps.filter(
    ({ action, document }) =>
      action === 'create' && document?.kind.showsSecret?.(document.spec) === true,
  );
  if (fresh[0] === undefined || keysOut !== undefined) return;
  throw new UsageError(
    `${String(fresh.length)} objects would be created with a secret that is shown once, the first is ${titleOf(fresh[0].identity)}. Say where the secrets go: --keys-out FILE, or --keys-out - for standard output.`,
  );
}

async function described({ options, env, folder, streams }: Command): Promise<Documents> {
  if (options.files.length === 0) {
    throw new UsageError('Name the documents: -f FILE, -f FOLDER, or -f - for standard input.');
  }
  return readDocuments(await readInput(options.files, streams.stdin, folder), env);
}

async function planFor(
  { options, nowMs }: Command,
  documents: Documents,
  api: Api,
): Promise<{ plan: Plan; installation: Installation }> {
  const named = documents.documents.flatMap(({ identity: { kind, name, organisation } }) =>
    kind === 'Organisation' ? [name] : (organisation ?? []),
  );
  const wanted = new Set([...named, ...documents.owned.keys()]);
  const installation = await readInstallation(api, { wanted, leaveEnded: false });
  const plan = createPlan(documents, installation, { prune: options.prune, nowMs: nowMs() });
  return { plan, installation };
}

/** Runs `work` in a session that is ended afterwards. */
export async function connected(
  { options, env, streams }: Command,
  work: (api: Api) => Promise<number>,
): Promise<number> {
  const [url, credentials] = [urlOf(options.url, env), credentialsOf(options.tokenFile, env)];
  if (options.waitMs > 0) await waitUntilReady(url, options.waitMs);
  const { api, close } = await connect(url, credentials);
  try {
    return await work(api);
  } finally {
    // The session expires by itself, and the work's own result counts.
    await close().catch((error: unknown) => {
      tellLine(streams.stderr, `The session could not be ended: ${String(error)}`);
    });
  }
}
