// Operations on responses that create none. Counting input tokens is free. Compacting a
// conversation generates output and is billed like an answer.

import { emptyUsage } from '@tollgate/contracts';
import { z } from 'zod';

import { arrayOf, countOf, present, textOf } from '../formats/json';
import { usageOf } from '../formats/openai-responses/usage';
import { parsePayload } from '../formats/schema';
import { openAiTiersAsked } from '../formats/service-tiers';
import { inputAndOutput, notAnAnswer, objectIn } from './answer';
import { addressed, estimateInput, estimateItems, modelName, optionalText } from './fields';
import type { Inlet } from './inlet';
import type { Job } from './job';
import { namedItems } from './named-items';
import { relayedJob } from './relay';
import { conversationIdOf } from './stored';

/** The model may be omitted if an earlier response or a conversation determines it. */
const sized = addressed
  .extend({
    model: modelName.nullish(),
    previous_response_id: optionalText,
    conversation: z.unknown().optional(),
  })
  .refine(
    ({ model, previous_response_id: previous, conversation }) =>
      Boolean(model ?? previous ?? conversation),
    { path: ['model'], message: 'must name a model' },
  );

/** Read beside the input. */
const READ = ['instructions', 'tools', 'text'] as const;

function readSized(inlet: Inlet) {
  const fields = parsePayload(sized, inlet.fields);
  const read = estimateItems(fields['input']) + estimateInput(READ.map((name) => fields[name]));
  return {
    inputTokensEstimate: Math.max(1, read),
    previousResponseId: fields.previous_response_id ?? '',
    conversationId: conversationIdOf(fields.conversation),
    ...namedItems(fields['input']),
  };
}

export function responseInputTokens(inlet: Inlet): Job {
  return relayedJob(inlet, {
    ...readSized(inlet),
    read: (answer) => {
      if (countOf(objectIn(answer)['input_tokens']) === undefined) throw notAnAnswer('no count');
      return { usage: emptyUsage(), free: true };
    },
  });
}

export function compaction(inlet: Inlet): Job {
  const asked = readSized(inlet);
  return relayedJob(inlet, {
    ...asked,
    serviceTiers: openAiTiersAsked(inlet.fields['service_tier']),
    read: (answer) => {
      const compacted = objectIn(answer);
      const reported = usageOf(compacted);
      const output = estimateInput(arrayOf(compacted['output']));
      return {
        responseId: textOf(compacted['id']) ?? '',
        ...(reported ? present({ usage: reported.tokens, tiers: reported.tiers }) : {}),
        estimate: inputAndOutput(asked.inputTokensEstimate, output),
      };
    },
  });
}
