// Operations of embedding models: numbers are returned for the input. Billed by the input, and
// rankings also by the document.

import type { UpstreamHeaders } from '../formats';
import { textOf } from '../formats/json';
import { parsePayload } from '../formats/schema';
import { inputAndOutput, promptUsage, usageBesideNumbers } from './answer';
import { addressed, estimateInput, given } from './fields';
import type { Inlet } from './inlet';
import type { Answered, Job } from './job';
import { ANSWERS_BYTES, ANSWERS_JSON, relayedJob, type Asked } from './relay';

/** Vectors as raw bytes carry their usage, and their layout, in this header. */
const METADATA = 'metadata';

/** Self-hosted servers also accept conversations. */
const embeddedOrTold = addressed
  .extend({ input: given.optional(), messages: given.optional(), data: given.optional() })
  .refine(({ input, messages, data }) => [input, messages, data].some(Boolean), {
    path: ['input'],
    message: 'is required, unless messages is given',
  });

export function pooled(inlet: Inlet): Job {
  const { input, messages, data } = parsePayload(embeddedOrTold, inlet.fields);
  return numbersJob(inlet, estimateInput([input, messages, data]));
}

const ranked = addressed.extend({ query: given, documents: given });

export function rerank(inlet: Inlet): Job {
  const { query, documents } = parsePayload(ranked, inlet.fields);
  return pairsJob(inlet, [query], itemsOf(documents));
}

/** The field names of the two sides of a comparison; a request uses one pair. */
const SIDES = [
  ['queries', 'documents'],
  ['queries', 'items'],
  ['data_1', 'data_2'],
  ['text_1', 'text_2'],
] as const;

export function score(inlet: Inlet): Job {
  const fields = parsePayload(
    addressed.check((context) => {
      const body = context.value as Record<string, unknown>;
      const given = SIDES.filter((sides) => sides.every((side) => isGiven(body[side])));
      if (given.length === 1) return;
      const names = SIDES.map((sides) => sides.join(' and ')).join(', or ');
      const [path = 'queries'] = SIDES.flat().filter((side) => body[side] !== undefined);
      context.issues.push({
        code: 'custom',
        path: [path],
        message: `one pair of ${names} must be given`,
        input: body,
      });
    }),
    inlet.fields,
  ) as Record<string, unknown>;
  const [one, other] =
    SIDES.find((sides) => sides.every((side) => isGiven(fields[side]))) ?? SIDES[0];
  return pairsJob(inlet, itemsOf(fields[one]), itemsOf(fields[other]));
}

function isGiven(value: unknown): boolean {
  return given.safeParse(value).success;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

// A side with one item is compared with each item of the other.
function pairsJob(inlet: Inlet, one: readonly unknown[], other: readonly unknown[]): Job {
  const pairs = Math.max(one.length, other.length);
  const tokens = [one, other].reduce(
    (sum, side) => sum + estimateInput(side) * Math.ceil(pairs / Math.max(side.length, 1)),
    0,
  );
  // A ranking repeats its documents.
  return numbersJob(inlet, tokens + pairs * PAIR_TOKENS, {
    unitsEstimate: { document: pairs },
    echoes: true,
  });
}

/** Tokens around and between the two texts of a pair. */
const PAIR_TOKENS = 4;

export function numbersJob(
  inlet: Inlet,
  inputTokensEstimate: number,
  asked: Pick<Asked, 'unitsEstimate' | 'echoes'> = {},
): Job {
  const { unitsEstimate: units = {} } = asked;
  return relayedJob(inlet, {
    ...asked,
    inputTokensEstimate,
    answers: [ANSWERS_JSON, ANSWERS_BYTES],
    headers: [METADATA],
    read: (answer, contentType, headers): Answered['report'] => {
      const json = ANSWERS_JSON.test(contentType);
      const usage = promptUsage(json ? usageBesideNumbers(answer) : usageInHeader(headers));
      const estimate = inputAndOutput(inputTokensEstimate, 0);
      return { ...(usage ? { usage } : {}), estimate, units };
    },
  });
}

function usageInHeader(headers: UpstreamHeaders): unknown {
  const text = textOf(headers[METADATA]);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as { usage?: unknown } | null)?.usage;
  } catch {
    return undefined;
  }
}
