// The gateway's own format, `POST /v1/llm/chat`: unary answers are flat, with the provider's label
// and its own token totals; streams are those of the chat format, with nothing but `data: ` lines. A
// refusal has one shape, whatever it is for and whenever it comes.

import type { ErrorContext, Format } from '../format';
import type { GatewayError } from '@tollgate/contracts';
import { openaiChat } from '../openai-chat';
import { createInspector } from '../inspect-response';
import { decodeRequest, encodeRequest } from './request';
import { decodeResponse, encodeResponse } from './response';

export const unified: Format = {
  ...openaiChat,
  name: 'unified',
  decodeRequest,
  // What only one provider knows is dropped, whatever the upstream.
  serverTools: () => [],
  encodeRequest,
  decodeResponse,
  encodeResponse,
  inspectResponse: createInspector(decodeResponse),
  createUsageTap: (options) => openaiChat.createUsageTap({ ...options, dataLinesOnly: true }),
  encodeError: (error, context) => ({
    ...openaiChat.encodeError(error, context),
    // The endpoint is the gateway's own, so the status is as well.
    status: error.status,
    body: refusal(error, context),
  }),
  encodeStreamError: (error, context) => dataLine(refusal(error, context)),
  // Its lines may be nothing but data, so a remark is a chunk without choices.
  encodeComment: (comment) => dataLine({ object: 'chat.completion.chunk', choices: [], comment }),
};

function refusal(error: GatewayError, context: ErrorContext) {
  const { body } = openaiChat.encodeError(error, context);
  return { ...body, request_id: context.requestId };
}

function dataLine(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
