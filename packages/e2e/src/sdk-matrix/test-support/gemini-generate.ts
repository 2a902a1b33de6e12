// The driver of Google's SDK. It does not parse structured output: an application parses the text.

import type {
  Content,
  GenerateContentConfig,
  GenerateContentResponse,
  GoogleGenAI,
  Part as WirePart,
} from '@google/genai';
import { z } from 'zod';

import {
  FORECAST,
  objectIn,
  textIn,
  type Part,
  type Refusal,
  type Said,
  type Sdk,
  type Settings,
} from './sdk';

export interface GenAiPackage {
  readonly GoogleGenAI: typeof GoogleGenAI;
  readonly ApiError: new (info: { message: string; status: number }) => Error & { status: number };
  readonly ThinkingLevel: { readonly LOW: NonNullable<Thinking['thinkingLevel']> };
}
type Thinking = NonNullable<GenerateContentConfig['thinkingConfig']>;

export function geminiGenerate(name: string, newest: boolean, vendor: GenAiPackage): Sdk {
  return {
    name,
    newest,
    format: 'gemini-generate',
    open: ({ url, key, retries, headers, fetch }) => {
      const client = new vendor.GoogleGenAI({
        apiKey: key,
        httpOptions: {
          baseUrl: url,
          fetch,
          ...(retries === undefined ? {} : { retryOptions: { attempts: retries + 1 } }),
          ...(headers === undefined ? {} : { headers: { ...headers } }),
        },
      });
      return {
        converse: (settings) => converse(client, vendor, settings),
        unknownRoute: () => client.files.list(),
      };
    },
    refusalOf: (error) => refusalOf(vendor, error),
    stopWords: {
      stop: 'STOP',
      length: 'MAX_TOKENS',
      tool_calls: 'STOP',
      stop_sequence: 'STOP',
      refusal: 'SAFETY',
      filter: 'SAFETY',
    },
    errors: {
      400: ['ApiError', 'INVALID_ARGUMENT'],
      401: ['ApiError', 'UNAUTHENTICATED'],
      402: ['ApiError', 'FAILED_PRECONDITION'],
      403: ['ApiError', 'PERMISSION_DENIED'],
      404: ['ApiError', 'NOT_FOUND'],
      429: ['ApiError', 'RESOURCE_EXHAUSTED'],
      502: ['ApiError', 'UNAVAILABLE'],
      503: ['ApiError', 'UNAVAILABLE'],
    },
    ownTypes: { provider_auth_failed: 'INTERNAL', upstream_timeout: 'DEADLINE_EXCEEDED' },
    midStream: ['ApiError', 'UNAVAILABLE'],
  };
}

/** The SDK uses the body as the message, with its own prefix inside a stream. */
function refusalOf(vendor: GenAiPackage, error: unknown): Refusal {
  if (!(error instanceof vendor.ApiError)) throw error;
  const body = objectIn(objectIn(JSON.parse(error.message.replace(/^[^{]*/, '')))['error']);
  const details = Array.isArray(body['details']) ? body['details'].map(objectIn) : [];
  const [info] = details;
  return {
    error: error.constructor.name,
    status: error.status,
    code: textIn(info?.['reason']),
    type: textIn(body['status']),
    param: textIn(objectIn(info?.['metadata'])['param']),
    message: textIn(body['message']) ?? '',
  };
}

function converse(client: GoogleGenAI, vendor: GenAiPackage, settings: Settings) {
  const { model } = settings;
  const contents: Content[] = [];
  let last: Said | undefined;

  async function turn(): Promise<Said> {
    const params = { model, contents, config: configOf(settings, vendor) };
    const pieces: GenerateContentResponse[] = [];
    if (settings.stream) {
      for await (const piece of await client.models.generateContentStream(params)) {
        pieces.push(piece);
      }
    } else pieces.push(await client.models.generateContent(params));
    const parts = pieces.flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? []);
    contents.push({ role: 'model', parts });
    last = saidIn(parts, pieces, settings);
    return last;
  }

  return {
    ask: (parts: readonly Part[]) => {
      contents.push({ role: 'user', parts: parts.map(partOf) });
      return turn();
    },
    answer: (result: (call: Said['calls'][number]) => string) => {
      const parts = (last?.calls ?? []).map((call) => ({
        functionResponse: { id: call.id, name: call.name, response: { output: result(call) } },
      }));
      contents.push({ role: 'user', parts });
      return turn();
    },
  };
}

function configOf(settings: Settings, { ThinkingLevel }: GenAiPackage): GenerateContentConfig {
  const { tools, structured, thinks, maxTokens, stopSequence, malformed } = settings;
  const wrong: object = malformed ? { temperature: 'hot' } : {};
  return {
    ...(tools === undefined
      ? {}
      : {
          tools: [
            {
              functionDeclarations: tools.map(({ name, parameters }) => ({
                name,
                parametersJsonSchema: parameters,
              })),
            },
          ],
        }),
    ...(structured
      ? {
          responseMimeType: 'application/json',
          responseJsonSchema: z.toJSONSchema(FORECAST, { target: 'draft-7' }),
        }
      : {}),
    ...(thinks
      ? { thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true } }
      : {}),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(stopSequence === undefined ? {} : { stopSequences: [stopSequence] }),
    ...wrong,
  };
}

function partOf(part: Part): WirePart {
  if (typeof part === 'string') return { text: part };
  const data = /^data:image\/png;base64,(.*)$/.exec(part.image)?.[1];
  const mimeType = 'image/png';
  return data === undefined
    ? { fileData: { fileUri: part.image, mimeType } }
    : { inlineData: { data, mimeType } };
}

function saidIn(
  parts: readonly WirePart[],
  pieces: readonly GenerateContentResponse[],
  { structured }: Settings,
): Said {
  const usage = pieces.findLast((piece) => piece.usageMetadata)?.usageMetadata;
  if (usage === undefined) throw new Error('no usage');
  const textOf = (thought: boolean): string =>
    parts.map((part) => ((part.thought ?? false) === thought ? (part.text ?? '') : '')).join('');
  const cacheRead = usage.cachedContentTokenCount ?? 0;
  const reasoning = usage.thoughtsTokenCount ?? 0;
  const text = textOf(false);
  return {
    text,
    thinking: textOf(true),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : [
            {
              id: functionCall.id ?? '',
              name: functionCall.name ?? '',
              input: functionCall.args,
            },
          ],
    ),
    stop: pieces.at(-1)?.candidates?.[0]?.finishReason ?? '',
    usage: {
      input: (usage.promptTokenCount ?? 0) - cacheRead,
      cacheRead,
      output: (usage.candidatesTokenCount ?? 0) + reasoning,
      reasoning,
    },
    ...(structured ? { parsed: JSON.parse(text) as unknown } : {}),
  };
}
