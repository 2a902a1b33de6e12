// The gateway's own format, `POST /v1/llm/chat`. Unary answers are flat, with the provider's label
// and its own token totals. Streams are those of the chat format, with `data: ` lines only. All
// errors have the same shape.

import type { GatewayError } from '@tollgate/contracts';

import type { ErrorContext, Format } from '../format';
import { createInspector } from '../inspect-response';
import { objectOf } from '../json';
import { openaiChat } from '../openai-chat';
import { decodeRequest, encodeRequest } from './request';
import { decodeReported, decodeResponse, encodeResponse } from './response';

export const unified: Format = {
  ...openaiChat,
  name: 'unified',
  tellsFailure: true,
  decodeRequest,
  // Parameters that only one provider knows are dropped for every upstream.
  serverTools: () => [],
  encodeRequest,
  decodeResponse,
  decodeReported,
  encodeResponse,
  inspectResponse: createInspector(decodeResponse),
  createUsageTap: (options) => openaiChat.createUsageTap({ ...options, dataLinesOnly: true }),
  encodeError: (error, context) => ({
    ...openaiChat.encodeError(error, context),
    // The endpoint is the gateway's own, and so is the status.
    status: error.status,
    body: refusal(error, context),
  }),
  encodeStreamError: (error, context) => dataLine(refusal(error, context)),
  // A comment is a chunk without choices, because only `data: ` lines are allowed.
  encodeComment: (comment) => dataLine({ object: 'chat.completion.chunk', choices: [], comment }),
};

function refusal(error: GatewayError, context: ErrorContext) {
  const { body } = openaiChat.encodeError(error, context);
  // The codes of this format are the gateway's own.
  const own = { ...objectOf(body['error']), code: error.code };
  return { ...body, error: own, request_id: context.requestId };
}

function dataLine(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
