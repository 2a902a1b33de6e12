// Embeddings in two formats. If client and upstream share a format, request and answer are relayed
// unchanged; otherwise the codecs translate both.

import {
  EMBEDDINGS,
  FORMATS,
  type DecodeContext,
  type EmbeddingsCodec,
  type EmbeddingsRequest,
  type FormatName,
} from '../formats';
import { estimateContent } from '../formats/estimate';
import { outputText } from '../formats/estimate/input-text';
import type { AnswerBody } from '../upstream/answer-body';
import { inputAndOutput, notAnAnswer, objectIn } from './answer';
import { codecTarget } from './chat';
import { estimateInput } from './fields';
import type { Inlet } from './inlet';
import type { Answered, Job, ProviderAdapter, Target } from './job';
import { numbersJob } from './vectors';

const JSON_TYPE = 'application/json';

export function embeddings(inlet: Inlet, name: FormatName, context: DecodeContext): Job {
  const client = codecOf(name);
  const request = client.decodeRequest(inlet.fields, context);
  const estimate = estimateOf(request);
  const { adapter, ...job } = numbersJob(inlet, estimate);
  return {
    ...job,
    model: request.model,
    provider: request.provider,
    ...(request.format === 'gemini-generate' ? { inputText: () => textIn(request) } : {}),
    adapter: (target) => {
      const upstream = codecOf(target.endpoint.format);
      // Relayed byte for byte, with fields that only this server knows.
      if (upstream === client && request.format === 'openai-chat') return adapter(target);
      return spoken({ client, upstream, request, estimate }, target);
    },
  };
}

interface Sides {
  client: EmbeddingsCodec;
  upstream: EmbeddingsCodec;
  request: EmbeddingsRequest;
  estimate: number;
}

function spoken({ client, upstream, request, estimate }: Sides, target: Target): ProviderAdapter {
  const same = upstream === client;
  const uncounted = { estimate: inputAndOutput(estimate, 0), said: nothing };
  return {
    encode: () => {
      const { body, dropped } = upstream.encodeRequest(request, codecTarget(target));
      const common = { contentType: JSON_TYPE, accept: JSON_TYPE, batch: request.batch };
      return { ...common, body: { document: body }, dropped };
    },
    follow: () => undefined,
    countsOnly: same,
    read: (answer): Answered =>
      same ? relayed(upstream, answer, uncounted) : translated(answer, uncounted),
    refused: (...answer) => FORMATS[target.endpoint.format].decodeError(...answer),
  };

  function translated(answer: AnswerBody, report: Answered['report']): Answered {
    const { vectors, usage } = upstream.decode(answer.json(), request.inputs.length);
    return {
      body: (charged) =>
        JSON.stringify(client.encode({ vectors, usage: charged }, request, target.context.model)),
      contentType: JSON_TYPE,
      report: { ...report, ...(usage ? { usage } : {}) },
    };
  }
}

function relayed(
  upstream: EmbeddingsCodec,
  answer: AnswerBody,
  report: Answered['report'],
): Answered {
  const usage = upstream.usageIn(objectIn(answer));
  return {
    body: answer.bytes,
    contentType: JSON_TYPE,
    report: { ...report, ...(usage ? { usage } : {}) },
  };
}

/** Vectors are not text, so only the input is counted. */
function nothing() {
  return { texts: [], otherTokens: 0 };
}

function codecOf(name: FormatName): EmbeddingsCodec {
  const codec = EMBEDDINGS[name];
  if (!codec) throw notAnAnswer(`${name} has no embeddings`);
  return codec;
}

/** Tokens around each input. */
const INPUT_TOKENS = 2;

function estimateOf({ format, inputs, raw }: EmbeddingsRequest): number {
  if (format === 'openai-chat') return estimateInput(raw['input']);
  return inputs.reduce((sum, { content }) => sum + INPUT_TOKENS + estimateContent(content), 0);
}

function textIn({ inputs }: EmbeddingsRequest) {
  return { ...outputText(inputs.map(({ content }) => content)), soundTokens: 0 };
}
