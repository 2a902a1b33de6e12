// The messages format: content blocks, a separate system prompt, streams of named events.

import type { Format } from '../format';
import { createInspector } from '../inspect-response';
import { decodeError, encodeComment, encodeError, encodeStreamError } from './error';
import { decodeRequest, encodeRequest } from './request';
import { decodeReported, decodeResponse, encodeResponse } from './response';
import { serverToolsOf } from './server-tools';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';
import { createUsageTap } from './tap';

export * from './count-tokens';

export const anthropicMessages: Format = {
  name: 'anthropic-messages',
  streamsAs: 'anthropic-messages',
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
