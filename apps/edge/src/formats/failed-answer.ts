// Answers that their upstream reports as failed: a call that it cannot read, or an answer that it gave up.
// Some formats have no word for it, and an agent would take the answer for the end of its work.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { Format } from './format';
import type { ContentBlock, NormalisedResponse } from './normalised';

/** A reason of the upstream that is a plain word. */
const WORD = /^\w{1,64}$/;

export function failedAnswer(rawReason: string): GatewayError {
  const why = WORD.test(rawReason) ? ` (${rawReason})` : '';
  return gatewayError('upstream_error', `The provider could not complete its answer${why}.`);
}

/** The error for a client of this format. Undefined: the answer is sent. */
export function failureIn(
  { tellsFailure }: Pick<Format, 'tellsFailure'>,
  { choices }: NormalisedResponse,
): GatewayError | undefined {
  if (!choices.every(({ stopReason }) => stopReason === 'error')) return undefined;
  if (tellsFailure && choices.some(({ content }) => content.some(isOutput))) return undefined;
  return failedAnswer(choices[0]?.rawStopReason ?? '');
}

function isOutput(block: ContentBlock): boolean {
  return block.type !== 'text' || block.text !== '';
}
