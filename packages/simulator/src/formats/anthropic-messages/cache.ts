// Anthropic's prompt cache: everything up to a block with `cache_control` is written by the first
// request, and read by later ones that begin the same, with the same key and model. A request looks for
// what it can read at each of its breakpoints and at the blocks just before it.

import { createHash } from 'node:crypto';

import { objectOf, objectsOf, without, type JsonObject } from '../../json';
import { isKept, KEPT_S, LEAST_CACHED_TOKENS, nameOf, type CacheVisit } from '../../prompt-cache';
import type { Call } from '../../reply';
import { countJson, TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST } from '../../tokens';
import { blocksOf, countBlock } from './request';

/** The prompt up to the end of a block. */
interface Prefix {
  hash: string;
  tokens: number;
  /** Seconds for which it is written; undefined: it is no breakpoint. */
  ttlS: number | undefined;
}

/** How many blocks before a breakpoint are looked up too. */
const LOOKED_BACK = 20;
const HOUR_S = 3_600;

export function visitCache(call: Call): CacheVisit {
  const { atS, directives, memory } = call;
  const prefixes = prefixesOf(call);
  // Without the directive, short prompts are cached too, so that tests can be short.
  const least = directives.caches ? LEAST_CACHED_TOKENS : 0;
  const isPoint = ({ tokens, ttlS }: Prefix): boolean => ttlS !== undefined && tokens >= least;
  const found = prefixes.findLast(
    ({ hash }, at) =>
      isKept(memory.prefixes, hash, atS) &&
      prefixes.slice(at, at + 1 + LOOKED_BACK).some((one) => isPoint(one)),
  );
  const read = found?.tokens ?? 0;
  const use = { read, write: 0, write1h: 0 };
  const points = prefixes.filter((one) => isPoint(one));
  let from = read;
  for (const { tokens, ttlS } of points) {
    if (tokens <= from) continue;
    use[ttlS === HOUR_S ? 'write1h' : 'write'] += tokens - from;
    from = tokens;
  }
  return {
    use,
    keep() {
      // Reading a prefix renews it, and nothing makes its end earlier.
      const keepFor = ({ hash, ttlS = directives['cache-ttl'] ?? KEPT_S }: Prefix): void => {
        const endsAtS = Math.max(memory.prefixes.get(hash) ?? 0, atS + ttlS);
        memory.prefixes.set(hash, endsAtS);
      };
      if (found !== undefined) keepFor(found);
      for (const point of points) keepFor(point);
    },
  };
}

function prefixesOf({ apiKey, body, directives, model }: Call): Prefix[] {
  const hash = createHash('sha256').update(`${apiKey} ${model}`);
  const usualS = directives['cache-ttl'] ?? KEPT_S;
  const prefixes: Prefix[] = [];
  let tokens = TOKENS_PER_REQUEST;
  const pass = (block: JsonObject, counted: number): void => {
    hash.update(JSON.stringify(without(block, ['cache_control'])));
    tokens += counted;
    const control = objectOf(block['cache_control']);
    const marked = control?.['ttl'] === '1h' ? HOUR_S : usualS;
    const ttlS = control === undefined ? undefined : marked;
    prefixes.push({ hash: nameOf(hash.copy().digest()), tokens, ttlS });
  };
  for (const tool of objectsOf(body['tools'])) pass(tool, countJson(tool));
  if (body['system'] !== undefined) tokens += TOKENS_PER_MESSAGE;
  for (const block of blocksOf(body['system'])) pass(block, countBlock(block));
  for (const { content, role } of objectsOf(body['messages'])) {
    tokens += TOKENS_PER_MESSAGE;
    hash.update(String(role));
    for (const block of blocksOf(content)) pass(block, countBlock(block));
  }
  // Automatic caching: the request's own mark is that of its last block.
  const control = objectOf(body['cache_control']);
  const last = prefixes.at(-1);
  if (control !== undefined && last?.ttlS === undefined && last !== undefined) {
    last.ttlS = control['ttl'] === '1h' ? HOUR_S : usualS;
  }
  return prefixes;
}
