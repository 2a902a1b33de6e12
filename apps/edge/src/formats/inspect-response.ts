// Reads what the ledger needs from a unary answer that is passed on unchanged.

import { estimateContent } from './estimate';
import type { Format } from './format';
import { present } from './json';
import { tiersReported } from './service-tiers';
import { parseAnswer } from './upstream-error';

/** The usage counts all choices; the stop reason is that of the first. */
export function createInspector(
  decodeResponse: Format['decodeResponse'],
): Format['inspectResponse'] {
  return (bytes, parsed) => {
    const response = decodeResponse(parsed ?? parseAnswer(bytes));
    const { choices, id, model, usage } = response;
    const [first] = choices;
    return {
      outputTokensEstimate:
        usage?.outputTokens ?? estimateContent(choices.flatMap(({ content }) => content)),
      ...present({
        usage: usage?.tokens,
        units: usage?.units,
        tiers: tiersReported(response),
        stopReason: first?.stopReason,
        rawStopReason: first?.rawStopReason,
        responseId: id || undefined,
        model: model || undefined,
      }),
    };
  };
}
