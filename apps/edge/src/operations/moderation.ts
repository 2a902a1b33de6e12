import { parsePayload } from '../formats/schema';
import { inputAndOutput, promptUsage, usageBesideNumbers } from './answer';
import { addressed, estimateInput, given, modelName } from './fields';
import type { Inlet } from './inlet';
import type { Job } from './job';
import { relayedJob } from './relay';

/**
 * The vendor's default for a request without a model. It must be in the catalogue like any other
 * name.
 */
export const DEFAULT_MODERATION_MODEL = 'omni-moderation-latest';

const moderated = addressed.extend({ model: modelName.nullish(), input: given });

/** Most answers of this kind report no usage. */
export function moderation(inlet: Inlet): Job {
  const { model, input } = parsePayload(moderated, inlet.fields);
  const inputTokensEstimate = estimateInput(input);
  const job = relayedJob(inlet, {
    inputTokensEstimate,
    read: (answer) => {
      const usage = promptUsage(usageBesideNumbers(answer));
      return { ...(usage ? { usage } : {}), estimate: inputAndOutput(inputTokensEstimate, 0) };
    },
  });
  return model ? job : { ...job, model: DEFAULT_MODERATION_MODEL, modelAssumed: true };
}
