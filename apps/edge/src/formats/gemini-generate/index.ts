// The generate-content format: contents with parts, candidates, the model in the path. A stream is
// server-sent events if the client asks for them (`alt=sse`), otherwise one JSON array. The array
// is a separate format here that differs only in framing.

import type { Format } from '../format';
import { createInspector } from '../inspect-response';
import { decodeError, encodeComment, encodeError, errorFrame } from './error';
import { ARRAY, EVENTS, type Framing } from './framing';
import { decodeRequest, encodeRequest } from './request';
import { decodeReported, decodeResponse, encodeResponse } from './response';
import { serverToolsOf } from './server-tools';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';
import { createUsageTap } from './tap';

export * from './count-tokens';

function framedAs(framing: Framing) {
  return {
    tellsFailure: true,
    decodeRequest,
    serverTools: serverToolsOf,
    encodeRequest,
    decodeResponse,
    decodeReported,
    encodeResponse,
    inspectResponse: createInspector(decodeResponse),
    createStreamDecoder,
    createStreamEncoder: (context) => createStreamEncoder(context, framing),
    createUsageTap: (options) => createUsageTap(options, framing),
    decodeError,
    encodeError,
    encodeStreamError: (error, context) => framing.last(errorFrame(error, context)),
    encodeComment,
  } satisfies Partial<Format>;
}

export const geminiGenerate: Format = {
  name: 'gemini-generate',
  streamsAs: 'gemini-generate',
  streamContentType: 'text/event-stream',
  ...framedAs(EVENTS),
};

/** The tap of this format passes an upstream's stream on as elements of an array. */
export const geminiGenerateArray: Format = {
  name: 'gemini-generate-array',
  streamsAs: 'gemini-generate',
  streamContentType: 'application/json; charset=utf-8',
  ...framedAs(ARRAY),
};
