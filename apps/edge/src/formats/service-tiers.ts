// Processing tiers, which providers charge at another price: what a request asks for, and what an answer reports.

import { serviceTierOf, type TierKind, type TierWords } from '@tollgate/contracts';

import { present, textOf } from './json';
import type { JsonObject, NormalisedRequest, NormalisedResponse } from './normalised';

/** A tier that a request asks for. */
export interface ServiceTierAsked {
  /** Of the contracts' table. */
  name: string;
  /** The path of the field. */
  param: string;
  /** Formats of the upstreams that are asked for it. */
  upstreams: string[];
}

/**
 * The tiers other than standard processing. vLLM ignores them. Formats that have no word for a tier are not asked for it;
 * the client learns that its parameter was dropped.
 */
export function tiersAsked(request: NormalisedRequest): ServiceTierAsked[] {
  const { format, paths, raw, serviceTier = '' } = request;
  const upstreams = [
    'openai',
    ...(format === 'gemini-generate' || GEMINI_TIERS.has(serviceTier) ? ['gemini'] : []),
    ...(format === 'anthropic-messages' ? ['anthropic'] : []),
  ];
  const found = tier('service', serviceTier, paths?.['service_tier'] ?? 'service_tier', upstreams);
  if (format !== 'anthropic-messages') return found;
  return [
    ...found,
    ...tier('speed', textOf(raw['speed']) ?? '', 'speed', ['anthropic']),
    ...tier('region', textOf(raw['inference_geo']) ?? '', 'inference_geo', ['anthropic']),
  ];
}

/** Those of a request that is only relayed to OpenAI. */
export function openAiTiersAsked(serviceTier: unknown): ServiceTierAsked[] {
  return tier('service', textOf(serviceTier) ?? '', 'service_tier', ['openai']);
}

/** Tiers of the chat format that Gemini has a word for. */
const GEMINI_TIERS: ReadonlySet<string> = new Set(['flex', 'priority']);

function tier(kind: TierKind, word: string, param: string, upstreams: string[]) {
  const name = serviceTierOf(kind, word);
  return name === '' ? [] : [{ name, param, upstreams }];
}

/** What an answer reports; undefined: nothing. */
export function tiersReported({
  serviceTier,
  usage,
}: Pick<NormalisedResponse, 'serviceTier' | 'usage'>): TierWords | undefined {
  return usage?.tiers ?? (serviceTier === undefined ? undefined : { service: serviceTier });
}

/** The fields of a usage that name tiers, by the kind of tier. */
export function tiersIn(
  usage: JsonObject,
  fields: Readonly<Partial<Record<TierKind, readonly string[]>>>,
): { tiers?: TierWords } {
  const words: Partial<Record<TierKind, string>> = {};
  for (const [kind, names] of Object.entries(fields) as [TierKind, readonly string[]][]) {
    const word = names.map((name) => textOf(usage[name])).find((text) => text !== undefined);
    Object.assign(words, present({ [kind]: word }));
  }
  return Object.keys(words).length === 0 ? {} : { tiers: words };
}

/** Those that an answer of OpenAI names beside its usage. */
export function openAiTiersIn(answer: JsonObject): { tiers?: TierWords } {
  return tiersIn(answer, OPENAI_FIELDS);
}

const OPENAI_FIELDS = { service: ['service_tier'] } as const;
