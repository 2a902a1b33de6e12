// Defines what each operation reads from a request, relays, and reads from the answer; one file per
// family. Conversations go through the codecs of `formats`; all others are relayed. A new operation
// is a function and a row here.

import { gatewayError, type Operation } from '@tollgate/contracts';

import { FORMATS, type DecodeContext, type FormatName, type JsonObject } from '../formats';
import type { Form } from '../uploads';
import { chatJob } from './chat';
import { completions } from './completions';
import { countTokensJob } from './count-tokens';
import { embeddings } from './embeddings';
import { hearing } from './hearing';
import { imageEdit, imageGeneration, imageVariation } from './images';
import { formInlet, jsonInlet, type Inlet } from './inlet';
import type { Job } from './job';
import { moderation } from './moderation';
import { refuseOtherModels } from './other-models';
import { compaction, responseInputTokens } from './response-tokens';
import { speech } from './speech';
import { isStored, storedJob, type StoredInlet, type StoredOperation } from './stored';
import { detokenize, tokenize } from './tokens';
import { pooled, rerank, score } from './vectors';

export type * from './job';
export type { StoredInlet } from './stored';

/** A received body. */
export type Received = { json: JsonObject; bytes: Buffer } | { form: Form } | StoredInlet;

type Spoken = (format: FormatName, body: JsonObject, context: DecodeContext) => Job;

const chat: Spoken = (name, body, context) => {
  const format = FORMATS[name];
  return chatJob({ format, request: format.decodeRequest(body, context) });
};

/** Operations with a codec for each format. */
const SPOKEN = { chat, responses: chat, count_tokens: countTokensJob } as const;

type BodyKind = 'json' | 'form';

const JSON_ONLY: readonly BodyKind[] = ['json'];
const FORM_ONLY: readonly BodyKind[] = ['form'];

/** Relayed operations, and the body types that they accept. */
const RELAYED: Readonly<
  Record<
    Exclude<Operation, keyof typeof SPOKEN | StoredOperation>,
    {
      takes: readonly BodyKind[];
      read: (inlet: Inlet, format: FormatName, context: DecodeContext) => Job;
    }
  >
> = {
  completions: { takes: JSON_ONLY, read: completions },
  embeddings: { takes: JSON_ONLY, read: embeddings },
  image_generation: { takes: JSON_ONLY, read: imageGeneration },
  image_edit: { takes: ['form', 'json'], read: imageEdit },
  image_variation: { takes: FORM_ONLY, read: imageVariation },
  moderation: { takes: JSON_ONLY, read: moderation },
  transcription: { takes: FORM_ONLY, read: hearing },
  translation: { takes: FORM_ONLY, read: hearing },
  speech: { takes: JSON_ONLY, read: speech },
  tokenize: { takes: JSON_ONLY, read: tokenize },
  detokenize: { takes: JSON_ONLY, read: detokenize },
  pooling: { takes: JSON_ONLY, read: pooled },
  classify: { takes: JSON_ONLY, read: pooled },
  score: { takes: JSON_ONLY, read: score },
  rerank: { takes: JSON_ONLY, read: rerank },
  response_input_tokens: { takes: JSON_ONLY, read: responseInputTokens },
  response_compact: { takes: JSON_ONLY, read: compaction },
};

function isSpoken(operation: Operation): operation is keyof typeof SPOKEN {
  return Object.hasOwn(SPOKEN, operation);
}

/** Whether the body may be relayed byte for byte. Conversations are always re-encoded. */
export function needsBytes(operation: Operation): boolean {
  return !isSpoken(operation);
}

const FORM_TYPE = /^multipart\/form-data\b/i;

/**
 * Whether a body of this content type is read as a form.
 * @throws GatewayError `invalid_request` if the operation does not accept the content type
 */
export function comesAsForm(operation: Operation, contentType: string): boolean {
  const takes = isSpoken(operation) || isStored(operation) ? JSON_ONLY : RELAYED[operation].takes;
  const form = FORM_TYPE.test(contentType);
  if (takes.includes(form ? 'form' : 'json')) return form;
  const wanted = form ? 'JSON' : 'multipart/form-data';
  throw gatewayError('invalid_request', `The body must be sent as ${wanted}.`, {
    param: 'content-type',
  });
}

/** @throws GatewayError `invalid_request`, `unsupported_parameter`, naming the field */
export function readJob(
  operation: Operation,
  format: FormatName,
  received: Received,
  context: DecodeContext,
): Job {
  if (isSpoken(operation)) {
    if (!('json' in received)) throw gatewayError('internal_error');
    refuseOtherModels(received.json);
    return SPOKEN[operation](format, received.json, context);
  }
  if (isStored(operation) || 'ids' in received) {
    if (!isStored(operation) || !('ids' in received)) throw gatewayError('internal_error');
    return storedJob(operation, received);
  }
  const inlet =
    'form' in received ? formInlet(received.form) : jsonInlet(received.json, received.bytes);
  refuseOtherModels(inlet.fields);
  return RELAYED[operation].read(inlet, format, context);
}
