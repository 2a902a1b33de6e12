// Text to token ids and back. No model runs, so only the price per request is charged.

import { emptyUsage } from '@tollgate/contracts';
import { z } from 'zod';

import { list, parsePayload } from '../formats/schema';
import { LIST_LIMITS } from '../json/limits';
import { objectIn } from './answer';
import { addressed, estimateInput, given } from './fields';
import type { Inlet } from './inlet';
import type { Job } from './job';
import { relayedJob } from './relay';

const tokenized = addressed
  .extend({ prompt: z.string('must be text').optional(), messages: given.optional() })
  .refine(({ prompt, messages }) => (prompt === undefined) !== (messages === undefined), {
    path: ['prompt'],
    message: 'is required, unless messages is given',
  });

export function tokenize(inlet: Inlet): Job {
  const { prompt, messages } = parsePayload(tokenized, inlet.fields);
  return countedJob(inlet, estimateInput([prompt, messages]));
}

const tokens = list(z.number().int('must be a whole number'), LIST_LIMITS.tokenIds);

export function detokenize(inlet: Inlet): Job {
  const parsed = parsePayload(addressed.extend({ tokens }), inlet.fields);
  return countedJob(inlet, parsed.tokens.length);
}

function countedJob(inlet: Inlet, inputTokensEstimate: number): Job {
  return relayedJob(inlet, {
    inputTokensEstimate,
    read: (answer) => {
      objectIn(answer);
      return { usage: emptyUsage() };
    },
  });
}
