import { rest } from '@tollgate/contracts';
import type { Clock, Logger } from '@tollgate/kit';

import { tryQuestion, type TryFormat, type TryQuestion } from '../api/dry-run';
import type { RestClient } from '../api/rest-client';
import { createPlaygroundRoute } from './playground-route';
import type { Refresh } from './refresh';

// Asks the gateway what it would decide about a request of an API key. The catalog gives a ticket to
// administrators of the key's organisation only; neither the key nor the ticket reaches the browser.

const BODY_LIMIT_BYTES = 1024 * 1024;

export interface TryKeyDeps {
  readonly edgeUrl: string;
  readonly refresh: Refresh;
  readonly clientFor: (access: string) => RestClient;
  readonly log: Logger;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

const PATHS: Readonly<Record<TryFormat, (model: string) => string>> = {
  unified: () => '/v1/llm/chat',
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  gemini: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
  embeddings: () => '/v1/embeddings',
};

export function createTryKey(deps: TryKeyDeps) {
  return (request: Request, organisationId: string, apiKeyId: string): Promise<Response> => {
    // A ticket is got for every question, so none is kept.
    const get = async (access: string) => {
      const params = { organisationId, apiKeyId };
      const { ticket, expiresAt } = await deps
        .clientFor(access)
        .call(rest.getDryRunTicket, { params });
      const madeAtMs = deps.clock.now();
      return { key: ticket, modelIds: [], madeAtMs, expiresAtMs: Date.parse(expiresAt) };
    };
    const answer = createPlaygroundRoute(
      { ...deps, keys: { get, drop: () => undefined } },
      {
        bodyLimitBytes: BODY_LIMIT_BYTES,
        schema: tryQuestion,
        ask: (question, ticket) => ask(deps, request, question, ticket),
        discard: async (reply: Response) => reply.body?.cancel(),
        respond: (reply, headers) => {
          headers.set('content-type', 'application/json');
          return new Response(reply.body, { status: reply.status, headers });
        },
      },
    );
    return answer(request, organisationId);
  };
}

function ask(
  { edgeUrl, fetch }: TryKeyDeps,
  request: Request,
  { body, format, model }: TryQuestion,
  ticket: string,
): Promise<Response> {
  return fetch(edgeUrl.replace(/\/$/, '') + PATHS[format](model), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-tollgate-dry-run': 'true',
      'x-tollgate-dry-run-ticket': ticket,
    },
    body: JSON.stringify(body),
    signal: request.signal,
    redirect: 'error',
    cache: 'no-store',
  });
}
