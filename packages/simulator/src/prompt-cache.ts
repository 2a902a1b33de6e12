// The automatic prompt cache of OpenAI and Gemini: a request reads as much as an earlier one with the
// same key and model began with, from 1,024 tokens on, in steps of 128. Only models with the directive
// `caches` have it, so that the counts of all others depend on their own request alone.

import { createHash } from 'node:crypto';

import type { Recall } from './memory';
import type { Call } from './reply';
import type { CacheUse } from './usage';

/** A part of a prompt, as the vendor reads it: tools first, then instructions, then the conversation. */
export interface PromptPart {
  text: string;
  /** Sound is not counted. */
  tokens: number;
}

export interface CacheVisit {
  use: CacheUse;
  /** Stores this request's prefixes. */
  keep: () => void;
}

export const LEAST_CACHED_TOKENS = 1_024;
const STEP_TOKENS = 128;
/** How long a prefix is kept after its last use. */
export const KEPT_S = 300;

/** The prefixes in the cache: when each ends, in Unix seconds, by its hash. */
export type Prefixes = Recall<number>;

/** Undefined: this model has no such cache. */
export function visitAutomaticCache(
  { apiKey, atS, body, directives, memory, model }: Call,
  parts: () => readonly PromptPart[],
): CacheVisit | undefined {
  if (!directives.caches) return undefined;
  // The vendor routes by this key, so another one is likely to reach another machine.
  const named = JSON.stringify(body['prompt_cache_key'] ?? null);
  const steps = stepsOf(parts(), `${apiKey}\0${model}\0${named}`);
  const read = steps.findLast(({ hash }) => isKept(memory.prefixes, hash, atS))?.tokens ?? 0;
  const endsAtS = atS + (directives['cache-ttl'] ?? KEPT_S);
  return {
    use: { read, write: 0, write1h: 0 },
    keep() {
      for (const { hash } of steps) memory.prefixes.set(hash, endsAtS);
    },
  };
}

export function isKept(prefixes: Prefixes, hash: string, atS: number): boolean {
  return (prefixes.get(hash) ?? 0) > atS;
}

interface Step {
  hash: string;
  tokens: number;
}

/** The prefixes that can be read, each by the hash of everything up to it. */
function stepsOf(parts: readonly PromptPart[], owner: string): Step[] {
  const hash = createHash('sha256').update(owner);
  const steps: Step[] = [];
  let before = 0;
  let next = LEAST_CACHED_TOKENS;
  for (const { text, tokens } of parts) {
    // Tokens lie evenly in the text of their part.
    let from = 0;
    while (next <= before + tokens) {
      const to = Math.floor((text.length * (next - before)) / tokens);
      hash.update(text.slice(from, to));
      steps.push({ hash: nameOf(hash.copy().digest()), tokens: next });
      from = to;
      next += STEP_TOKENS;
    }
    hash.update(`${text.slice(from)}\0`);
    before += tokens;
  }
  return steps;
}

/** 128 bits are enough, and many are kept. */
export function nameOf(digest: Buffer): string {
  return digest.toString('base64url', 0, 16);
}
