import { parsePayload } from '../formats/schema';
import { inputAndOutput, promptUsage, usageBesideNumbers } from './answer';
import { addressed, estimateInput, given } from './fields';
import type { Inlet } from './inlet';
import type { Job } from './job';
import { relayedJob } from './relay';

const moderated = addressed.extend({ input: given });

/** Answers of this kind never say what they took. */
export function moderation(inlet: Inlet): Job {
  const { input } = parsePayload(moderated, inlet.fields);
  const inputTokensEstimate = estimateInput(input);
  return relayedJob(inlet, {
    inputTokensEstimate,
    read: (answer) => {
      const usage = promptUsage(usageBesideNumbers(answer));
      return { ...(usage ? { usage } : {}), estimate: inputAndOutput(inputTokensEstimate, 0) };
    },
  });
}
