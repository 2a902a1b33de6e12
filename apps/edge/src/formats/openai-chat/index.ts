// The chat-completions format: the de-facto standard of most upstreams and clients.

import type { Format } from '../format';
import { createInspector } from '../inspect-response';
import { decodeError, encodeComment, encodeError, encodeStreamError } from './error';
import { decodeRequest, encodeRequest } from './request';
import { decodeReported, decodeResponse, encodeResponse } from './response';
import { serverToolsOf } from './server-tools';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';
import { createUsageTap } from './tap';

export const openaiChat: Format = {
  name: 'openai-chat',
  streamsAs: 'openai-chat',
  streamContentType: 'text/event-stream; charset=utf-8',
  decodeRequest,
  serverTools: serverToolsOf,
  encodeRequest,
  decodeResponse,
  decodeReported,
  encodeResponse,
  inspectResponse: createInspector(decodeResponse),
  createStreamDecoder,
  createStreamEncoder,
  createUsageTap,
  decodeError,
  encodeError,
  encodeStreamError,
  encodeComment,
};
