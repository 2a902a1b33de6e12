// POST /v1/audio/speech: 1,000 bytes of audio per input token, as bytes or as events.

import { emptyUsage } from '../bill';
import { openAiTroubles } from '../formats/openai-chat';
import { textOf, type JsonObject } from '../json';
import { EVENT_STREAM, invalid, type Call, type Frame, type Problem, type Reply } from '../reply';
import { characters, countTokens } from '../tokens';

const BYTES_PER_TOKEN = 1_000;
const MAX_CHARACTERS = 4_096;

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

export function speech(call: Call): Reply | Problem {
  const { body, directives } = call;
  const input = textOf(body['input']);
  const length = characters(input);
  if (length === 0 || length > MAX_CHARACTERS) {
    return invalid(`The input has 1 to ${MAX_CHARACTERS} characters.`, 'input');
  }
  const type = TYPES[textOf(body['response_format']) || 'mp3'];
  if (type === undefined) return invalid('There is no such format.', 'response_format');
  const tokens = countTokens(input);
  const events = body['stream_format'] === 'sse';
  const usage = (generated: number) => ({
    ...emptyUsage(),
    input: directives.input ?? tokens,
    audioOutput: generated,
  });
  const reported = (): JsonObject => {
    const { audioOutput: output_tokens, input: input_tokens } = usage(tokens);
    return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  };
  return {
    id: `speech-${call.id}`,
    tokens,
    usage,
    units: { characters: length },
    unary: () => ({ type, body: Buffer.concat([...sound(tokens)]) }),
    stream: events
      ? {
          type: EVENT_STREAM,
          frames: soundEvents(tokens),
          ending: (spent) =>
            event('speech.audio.done', spent === undefined ? {} : { usage: reported() }),
          ...openAiTroubles(call),
        }
      : {
          type,
          frames: soundFrames(tokens),
          ending: () => '',
          problem: () => undefined,
          garbage: '',
          keepAlive: '',
        },
  };
}

/** Recognisable bytes: the number of the token, repeated. */
function* sound(tokens: number): Generator<Buffer> {
  for (let token = 0; token < tokens; token++) yield Buffer.alloc(BYTES_PER_TOKEN, token % 256);
}

function* soundFrames(tokens: number): Generator<Frame> {
  for (const text of sound(tokens)) yield { text, tokens: 1 };
}

function* soundEvents(tokens: number): Generator<Frame> {
  for (const bytes of sound(tokens)) {
    yield { text: event('speech.audio.delta', { audio: bytes.toString('base64') }), tokens: 1 };
  }
}

function event(type: string, fields: object): string {
  return `data: ${JSON.stringify({ type, ...fields })}\n\n`;
}
