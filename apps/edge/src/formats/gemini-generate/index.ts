// The generate-content format: contents of parts, candidates, the model named by the path. A stream is
// server-sent events where the client asks for them (`alt=sse`), and one JSON array where it does not,
// which is a format of its own here and differs in nothing else.

import type { Format } from '../format';
import { decodeError, encodeComment, encodeError, errorFrame } from './error';
import { ARRAY, EVENTS, type Framing } from './framing';
import { createInspector } from '../inspect-response';
import { decodeRequest, encodeRequest } from './request';
import { decodeResponse, encodeResponse } from './response';
import { serverToolsOf } from './server-tools';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';
import { createUsageTap } from './tap';

export * from './count-tokens';

function framedAs(framing: Framing) {
  return {
    decodeRequest,
    serverTools: serverToolsOf,
    encodeRequest,
    decodeResponse,
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

/** An upstream's stream is passed on by this format's own tap, which puts its pieces in an array. */
export const geminiGenerateArray: Format = {
  name: 'gemini-generate-array',
  streamsAs: 'gemini-generate',
  streamContentType: 'application/json; charset=utf-8',
  ...framedAs(ARRAY),
};
