// POST /v1/audio/transcriptions and /v1/audio/translations. The transcript is the name of the file:
// `Heard speech.wav.`
//
// - The duration of a WAV file is in its header; other files have a second per 16,000 bytes.
//   Seconds are rounded up for the bill.
// - Usage is in seconds, or in tokens with the directive `usage-tokens` and in streams: ten audio
//   tokens per second, the tokens of the prompt, and those of the text.

import { emptyUsage, type BilledUsage } from '../bill';
import { openAiTroubles } from '../formats/openai-chat';
import { textOf, type JsonObject } from '../json';
import {
  EVENT_STREAM,
  invalid,
  json,
  type Call,
  type Frame,
  type Payload,
  type Problem,
  type Reply,
} from '../reply';
import { countTokens, piecesOf } from '../tokens';
import { inputOf } from '../usage';

const BYTES_PER_SECOND = 16_000;
const TOKENS_PER_SECOND = 10;

interface Hearing {
  task: 'transcribe' | 'translate';
  text: string;
  durationS: number;
  /** Rounded up. */
  seconds: number;
}

export function transcriptions(call: Call): Reply | Problem {
  return hear(call, 'transcribe');
}

export function translations(call: Call): Reply | Problem {
  return hear(call, 'translate');
}

function hear(call: Call, task: Hearing['task']): Reply | Problem {
  const { body, directives, files } = call;
  const file = files.find(({ field }) => field === 'file');
  if (file === undefined) return invalid('A file is required.', 'file', 'missing');
  const params = JSON.stringify({ ...body, filename: file.filename });
  const text = directives.params ? params : `Heard ${file.filename}.`;
  const durationS = durationOf(file.bytes);
  const seconds = Math.ceil(durationS);
  const hearing: Hearing = { task, text, durationS, seconds };
  const streamed = body['stream'] === 'true' && task === 'transcribe';
  const byTokens = directives['usage-tokens'] === true || streamed;
  const prompt = countTokens(textOf(body['prompt']));
  const usage = (generated: number): BilledUsage =>
    byTokens
      ? {
          ...emptyUsage(),
          input: directives.input ?? prompt,
          audioInput: directives['audio-input'] ?? seconds * TOKENS_PER_SECOND,
          output: generated,
        }
      : emptyUsage();
  return {
    id: `audio-${call.id}`,
    tokens: countTokens(text),
    usage,
    units: { audioSeconds: seconds },
    unary: (spent) => written(call, hearing, spent && reportOf(hearing, spent, byTokens)),
    ...(streamed
      ? {
          stream: {
            type: EVENT_STREAM,
            frames: call.directives.vllm ? chunks(call, text) : deltas(text),
            ending: (spent) => ending(call, hearing, spent),
            ...openAiTroubles(call),
          },
        }
      : {}),
  };
}

/** The duration of a WAV file: the length of its data by the bytes per second in its header. */
function durationOf(bytes: Buffer): number {
  const isWave = bytes.length >= 44 && bytes.toString('latin1', 0, 4) === 'RIFF';
  const rate = isWave ? bytes.readUInt32LE(28) : 0;
  return rate > 0 ? (bytes.length - 44) / rate : bytes.length / BYTES_PER_SECOND;
}

function reportOf({ seconds }: Hearing, usage: BilledUsage, byTokens: boolean): JsonObject {
  if (!byTokens) return { type: 'duration', seconds };
  return {
    type: 'tokens',
    input_tokens: inputOf(usage),
    input_token_details: { text_tokens: usage.input, audio_tokens: usage.audioInput },
    output_tokens: usage.output,
    total_tokens: inputOf(usage) + usage.output,
  };
}

function written(call: Call, hearing: Hearing, report: JsonObject | undefined): Payload {
  const { durationS, task, text } = hearing;
  const usage = report === undefined || task === 'translate' ? {} : { usage: report };
  const plain = (body: string): Payload => ({ type: 'text/plain; charset=utf-8', body });
  switch (textOf(call.body['response_format']) || 'json') {
    case 'text':
      return plain(`${text}\n`);
    case 'srt':
      return plain(`1\n${clock(0, ',')} --> ${clock(durationS, ',')}\n${text}\n\n`);
    case 'vtt':
      return plain(`WEBVTT\n\n${clock(0, '.')} --> ${clock(durationS, '.')}\n${text}\n\n`);
    case 'verbose_json':
      return json({ ...verbose(call, hearing), ...usage });
    default:
      return json({ text, ...usage });
  }
}

function verbose(call: Call, { durationS, task, text }: Hearing): JsonObject {
  const granularities = [call.body['timestamp_granularities']].flat();
  const segment = {
    id: 0,
    seek: 0,
    start: 0,
    end: durationS,
    text,
    tokens: [],
    temperature: 0,
    avg_logprob: -0.1,
    compression_ratio: 1,
    no_speech_prob: 0,
  };
  const language = task === 'translate' ? 'english' : textOf(call.body['language']) || 'english';
  return {
    task,
    language,
    duration: durationS,
    text,
    segments: [segment],
    ...(granularities.includes('word') ? { words: wordsOf(text, durationS) } : {}),
  };
}

function wordsOf(text: string, durationS: number): JsonObject[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const each = durationS / words.length;
  return words.map((word, at) => ({ word, start: at * each, end: (at + 1) * each }));
}

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const time = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(two).join(':');
  return `${time}${point}${String(ms % 1000).padStart(3, '0')}`;
}

function event(fields: object): string {
  return `data: ${JSON.stringify(fields)}\n\n`;
}

function* deltas(text: string): Generator<Frame> {
  for (const delta of piecesOf(text)) {
    yield { text: event({ type: 'transcript.text.delta', delta }), tokens: 1 };
  }
}

/** vLLM streams transcriptions in the format of chat. */
function chunkOf(call: Call, choices: object[], fields: object = {}): string {
  const head = { id: `trsc-${call.id}`, object: 'transcription.chunk', created: call.atS };
  return event({ ...head, model: call.model, choices, ...fields });
}

function* chunks(call: Call, text: string): Generator<Frame> {
  for (const content of piecesOf(text)) {
    yield { text: chunkOf(call, [{ delta: { content }, finish_reason: null }]), tokens: 1 };
  }
  const last = { delta: { content: '' }, finish_reason: 'stop', stop_reason: null };
  yield { text: chunkOf(call, [last]), tokens: 0 };
}

function ending(call: Call, hearing: Hearing, spent: BilledUsage | undefined): string {
  if (call.directives.vllm) {
    const asked = call.body['stream_include_usage'] === 'true' && spent !== undefined;
    const prompt_tokens = spent === undefined ? 0 : inputOf(spent);
    const completion_tokens = spent?.output ?? 0;
    const total_tokens = prompt_tokens + completion_tokens;
    const usage = { prompt_tokens, completion_tokens, total_tokens };
    return `${asked ? chunkOf(call, [], { usage }) : ''}data: [DONE]\n\n`;
  }
  const usage = spent === undefined ? {} : { usage: reportOf(hearing, spent, true) };
  return event({ type: 'transcript.text.done', text: hearing.text, ...usage });
}
