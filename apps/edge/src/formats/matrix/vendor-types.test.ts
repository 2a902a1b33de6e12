// Answers to clients conform to the types of the vendors' own SDKs, whichever provider gave them.
// The compiler checks each answer as a literal, so unknown fields are errors too.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ERRORS, gatewayError, type ErrorCode } from '@tollgate/contracts';
import type { GrantedModel__Output, ValidateKeyReply__Output } from '@tollgate/contracts/node';
import { goldenInputs } from '@tollgate/kit/golden';
import type { Request } from 'express';

import { FORMATS, type FormatName, type JsonObject, type ReplyContext } from '..';
import { createTranslation } from '../../operations/passage';
import { describeModels, MODEL_ROUTES } from '../../ops/models';
import { RECORDED, type Upstream } from '../test-support/recorded';
import { ANSWERS } from './test-support/answer';

const COMPILER = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

/**
 * The vendors' types, extended by the wire format: fields that the vendor sends though its types
 * lack them, and fields of the gateway that clients ignore.
 */
const PREAMBLE = `
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionMessage } from 'openai/resources/chat/completions/completions';
import type { Response, ResponseStreamEvent, ResponseTextDeltaEvent, ResponseTextDoneEvent } from 'openai/resources/responses/responses';
import type { ErrorObject } from 'openai/resources/shared';
import type { Message, MessageDeltaUsage, RawMessageDeltaEvent, RawMessageStreamEvent, Usage } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ErrorResponse } from '@anthropic-ai/sdk/resources/shared';
import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import type { Model as ChatModel } from 'openai/resources/models';
import type { GenerateContentResponse, Model as GeminiModel } from '@google/genai';

type Thinking = { index?: number } & ({ type: 'thinking'; thinking: string; signature?: string } | { type: 'redacted_thinking'; data: string });
type Image = { index?: number; type: 'image_url'; image_url: { url: string } };
type Ours = { reasoning_content?: string; thinking_blocks?: Thinking[]; images?: Image[] };
type Choice = Omit<ChatCompletion.Choice, 'message'> & { message: ChatCompletionMessage & Ours };
export type ChatAnswer = Omit<ChatCompletion, 'choices'> & { choices: Choice[] };
// The vendor's search sends its citations in deltas.
type Delta = ChatCompletionChunk.Choice.Delta & Ours & { annotations?: ChatCompletionMessage.Annotation[] };
type ChunkChoice = Omit<ChatCompletionChunk.Choice, 'delta'> & { delta: Delta };
export type ChatEvent = Omit<ChatCompletionChunk, 'choices'> & { choices: ChunkChoice[] };

// The SDK computes this field itself.
type Whole = Omit<Response, 'output_text'>;
export type ResponsesAnswer = Whole;
// The vendor sends the bytes of a token in events too.
type Logprob = ResponseTextDeltaEvent.Logprob & { bytes?: number[]; top_logprobs?: { bytes?: number[] }[] };
type OnWire<T> = T extends { response: Response }
  ? Omit<T, 'response'> & { response: Whole }
  : T extends ResponseTextDeltaEvent | ResponseTextDoneEvent ? Omit<T, 'logprobs'> & { logprobs: Logprob[] } : T;
export type ResponsesEvent = OnWire<ResponseStreamEvent>;

export type MessagesAnswer = Message;
// A translated stream has all counts at its end.
type Ended = Omit<RawMessageDeltaEvent, 'usage'> & { usage: MessageDeltaUsage & Partial<Usage> };
export type MessagesEvent = Exclude<RawMessageStreamEvent, RawMessageDeltaEvent> | Ended;

// The SDK has enumerations where the wire has text, and computes some fields itself.
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Read = 'text' | 'data' | 'functionCalls' | 'executableCode' | 'codeExecutionResult' | 'initialPromptTokenCount';
export type GeminiAnswer = Plain<Omit<GenerateContentResponse, Read>>;
export type GeminiEvent = GeminiAnswer;

export type ChatError = { error: ErrorObject & { details?: unknown } };
// Clients read the limits of models from fields that the types lack.
type Limits = { type?: string; context_window?: number | null; max_output_tokens?: number | null; root?: string; parent?: null; max_model_len?: number | null; permission?: [] };
export type ChatModels = { object: 'list'; data: (ChatModel & Limits)[] };
export type MessagesModels = { data: ModelInfo[]; has_more: boolean; first_id: string | null; last_id: string | null };
// The SDK renames this field.
export type GeminiModels = { models: (Plain<GeminiModel> & { supportedGenerationMethods: string[] })[] };
export type MessagesError = Omit<ErrorResponse, 'error'> & { error: ErrorResponse['error'] & { code: string; param?: string; details?: unknown } };
`;

interface Value {
  /** The name of the expected type. */
  type: string;
  /** The origin, for the message of a failure. */
  from: string;
  value: unknown;
}

const OPTIONS = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2024',
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
};

/** Maps the vendors' types for the compiler, whose working folder has no node_modules. */
function paths(): Record<string, string[]> {
  const folderOf = (name: string) => dirname(require.resolve(name));
  return {
    'openai/*': [join(folderOf('openai'), '*')],
    '@anthropic-ai/sdk/*': [join(folderOf('@anthropic-ai/sdk'), '*')],
    '@google/genai': [join(folderOf('@google/genai'), '..', 'genai.d.ts')],
  };
}

/** The compiler's errors for the values, each with the value's origin. */
function complaintsAbout(values: readonly Value[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'vendor-types-'));
  const lines = values.map(
    ({ type, value }, at) => `export const v${at}: ${type} = ${JSON.stringify(value)};`,
  );
  const config = { compilerOptions: { ...OPTIONS, paths: paths() } };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'values.ts'), [PREAMBLE, ...lines].join('\n'));
  try {
    execFileSync(process.execPath, [COMPILER, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return [];
  } catch (error) {
    const said = String((error as { stdout?: unknown }).stdout ?? error);
    return said.split('\n').flatMap((line) => named(line, values));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const FIRST_LINE = PREAMBLE.split('\n').length + 1;

/** Indented lines continue the error before them, and are left out. */
function named(line: string, values: readonly Value[]): string[] {
  if (line === '' || line.startsWith(' ')) return [];
  const [, place, message] = /values\.ts\((\d+),\d+\): (.*)$/.exec(line) ?? [];
  const value = values[Number(place) - FIRST_LINE];
  return [value ? `${value.from}: ${message}` : line];
}

const CLIENTS = {
  'openai-chat': 'Chat',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  'gemini-generate': 'Gemini',
} as const satisfies Partial<Record<FormatName, string>>;
type ClientName = keyof typeof CLIENTS;
const clients = Object.keys(CLIENTS) as ClientName[];

const context: ReplyContext = {
  requestId: 'req-1',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 1_700_000_000,
  includeUsage: true,
};

interface Told<T> {
  format: FormatName;
  from: string;
  said: T;
}

/** Every recorded answer, or stream, of every upstream. */
function recorded(kind: 'answers' | 'streams'): Told<Buffer>[] {
  return Object.entries(RECORDED).flatMap(([name, folder]) =>
    goldenInputs(join(folder, kind)).map((file) => ({
      format: name as Upstream,
      from: `${name}/${file}`,
      said: readFileSync(join(folder, kind, file)),
    })),
  );
}

const own = Object.values(ANSWERS);

function wholes(): Told<unknown>[] {
  const files = recorded('answers').map((one) => ({
    ...one,
    said: JSON.parse(one.said.toString()) as unknown,
  }));
  return [
    ...files,
    ...own.map(({ format, answer }) => ({ format, from: format, said: answer.whole })),
  ];
}

function streams(): Told<Buffer>[] {
  const said = ({ stream }: { stream: string }) => Buffer.from(stream);
  return [
    ...recorded('streams'),
    ...own.map(({ format, answer }) => ({ format, from: format, said: said(answer) })),
  ];
}

function eventsIn(text: string): JsonObject[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') return [];
    return [JSON.parse(line.slice('data: '.length)) as JsonObject];
  });
}

/** An answer in the client's own format is passed on unchanged, so it has no case. */
function toOthers<T>(answers: Told<T>[], client: ClientName): Told<T>[] {
  return answers.filter(({ format }) => format !== client);
}

function answersAtOnce(): Value[] {
  return clients.flatMap((client) =>
    toOthers(wholes(), client).map(({ format, from, said }) => ({
      type: `${CLIENTS[client]}Answer`,
      from: `at once, ${from} to ${client}`,
      value: FORMATS[client].encodeResponse(FORMATS[format].decodeResponse(said), context),
    })),
  );
}

function answersPieceByPiece(): Value[] {
  return clients.flatMap((client) =>
    toOthers(streams(), client).flatMap(({ format, from, said }) => {
      const translation = createTranslation(FORMATS[client], FORMATS[format], context);
      const out = Buffer.concat([...translation.push(said), ...translation.finish()]).toString();
      return eventsIn(out).map((value) => ({
        type: `${CLIENTS[client]}Event`,
        from: `piece by piece, ${from} to ${client}`,
        value,
      }));
    }),
  );
}

function errors(): Value[] {
  const types = {
    'openai-chat': 'ChatError',
    'openai-responses': 'ChatError',
    'anthropic-messages': 'MessagesError',
  } as const;
  return (Object.keys(ERRORS) as ErrorCode[]).flatMap((code) => {
    const error = gatewayError(code, undefined, { param: 'x', details: { limit: 1 } });
    return Object.entries(types).map(([client, type]) => ({
      type,
      from: `error, ${code} to ${client}`,
      value: FORMATS[client as FormatName].encodeError(error, { requestId: 'req-1' }).body,
    }));
  });
}

const model: GrantedModel__Output = {
  id: 'm1',
  name: 'chat',
  type: 'chat',
  provider: 'provider_a',
  contextTokens: 128_000,
  createdAtMs: 1_700_000_000_000,
  defaultMaxOutputTokens: 4_096,
  displayName: '',
  inputTokenLimit: 0,
  outputTokenLimit: 0,
  families: 'unified,openai,anthropic,gemini',
  retirement: null,
};

/** The list of models, in the shape of each family of clients. */
function lists(): Value[] {
  const asking: [from: string, type: string, headers: Record<string, string>][] = [
    ['openai', 'ChatModels', {}],
    ['anthropic', 'MessagesModels', { 'anthropic-version': '2023-06-01' }],
    ['gemini', 'GeminiModels', { 'x-goog-api-key': 'k' }],
  ];
  const models = [model, { ...model, provider: 'provider_d' }];
  return asking.flatMap(([from, type, headers]) => {
    const req = { headers, query: {} } as unknown as Request;
    return MODEL_ROUTES.filter(({ path }) => path === '/v1/models').map(({ shape }) => ({
      type,
      from: `list, ${from}`,
      value: describeModels(shape(req), { models } as ValidateKeyReply__Output, 0),
    }));
  });
}

/** Answers that violate the vendors' types. */
function mistakes(): Value[] {
  const { chat } = ANSWERS;
  if (!chat) return [];
  const response = FORMATS[chat.format].decodeResponse(chat.answer.whole);
  return clients.flatMap((client) => {
    const answer = FORMATS[client].encodeResponse(response, context);
    const list = Object.keys(answer).find((name) => Array.isArray(answer[name])) ?? '';
    const usage = Object.keys(answer).find((name) => name.startsWith('usage')) ?? '';
    return [
      { ...answer, of_our_own: 1 },
      { ...answer, [list]: [{ surprise: true }] },
      { ...answer, [usage]: { tokens: 1 } },
    ].map((value, at) => ({
      type: `${CLIENTS[client]}Answer`,
      from: `mistake, ${client} ${at}`,
      value,
    }));
  });
}

// The compiler starts slowly, so one run checks all values.
let complaints: readonly string[] = [];
beforeAll(() => {
  const values = [answersAtOnce(), answersPieceByPiece(), errors(), lists(), mistakes()].flat();
  complaints = complaintsAbout(values);
});

test('answers, errors and lists conform to the types of the SDKs', () => {
  expect(complaints.filter((line) => !line.startsWith('mistake, '))).toEqual([]);
});

test('the compiler rejects violations', () => {
  const found = new Set(complaints.map((line) => line.split(':')[0]));
  for (const { from } of mistakes()) expect(found).toContain(from);
});
