// Anthropic's prompt cache: everything up to a block with `cache_control` is written by the first
// request and read by later ones with the same prefix and key, until it is evicted.

import { createHash } from 'node:crypto';

import { arrayOf, objectOf, objectsOf, without, type JsonObject } from '../../json';
import type { Recall } from '../../memory';
import { countJson, TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST } from '../../tokens';
import type { CacheUse } from '../../usage';
import { blocksOf, countBlock } from './request';

interface Breakpoint {
  hash: string;
  tokens: number;
  hour: boolean;
}

export interface CacheVisit {
  use: CacheUse;
  /** Stores this request's prefixes. */
  keep: () => void;
}

export function visitCache(body: JsonObject, owner: string, prefixes: Recall<true>): CacheVisit {
  const points = breakpointsOf(body, owner);
  const read = points.findLast(({ hash }) => prefixes.get(hash))?.tokens ?? 0;
  const use = { read, write: 0, write1h: 0 };
  let from = read;
  for (const { hour, tokens } of points) {
    if (tokens <= from) continue;
    use[hour ? 'write1h' : 'write'] += tokens - from;
    from = tokens;
  }
  return {
    use,
    keep() {
      for (const { hash } of points) prefixes.set(hash, true);
    },
  };
}

function breakpointsOf(body: JsonObject, owner: string): Breakpoint[] {
  const hash = createHash('sha256').update(owner);
  const points: Breakpoint[] = [];
  let tokens = TOKENS_PER_REQUEST;
  const pass = (block: JsonObject, counted: number): void => {
    hash.update(JSON.stringify(without(block, ['cache_control'])));
    tokens += counted;
    const control = objectOf(block['cache_control']);
    if (control === undefined) return;
    points.push({ hash: hash.copy().digest('hex'), tokens, hour: control['ttl'] === '1h' });
  };
  for (const tool of objectsOf(body['tools'])) pass(tool, countJson(tool));
  if (arrayOf(body['system']).length > 0) tokens += TOKENS_PER_MESSAGE;
  for (const block of blocksOf(body['system'])) pass(block, countBlock(block));
  for (const { content, role } of objectsOf(body['messages'])) {
    tokens += TOKENS_PER_MESSAGE;
    hash.update(String(role));
    for (const block of blocksOf(content)) pass(block, countBlock(block));
  }
  return points;
}
