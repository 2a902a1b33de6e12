// Spans of screening: of the gateway's own rules together, as they read a text in one pass, and of each question
// to a service. They have no texts.

import { asksService, type ScreeningPlace } from '@tollgate/contracts';
import type { ExternalRule, Screening } from '@tollgate/screening';

import { noteStep, type RequestTrace } from '../exchange/request-trace';

interface Times {
  readonly startMs: number;
  readonly endMs: number;
}

interface ServiceStep extends Times {
  readonly place: ScreeningPlace;
  /** Of the screening that asked; empty: of the request. */
  readonly parentSpanId: string;
  readonly failed: boolean;
  readonly screening: Screening;
}

/** The spans that a request has at most, when one of screening is added: a stream may ask about each message. */
const MOST_STEPS = 128;

function hasRoom(trace: RequestTrace): boolean {
  if (trace.steps.length < MOST_STEPS) return true;
  trace.screeningLeftOut += 1;
  return false;
}

/** A question to a service. */
export function noteServiceStep(
  trace: RequestTrace | undefined,
  { named: { policy, version }, rule }: ExternalRule,
  { failed, parentSpanId, place, screening, ...times }: ServiceStep,
): void {
  if (!trace || !hasRoom(trace)) return;
  const hits = screening
    .verdicts()
    .filter(({ named, place: where }) => named.rule === rule && where === place)
    .reduce((sum, verdict) => sum + verdict.hits, 0);
  noteStep(trace, {
    name: `screen ${policy}/${rule.id}`,
    kind: 'CLIENT',
    parentSpanId,
    ...times,
    error: failed ? 'no_verdict' : undefined,
    attributes: [
      ['tollgate.guardrail.policy', policy],
      ['tollgate.guardrail.version', version],
      ['tollgate.guardrail.rule', rule.id],
      ['tollgate.guardrail.kind', rule.kind],
      ['tollgate.guardrail.action', rule.action],
      ['tollgate.guardrail.service', rule.service],
      ['tollgate.guardrail.place', place],
      ['tollgate.guardrail.outcome', failed ? 'no_verdict' : hits > 0 ? 'hit' : 'pass'],
      ['tollgate.guardrail.hits', hits],
      ['error.type', failed ? 'no_verdict' : undefined],
    ],
  });
}

/** The gateway's own rules about the texts or the parameters of a request. */
export function noteRulesStep(
  trace: RequestTrace | undefined,
  screening: Screening,
  times: Times,
): void {
  if (!trace || !hasRoom(trace)) return;
  const own = screening.program.rules.filter(({ rule }) => !asksService(rule));
  if (own.length === 0) return;
  const found = screening.verdicts().filter(({ hits, named }) => hits > 0 && own.includes(named));
  const hits = found.reduce((sum, verdict) => sum + verdict.hits, 0);
  const outcome = screening.blocked() ? 'block' : hits > 0 ? 'hit' : 'pass';
  noteStep(trace, {
    name: 'screen rules',
    parentSpanId: trace.screeningSpanId,
    ...times,
    attributes: [
      ['tollgate.guardrail.kinds', [...new Set(own.map(({ rule }) => rule.kind))]],
      ['tollgate.guardrail.outcome', outcome],
      ['tollgate.guardrail.hits', hits],
      [
        'tollgate.guardrail.hit_rules',
        found.slice(0, MOST_RULES).map(({ named }) => `${named.policy}/${named.rule.id}`),
      ],
    ],
  });
}

/** The rules that one span names. */
const MOST_RULES = 16;
