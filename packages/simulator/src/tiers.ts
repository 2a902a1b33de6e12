// Processing tiers: what a request asks for is what processes it, unless the directive `standard` denies it. Answers name
// tiers in their vendor's words, the bill in the words of price lists.

import { textOf } from './json';
import type { Call } from './reply';

type Asking = Pick<Call, 'body' | 'directives'>;

/** OpenAI's `service_tier` of an answer. `fast` is processed, and told, as priority. */
export function openAiTier({ body, directives }: Asking): string {
  const asked = textOf(body['service_tier']) || 'auto';
  if (directives.standard || asked === 'auto') return 'default';
  return asked === 'fast' ? 'priority' : asked;
}

/** Gemini's `usageMetadata.serviceTier`; empty: the request names none. */
export function geminiTier({ body, directives }: Asking): string {
  const asked = textOf(body['serviceTier']).toLowerCase();
  return asked !== '' && directives.standard ? 'standard' : asked;
}

/** Anthropic's fields of `usage`. */
export interface MessageTiers {
  service_tier: string;
  inference_geo: string | null;
  speed: string | null;
}

export function messageTiers({ body, directives }: Asking): MessageTiers {
  const speed = textOf(body['speed']) || null;
  return {
    service_tier: 'standard',
    inference_geo: textOf(body['inference_geo']) || null,
    speed: directives.standard && speed !== null ? 'standard' : speed,
  };
}

const STANDARD: ReadonlySet<string> = new Set(['', 'default', 'global', 'standard']);

/** The tiers that the bill names, such as `fast, us`; undefined: standard processing. */
export function billedTiers(...words: (string | null)[]): { tiers?: string } {
  const named = words.filter((word): word is string => word !== null && !STANDARD.has(word));
  return named.length === 0 ? {} : { tiers: named.join(', ') };
}
