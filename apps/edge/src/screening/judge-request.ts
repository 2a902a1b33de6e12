// Rules about the models that a request may reach, and about its parameters.

import { gatewayError, type Operation } from '@tollgate/contracts';
import type { Screening } from '@tollgate/screening';

import type { AuthorisedExchange } from '../exchange/exchange';
import type { JsonObject } from '../formats';
import type { Form } from '../uploads';

/** What is required of a request is required where a model writes a text. */
const GENERATES: ReadonlySet<Operation> = new Set(['chat', 'completions', 'responses']);

type Body = { json: JsonObject } | { form: Form };

/**
 * Notes the rules that the request does not keep, and leaves models out that may not answer.
 * @throws GatewayError `budget_exceeded`, `dependency_unavailable`
 */
export async function judgeRequest(
  exchange: AuthorisedExchange,
  screening: Screening,
  body: Body | undefined,
): Promise<void> {
  if (screening.program.whole.length === 0) return;
  const { job, route } = exchange;
  if (body) {
    const document = 'json' in body ? body.json : fieldsOf(body.form);
    // Some formats ask for a stream in the path.
    const asked = job.stream ? { stream: true, ...document } : document;
    screening.whole.parameters({ document: asked, generates: GENERATES.has(route.operation) });
  }
  await leaveOut(exchange, screening);
}

async function leaveOut(
  exchange: AuthorisedExchange,
  { blocked, whole }: Screening,
): Promise<void> {
  const { allow, hold, job } = exchange;
  const names = allow.candidates.map(({ modelName }) => modelName);
  const named = exchange.chosenModel ?? job.model;
  const open = whole.models({ named, candidates: names });
  if (blocked() || !open.includes(false)) return;
  const [first] = allow.candidates;
  const left = allow.candidates.filter((_, at) => open[at]);
  const [next] = left;
  if (!next) throw gatewayError('internal_error');
  allow.candidates = left;
  if (next === first) return;
  // The hold covers the candidate that policy would have tried first.
  const outcome = await hold.extend(next.modelId, {
    outputTokens: next.heldOutputTokens,
    inputTokens: job.inputTokensEstimate,
    nanoUsd: next.estimateNanoUsd,
  });
  if (outcome.granted) return;
  if (!outcome.refused) {
    throw gatewayError('dependency_unavailable', undefined, { details: { dependency: 'policy' } });
  }
  // Nothing was sent to an upstream, so the request costs nothing, but it has a record.
  exchange.used = true;
  const text = 'What is left of a limit does not cover the models that the screening rules allow.';
  throw gatewayError('budget_exceeded', text);
}

/** A field that is sent several times is a list. */
function fieldsOf({ parts }: Form): JsonObject {
  const fields = new Map<string, unknown>();
  for (const part of parts) {
    if (part.kind !== 'field') continue;
    const before = fields.get(part.name);
    const more = Array.isArray(before)
      ? [...(before as unknown[]), part.value]
      : [before, part.value];
    fields.set(part.name, before === undefined ? part.value : more);
  }
  return Object.fromEntries(fields);
}
