// Generation settings, decoded and encoded: sampling, response format, output bound, voice.

import type { DropList } from '../drop-list';
import type { TargetContext } from '../format';
import { isObject, objectOf, present, textOf } from '../json';
import type { JsonObject, NormalisedRequest, ResponseFormat, Sampling } from '../normalised';
import type { Generation } from './dialects';
import { toJsonSchema } from './json-schema';
import { addOtherFields, fieldOf } from './names';
import { decodeThinking, encodeThinking } from './thinking';
import { CONFIG_FIELDS, type WireGenerationConfig } from './wire';

const PATH = 'generationConfig';

type Config = Partial<NormalisedRequest> & { sampling: Sampling };

export function decodeConfig(
  wire: WireGenerationConfig | null | undefined,
  extras: JsonObject,
): Config {
  if (!wire) return { sampling: {} };
  addOtherFields(wire, CONFIG_FIELDS, PATH, extras);
  const modalities = wire.responseModalities?.map((kind) => kind.toLowerCase());
  return {
    sampling: decodeSampling(wire),
    ...decodeThinking(wire.thinkingConfig, extras),
    ...present({
      n: wire.candidateCount,
      maxOutputTokens: wire.maxOutputTokens,
      responseFormat: decodeResponseFormat(wire, extras),
      modalities: modalities && modalities.length > 0 ? modalities : undefined,
      audioOutput: decodeSpeech(wire.speechConfig, extras),
    }),
  };
}

function decodeSampling(wire: WireGenerationConfig): Sampling {
  const { temperature, topP, topK, seed, presencePenalty, frequencyPenalty } = wire;
  return present({
    temperature,
    topP,
    topK,
    stop: wire.stopSequences,
    presencePenalty,
    frequencyPenalty,
    seed,
    logprobs: wire.responseLogprobs,
    topLogprobs: wire.logprobs,
  });
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';

/** The format has no schema name, which other formats require. */
const SCHEMA_NAME = 'answer';

/** The path of the client's response format. */
export function formPath(wire: WireGenerationConfig | null | undefined): string {
  if (isObject(wire?.responseJsonSchema)) return `${PATH}.responseJsonSchema`;
  const typed = !wire?.responseSchema && wire?.responseMimeType;
  return typed ? `${PATH}.responseMimeType` : `${PATH}.responseSchema`;
}

function decodeResponseFormat(
  wire: WireGenerationConfig,
  extras: JsonObject,
): ResponseFormat | undefined {
  const { responseMimeType: type, responseSchema, responseJsonSchema: newer } = wire;
  const schema = isObject(newer)
    ? newer
    : responseSchema
      ? toJsonSchema(responseSchema)
      : undefined;
  if (type === JSON_TYPE) {
    if (schema === undefined) return { type: 'json_object' };
    return { type: 'json_schema', name: SCHEMA_NAME, schema };
  }
  if (schema !== undefined) extras[formPath(wire)] = schema;
  if (!type || type === TEXT_TYPE) return type ? { type: 'text' } : undefined;
  extras[`${PATH}.responseMimeType`] = type;
  return undefined;
}

const SPEECH = `${PATH}.speechConfig`;
const SPEECH_FIELDS: ReadonlySet<string> = new Set(['voiceConfig']);
const VOICE_FIELDS: ReadonlySet<string> = new Set(['prebuiltVoiceConfig']);

function decodeSpeech(
  wire: WireGenerationConfig['speechConfig'],
  extras: JsonObject,
): JsonObject | undefined {
  if (!wire) return undefined;
  addOtherFields(wire, SPEECH_FIELDS, SPEECH, extras);
  const voice = wire.voiceConfig ?? {};
  addOtherFields(voice, VOICE_FIELDS, `${SPEECH}.voiceConfig`, extras);
  const named = wire.voiceConfig?.prebuiltVoiceConfig?.voiceName;
  return named ? { voice: named, format: PLAIN_FORMAT } : undefined;
}

/** The only audio format of the vendor's models. */
const PLAIN_FORMAT = 'pcm16';

export function encodeConfig(
  request: NormalisedRequest,
  target: TargetContext,
  generation: Generation,
  detail: string | undefined,
  drops: DropList,
): JsonObject {
  const { modalities, n } = request;
  const spoken = modalities?.some((kind) => kind !== 'text') ?? false;
  return present({
    ...encodeSampling(request.sampling, drops),
    ...encodeResponseFormat(request.responseFormat),
    candidateCount: n > 1 ? n : undefined,
    maxOutputTokens: target.maxOutputTokens ?? request.maxOutputTokens,
    responseModalities: spoken ? modalities?.map((kind) => kind.toUpperCase()) : undefined,
    speechConfig: encodeSpeech(request.audioOutput, drops),
    thinkingConfig: encodeThinking(request, generation, target.model, drops),
    mediaResolution: detail && `MEDIA_RESOLUTION_${detail.toUpperCase()}`,
  });
}

const SEED_LIMIT = 2 ** 31;

function isSeed(seed: unknown): seed is number {
  return typeof seed === 'number' && seed < SEED_LIMIT && seed >= -SEED_LIMIT;
}

function encodeSampling(sampling: Sampling, drops: DropList): JsonObject {
  const { temperature, topP, topK, stop, presencePenalty, frequencyPenalty, logprobs } = sampling;
  let { seed } = sampling;
  if (seed !== undefined && !isSeed(seed)) {
    drops.drop('seed');
    seed = undefined;
  }
  if (Object.keys(sampling.logitBias ?? {}).length > 0) drops.drop('logit_bias');
  return present({
    temperature,
    topP,
    topK,
    stopSequences: stop && stop.length > 0 ? stop : undefined,
    presencePenalty,
    frequencyPenalty,
    seed,
    responseLogprobs: logprobs,
    logprobs: logprobs === true ? sampling.topLogprobs : undefined,
  });
}

/** The vendor enforces every response schema, strict or not. */
function encodeResponseFormat(format: ResponseFormat | undefined): JsonObject {
  if (format === undefined) return {};
  if (format.type === 'text') return { responseMimeType: TEXT_TYPE };
  if (format.type === 'json_object') return { responseMimeType: JSON_TYPE };
  const { schema, description } = format;
  if (schema === undefined) return { responseMimeType: JSON_TYPE };
  return {
    responseMimeType: JSON_TYPE,
    responseJsonSchema: { ...present({ description }), ...schema },
  };
}

function encodeSpeech(audio: JsonObject | undefined, drops: DropList): JsonObject | undefined {
  if (audio === undefined) return undefined;
  const { voice, format, ...others } = audio;
  for (const name of Object.keys(others)) drops.drop(`audio.${name}`);
  if (format !== undefined && format !== PLAIN_FORMAT) drops.drop('audio.format');
  const voiceName = textOf(voice) ?? textOf(objectOf(voice)?.['id']);
  if (voiceName === undefined) {
    if (voice !== undefined) drops.drop('audio.voice');
    return undefined;
  }
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName } } };
}

/** The client's own configuration, with another output bound. */
export function withOutputBound(config: unknown, bound: number): JsonObject {
  const fields = objectOf(config) ?? {};
  const snake = fieldOf(fields, 'maxOutputTokens') !== undefined && !('maxOutputTokens' in fields);
  return { ...fields, [snake ? 'max_output_tokens' : 'maxOutputTokens']: bound };
}
