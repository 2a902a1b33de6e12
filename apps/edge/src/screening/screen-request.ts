import type { ScreeningRef__Output } from '@tollgate/contracts/node';
import type { Screening } from '@tollgate/screening';

import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { JsonObject } from '../formats';
import type { Received } from '../operations';
import type { Form, FormField } from '../uploads';
import { checkRequest } from './check-request';
import { noteRulesStep } from './check-steps';
import { judgeRequest } from './judge-request';
import { openScreening } from './open-screening';
import type { PassedText } from './passed-text';
import { blockedError } from './refusal';
import { hasTokenIds, requestTexts, type RequestText } from './request-texts';
import { screenTexts } from './screen-texts';

/**
 * Screens the texts of a request by all policies that apply to it.
 * @returns the body as it goes on; undefined: as it came
 * @throws GatewayError `content_blocked`, `plugin_blocked`, `dependency_unavailable`
 */
export async function screenRequest(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  received: Received | undefined,
): Promise<Received | undefined> {
  const screened = Object.assign(exchange, await open(gateway, exchange));
  return screenTextsOf(gateway, screened, received, exchange.job.model || undefined);
}

/** Like `screenRequest`, by the rules that run here; services are not asked. */
export async function screenWithoutServices(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  received: Received | undefined,
): Promise<Received | undefined> {
  const { screening } = await open(gateway, exchange);
  const screened = Object.assign(exchange, { checks: undefined, screening });
  return screenTextsOf(gateway, screened, received, undefined);
}

function open(gateway: Gateway, { allow, requestId, shadow, trace }: AuthorisedExchange) {
  // A service that asks the gateway itself must not be asked about its own request.
  const apiKeyId = shadow?.apiKeyId ?? allow.subject?.apiKeyId;
  return openScreening(gateway, { requestId, trace, apiKeyId, refs: allow.screening });
}

/**
 * Screens the request once more, by policies that apply to the model that a plugin chose and did not apply
 * before; `judged` did. All of them read the answer. Plugins that are asked now choose no model.
 * @returns and throws as `screenRequest`
 */
export async function screenByAdded(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  received: Received | undefined,
  judged: readonly ScreeningRef__Output[],
): Promise<Received | undefined> {
  const { allow, requestId, screening: before, trace } = exchange;
  const known = new Set(judged.map(({ policyId }) => policyId));
  const added = allow.screening.filter(({ policyId }) => !known.has(policyId));
  if (!before) return undefined;
  const { checks, screening } = await openScreening(gateway, {
    requestId,
    trace,
    apiKeyId: allow.subject?.apiKeyId,
    refs: [...judged, ...added],
    joins: { before, policies: judged.length },
  });
  const screened = Object.assign(exchange, { checks, screening });
  if (added.length > 0) return screenTextsOf(gateway, screened, received, undefined);
  // The model that was chosen is judged by the rules about models that the request was.
  await judgeRequest(screened, screening, bodyOf(received));
  refuseBlocked(screened, screening);
  return undefined;
}

type ScreenedExchange = AuthorisedExchange & { readonly screening: Screening };

async function screenTextsOf(
  gateway: Gateway,
  exchange: ScreenedExchange,
  received: Received | undefined,
  model: string | undefined,
): Promise<Received | undefined> {
  const { checks, screening, trace } = exchange;
  const { program } = screening;
  const body = bodyOf(received);
  const startMs = gateway.nowMs();
  const noteRules = (): void =>
    noteRulesStep(trace, screening, { startMs, endMs: gateway.nowMs() });
  await judgeRequest(exchange, screening, body);
  if (screening.blocked()) noteRules();
  refuseBlocked(exchange, screening);
  const checksParameters = program.whole.some(({ kind }) => kind === 'PARAMETERS');
  const readsTexts = program.places.has('INPUT') || program.places.has('TOOL_RESULTS');
  if (!readsTexts && !checksParameters) {
    noteRules();
    return undefined;
  }
  const texts = body && readsTexts ? textsOf(body) : [];
  if (body && 'json' in body && hasTokenIds(body.json)) screening.unreadable('INPUT');
  await screenTexts(gateway, screening, texts);
  noteRules();
  if (checks && !screening.blocked()) {
    const parameters = body && 'json' in body ? body.json : undefined;
    await checkRequest(exchange, screening, checks, texts, { parameters, model });
  }
  refuseBlocked(exchange, screening);
  const changed =
    texts.some(({ text, was }) => text !== was) ||
    screening.verdicts().some(({ changes }) => changes > 0);
  // Some bodies are relayed as they came. Of a field that is sent twice two parsers take different ones, so
  // what was screened is what is sent.
  const relayed = received !== undefined && ('ids' in received || keepsBytes(received));
  const acts =
    relayed && (checksParameters || program.blocks('INPUT') || program.blocks('TOOL_RESULTS'));
  return (changed || acts) && received && body ? withBody(received, body) : undefined;
}

function refuseBlocked(exchange: AuthorisedExchange, screening: Screening): void {
  const blocked = screening.blocked();
  if (!blocked) return;
  // Nothing was sent to an upstream, so the request costs nothing, but it has a record.
  exchange.used = true;
  throw blockedError(blocked);
}

/** Conversations are written anew in any case. */
function keepsBytes(received: Received): boolean {
  return 'json' in received && received.bytes.length > 0;
}

type Body = { json: JsonObject; bytes: Buffer } | { form: Form };

function bodyOf(received: Received | undefined): Body | undefined {
  if (!received || 'json' in received || 'form' in received) return received;
  return received.body;
}

function textsOf(body: Body): PassedText[] {
  return ('json' in body ? requestTexts(body.json) : formTexts(body)).map((given): PassedText => ({
    ...given,
    was: given.text,
  }));
}

function formTexts(body: { form: Form }): RequestText[] {
  const fields = body.form.parts.filter((part): part is FormField => part.kind === 'field');
  return fields
    .filter(({ name }) => name !== 'model' && name !== 'provider')
    .map((field) => ({
      kind: { place: 'INPUT', role: 'user', fresh: true },
      text: field.value,
      set: (text) => {
        field.value = text;
      },
    }));
}

function withBody(received: Received, body: Body): Received {
  if ('form' in body) return received;
  const written = { json: body.json, bytes: Buffer.from(JSON.stringify(body.json)) };
  return 'ids' in received ? { ...received, body: written } : written;
}
