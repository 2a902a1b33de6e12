// The gateway's own format, `POST /v1/llm/chat`: unary answers are flat, with the provider's label
// and its own token totals; streams and errors are those of the chat format.

import type { Format } from '../format';
import { openaiChat } from '../openai-chat';
import { decodeRequest, encodeRequest } from './request';
import { decodeResponse, encodeResponse, inspectResponse } from './response';

export const unified: Format = {
  ...openaiChat,
  name: 'unified',
  decodeRequest,
  // What only one provider knows is dropped, whatever the upstream.
  serverTools: () => [],
  encodeRequest,
  decodeResponse,
  encodeResponse,
  inspectResponse,
  // The endpoint is the gateway's own, so the status is as well.
  encodeError: (error, context) => ({
    ...openaiChat.encodeError(error, context),
    status: error.status,
  }),
};
