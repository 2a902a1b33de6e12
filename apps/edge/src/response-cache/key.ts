import { createHmac, hkdfSync } from 'node:crypto';
import type { KeyRing } from '@tollgate/contracts/node';

/** What decides whether two requests get the same answer. */
export interface KeyParts {
  /** Answers are never shared between organisations. */
  readonly organisationId: string;
  /** Raised to delete the organisation's answers. */
  readonly generation: number;
  /** Formats do not share answers, and neither do their streams and whole answers. */
  readonly format: string;
  readonly operation: string;
  /** The template of the path. */
  readonly route: string;
  /** As the client names it, where the path does. */
  readonly model: string;
  /** Arms of an experiment do not share answers, or they could not be compared. Empty: none. */
  readonly arm: string;
  readonly stream: boolean;
  /** Headers of the client that change the answer, by name. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Versions of the screening policies that apply. */
  readonly screening: readonly (readonly [policyId: string, version: number])[];
  /** The canonical body. */
  readonly body: string;
}

/** Secrets of the cache, derived from the current key-encryption key: another key finds no earlier answer. */
export interface CacheSecrets {
  readonly name: Buffer;
  readonly seal: Buffer;
}

export function cacheSecrets({ currentId, keys }: KeyRing): CacheSecrets {
  const key = keys.get(currentId);
  if (key === undefined) throw new Error(`no key-encryption key has the id ${currentId}`);
  const derived = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `tollgate response cache ${purpose}`, 32));
  return { name: derived('name'), seal: derived('seal') };
}

/** The name of an answer. It is keyed, so that nobody with the store can test what was asked. */
export function cacheKey({ name }: Pick<CacheSecrets, 'name'>, parts: KeyParts): string {
  const text = JSON.stringify([
    parts.organisationId,
    parts.generation,
    parts.format,
    parts.operation,
    parts.route,
    parts.model,
    parts.stream,
    parts.headers.toSorted(byName),
    parts.screening.toSorted(byName),
    parts.body,
    // Answers of before have no arm.
    ...(parts.arm === '' ? [] : [parts.arm]),
  ]);
  return createHmac('sha256', name).update(text).digest('base64url');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
