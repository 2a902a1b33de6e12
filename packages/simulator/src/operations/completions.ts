// POST /v1/completions: each prompt gets `n` answers, as a message would.

import { answerTo, type Answer } from '../answer';
import type { Ask } from '../ask';
import type { BilledUsage } from '../bill';
import { openAiTroubles, usageWish } from '../formats/openai-chat';
import { textsIn } from '../formats/openai-chat/request';
import { lastFrame } from '../formats/openai-chat/response';
import { chatUsage } from '../formats/openai-chat/usage';
import { countOf, objectOf, without, type JsonObject } from '../json';
import {
  EVENT_STREAM,
  invalid,
  json,
  type Call,
  type Frame,
  type Problem,
  type Reply,
} from '../reply';
import { usageOf } from '../usage';
import { inputsOf } from './embeddings';

const USUAL_BOUND = 16;

interface Choice {
  answer: Answer;
  /** The prompt, if the request asks for an echo. */
  echo: string;
}

export function completions(call: Call): Reply | Problem {
  const { body, directives } = call;
  const prompts = inputsOf(body['prompt']);
  if (prompts === undefined) return invalid('A prompt is required.', 'prompt', 'missing');
  const n = Math.max(1, countOf(body['n']) ?? 1);
  const choices = prompts.flatMap(({ text }, at) =>
    Array.from({ length: n }, (): Choice => {
      const answer = answerTo(askOf(body, text), directives, `${call.id}_${at}`);
      return { answer, echo: body['echo'] === true ? text : '' };
    }),
  );
  const text = prompts.reduce((sum, { tokens }) => sum + tokens, 0);
  const reasoning = choices.reduce((sum, { answer }) => sum + answer.reasoningTokens, 0);
  const usage = (generated: number) =>
    usageOf({ text, audio: 0 }, directives, generated, { reasoning });
  const id = `cmpl-${call.id}`;
  const whole = (rows: JsonObject[], fields: object): JsonObject => ({
    id,
    object: 'text_completion',
    created: call.atS,
    model: call.model,
    choices: rows,
    ...fields,
  });
  const wish = usageWish(call);
  const frame = (rows: JsonObject[], fields: object = {}): string =>
    `data: ${JSON.stringify(whole(rows, fields))}\n\n`;
  const field = (generated: number): object => {
    if (wish === 'none') return {};
    return { usage: wish === 'running' ? chatUsage(usage(generated)) : null };
  };
  return {
    id,
    tokens: choices.reduce((sum, { answer }) => sum + answer.outputTokens, 0),
    usage,
    unary: (reported) => json(whole(choices.map(wholeRow(body)), usageField(reported))),
    ...(body['stream'] === true
      ? {
          stream: {
            type: EVENT_STREAM,
            frames: frames(choices, (row, generated) => frame([row], field(generated))),
            ending: (reported) =>
              (wish !== 'none' && reported ? frame([], usageField(reported)) : '') +
              lastFrame(directives),
            ...openAiTroubles(call),
          },
        }
      : {}),
  };
}

function usageField(usage: BilledUsage | undefined): object {
  return usage === undefined ? {} : { usage: chatUsage(usage) };
}

function askOf(body: JsonObject, text: string): Ask {
  const format = objectOf(body['response_format']);
  const schema = objectOf(format?.['json_schema'])?.['schema'] ?? body['guided_json'];
  return {
    said: { by: 'user', text },
    tools: [],
    choice: { mode: 'none', parallel: true },
    ...(schema === undefined ? {} : { json: { schema } }),
    stops: textsIn(body['stop']),
    bound: countOf(body['max_tokens']) ?? USUAL_BOUND,
    thinks: false,
    cites: false,
    choices: 1,
    params: without(body, ['prompt']),
    count: { text: 0, audio: 0 },
  };
}

function finishOf({ finishReason, finishWord }: Answer): string {
  return finishWord ?? (finishReason === 'length' ? 'length' : 'stop');
}

function wholeRow(body: JsonObject) {
  return ({ answer, echo }: Choice, index: number): JsonObject => ({
    index,
    text: echo + answer.pieces.join(''),
    logprobs: countOf(body['logprobs']) === undefined ? null : logprobsOf(answer.pieces),
    finish_reason: finishOf(answer),
  });
}

function logprobsOf(tokens: string[]): JsonObject {
  let offset = 0;
  const text_offset = tokens.map((token) => (offset += token.length) - token.length);
  return { tokens, token_logprobs: tokens.map(() => -0.1), top_logprobs: null, text_offset };
}

function* frames(
  choices: Choice[],
  frame: (row: JsonObject, generated: number) => string,
): Generator<Frame> {
  let generated = 0;
  for (const [index, { answer, echo }] of choices.entries()) {
    const row = (text: string, finish_reason: string | null = null): JsonObject => ({
      index,
      text,
      logprobs: null,
      finish_reason,
    });
    if (echo !== '') yield { text: frame(row(echo), generated), tokens: 0 };
    for (let thought = 0; thought < answer.reasoningTokens; thought++) {
      generated += 1;
      yield { text: '', tokens: 1 };
    }
    for (const piece of answer.pieces) {
      generated += 1;
      yield { text: frame(row(piece), generated), tokens: 1 };
    }
    yield { text: frame(row('', finishOf(answer)), generated), tokens: 0 };
  }
}
