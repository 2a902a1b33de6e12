// Services that judge a streamed answer piece by piece, so that it need not be withheld as a whole.

import { ANSWER_PLACES, type ExternalRule, type Screening } from '@tollgate/screening';

import type { Exchange } from '../../exchange/exchange';
import type { Checks } from '../../exchange/screening';
import { JSON_TYPE, SSE_TYPE, WITHOUT_TEXT } from '../readable';
import { createArrayEvents, createSseEvents } from '../stream-events';
import { createAnswerStream, type AnswerStream, type AnswerStreamParts } from './answer-stream';

export type { AnswerStream } from './answer-stream';

type Asking = Pick<Exchange, 'checks' | 'route' | 'screening'>;

/**
 * The rules whose services judge this answer piece by piece. None: the answer is withheld as a whole, or not
 * at all. Rules that observe are no reason to do either.
 */
export function streamingRules(
  screening: Screening,
  checks: Pick<Checks, 'streams'>,
): readonly ExternalRule[] {
  // What a rule must see as a whole waits for its end, so its services are asked then.
  if (!screening.withholdsAnswer() || screening.whole.mayRefuseAnswer()) return [];
  const acting = screening
    .externalRules(...ANSWER_PLACES)
    .filter(({ rule }) => rule.action !== 'OBSERVE');
  return acting.every(checks.streams) ? acting : [];
}

/** Undefined: the answer is not judged piece by piece. */
export function openAnswerStream(
  { checks, route, screening }: Asking,
  contentType: string,
  on: Pick<AnswerStreamParts, 'nowMs' | 'onBlocked' | 'onPassed'>,
): AnswerStream | undefined {
  if (!checks || !screening || WITHOUT_TEXT.has(route.operation)) return undefined;
  const sse = SSE_TYPE.test(contentType);
  if (!sse && !JSON_TYPE.test(contentType)) return undefined;
  const rules = streamingRules(screening, checks);
  if (rules.length === 0) return undefined;
  const events = sse ? createSseEvents() : createArrayEvents();
  return createAnswerStream({ ...on, checks, events, rules, screening });
}
