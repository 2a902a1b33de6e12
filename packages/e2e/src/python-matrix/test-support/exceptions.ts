// The cells that do not work, each with its reason: impossible ones, which are refused with a
// message that an application can act on, and missing ones, which leave the list once they work.

import type { SdkName } from './cases';

interface Cells {
  readonly cases: readonly string[];
  /** Absent: all SDKs. */
  readonly sdks?: readonly SdkName[];
  /** The upstreams' names; absent: all of them. */
  readonly upstreams?: readonly string[];
  readonly reason: string;
}

export interface Impossible extends Cells {
  readonly statuses: readonly number[];
  /** A text that the refusal must contain. */
  readonly says: RegExp;
}

const NO_ENDPOINT = {
  statuses: [400],
  says: /does not serve models of provider_\w|has no \w+ operation|does not support this operation/,
} as const;

export const IMPOSSIBLE: readonly Impossible[] = [
  {
    cases: ['embeddings'],
    upstreams: ['anthropic'],
    reason: 'Anthropic has no embeddings',
    ...NO_ENDPOINT,
  },
  {
    cases: ['images', 'image edit'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they have no endpoint that makes images out of a prompt alone',
    ...NO_ENDPOINT,
  },
  {
    cases: ['image variation'],
    upstreams: ['azure', 'anthropic', 'gemini', 'vllm'],
    reason: 'only OpenAI itself makes variations',
    ...NO_ENDPOINT,
  },
  {
    cases: ['speech'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they have no endpoint for speech',
    ...NO_ENDPOINT,
  },
  {
    cases: ['transcription', 'translation'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they have no endpoint for transcriptions',
    ...NO_ENDPOINT,
  },
  {
    cases: ['moderation'],
    upstreams: ['azure', 'anthropic', 'gemini', 'vllm'],
    reason: 'only OpenAI itself has moderations',
    ...NO_ENDPOINT,
  },
  {
    cases: ['completion'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they have no plain completions',
    ...NO_ENDPOINT,
  },
  {
    cases: ['continued'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they keep no responses that another could go on from',
    statuses: [400],
    says: /previous_response_id/,
  },
  {
    cases: ['retrieve'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they keep no responses',
    statuses: [400],
    says: /does not support this operation/,
  },
  {
    cases: ['cancel'],
    upstreams: ['anthropic', 'gemini'],
    reason: 'they have no background in which a response could go on',
    statuses: [400],
    says: /background/,
  },
];

export const NOT_YET: readonly Cells[] = [];

interface Place {
  readonly name: string;
  readonly sdk: SdkName;
  readonly upstream: string;
}

function isOf(cells: Cells, { name, sdk, upstream }: Place): boolean {
  return (
    cells.cases.includes(name) &&
    (cells.sdks?.includes(sdk) ?? true) &&
    (cells.upstreams?.includes(upstream) ?? true)
  );
}

export const impossibleAt = (place: Place): Impossible | undefined =>
  IMPOSSIBLE.find((cells) => isOf(cells, place));

export const missingAt = (place: Place): Cells | undefined =>
  NOT_YET.find((cells) => isOf(cells, place));
