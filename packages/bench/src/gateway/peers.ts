import { readFileSync } from 'node:fs';
import { z } from 'zod';

import type { Target } from './target';

/**
 * Other gateways that already run, from the file of `--peers`: a JSON list. Each must send its
 * requests to our upstream, whose port `--upstream-port` sets.
 */
export interface Peer {
  readonly name: string;
  /** Without a slash at its end; paths such as `/v1/chat/completions` are added. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What it calls a model; `{model}` stands for our name. */
  readonly model: string;
  /** Fields that are added to each body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Its process, or its processes by name; CPU and memory include their children. */
  readonly pids: Readonly<Record<string, number>>;
  /** Headers of a key whose budget is that of the burst test. */
  readonly budgetHeaders?: Readonly<Record<string, string>> | undefined;
  /** Shell command that starts it again after `kill -9`; it returns once the process runs. */
  readonly restart?: string | undefined;
  /** Shell command that prints how many requests it has recorded. */
  readonly recorded?: string | undefined;
}

const MAX_PEERS = 20;

const pid = z.number().int().positive();
const command = z.string().min(1).max(2_000);
const peer = z.strictObject({
  name: z.string().regex(/^[\w .-]{1,40}$/, 'letters, digits, spaces, dots, dashes; at most 40'),
  url: z.url({ protocol: /^http$/ }).transform((url) => url.replace(/\/$/, '')),
  headers: z.record(z.string(), z.string()).default({ authorization: 'Bearer sk-bench' }),
  model: z.string().min(1).max(200).default('{model}'),
  body: z.record(z.string(), z.unknown()).default({}),
  pid: z.union([pid, z.record(z.string(), pid)]).optional(),
  budgetHeaders: z.record(z.string(), z.string()).optional(),
  restart: command.optional(),
  recorded: command.optional(),
});
const peers = z
  .array(peer)
  .max(MAX_PEERS)
  .refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    'each peer needs a name of its own',
  );

/** @throws RangeError that names the file and the field */
export function readPeers(file: string): Peer[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new RangeError(`--peers: ${file}: ${(error as Error).message}`, { cause: error });
  }
  const parsed = peers.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    throw new RangeError(`--peers: ${file}: ${field}${issue?.message ?? 'not a list of peers'}`);
  }
  return parsed.data.map(withPids);
}

/** A peer of `--peer name=url`. @throws RangeError */
export function peerOf(text: string): Peer {
  const at = text.indexOf('=');
  const parsed = peer.safeParse({ name: text.slice(0, Math.max(at, 0)), url: text.slice(at + 1) });
  if (!parsed.success) throw new RangeError(`--peer: <name>=<http://…>, not ${text}`);
  return withPids(parsed.data);
}

function withPids({ pid: own, ...rest }: z.output<typeof peer>): Peer {
  const pids = own === undefined ? {} : typeof own === 'number' ? { [rest.name]: own } : own;
  return { ...rest, pids };
}

export function peerTarget(peer: Peer): Target {
  const { name, url, headers, pids } = peer;
  return {
    name,
    url,
    headers,
    pids,
    gateway: Object.keys(pids)[0] ?? name,
    translates: false,
    bodyOf: (body) => bodyFor(peer, body),
  };
}

/** The body as the peer expects it. */
export function bodyFor({ model, body: more }: Pick<Peer, 'model' | 'body'>, body: string): string {
  const fields = JSON.parse(body) as Record<string, unknown>;
  const named = model.replaceAll('{model}', String(fields['model']));
  return JSON.stringify({ ...fields, model: named, ...more });
}
