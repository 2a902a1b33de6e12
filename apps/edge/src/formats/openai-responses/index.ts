// The responses format: the newer of the de-facto standard's two, in which an answer is a list of
// items. Errors before an answer, and comments, are those of the chat format.

import type { Format } from '../format';
import { createInspector } from '../inspect-response';
import { isObject, present } from '../json';
import { decodeError, encodeComment, encodeError } from '../openai-chat/error';
import { parseAnswer } from '../upstream-error';
import { encodeStreamError } from './error';
import { outputItemIds } from './output-ids';
import { decodeRequest, encodeRequest } from './request';
import { decodeReported, decodeResponse, encodeResponse } from './response';
import { serverToolsOf } from './server-tools';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';
import { createUsageTap } from './tap';

const inspect = createInspector(decodeResponse);

export const openaiResponses: Format = {
  name: 'openai-responses',
  streamsAs: 'openai-responses',
  tellsFailure: true,
  streamContentType: 'text/event-stream; charset=utf-8',
  decodeRequest,
  serverTools: serverToolsOf,
  encodeRequest,
  decodeResponse,
  decodeReported,
  encodeResponse,
  inspectResponse: (bytes, parsed) => {
    const response = parsed ?? parseAnswer(bytes);
    const itemIds = isObject(response) ? outputItemIds(response) : undefined;
    return { ...inspect(bytes, response), ...present({ itemIds }) };
  },
  createStreamDecoder,
  createStreamEncoder,
  createUsageTap,
  decodeError,
  encodeError,
  encodeStreamError,
  encodeComment,
};
