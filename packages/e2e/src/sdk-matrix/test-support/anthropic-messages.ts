// The driver of Anthropic's SDK.

import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import type {
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';

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

const MAX_TOKENS = 4_000;

export const anthropicMessages: Sdk = {
  name: 'anthropic',
  newest: true,
  format: 'anthropic-messages',
  open: ({ url, key, retries, headers, fetch }) => {
    const client = new Anthropic({
      baseURL: url,
      apiKey: key,
      fetch,
      logLevel: 'off',
      ...(retries === undefined ? {} : { maxRetries: retries }),
      ...(headers === undefined ? {} : { defaultHeaders: headers }),
    });
    return {
      converse: (settings) => converse(client, settings),
      unknownRoute: () => client.messages.batches.list(),
    };
  },
  refusalOf,
  stopWords: {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    stop_sequence: 'stop_sequence',
    refusal: 'refusal',
    filter: 'refusal',
  },
  errors: {
    400: ['BadRequestError', 'invalid_request_error'],
    401: ['AuthenticationError', 'authentication_error'],
    402: ['PaymentRequiredError', 'billing_error'],
    403: ['PermissionDeniedError', 'permission_error'],
    404: ['NotFoundError', 'not_found_error'],
    429: ['RateLimitError', 'rate_limit_error'],
    502: ['InternalServerError', 'api_error'],
    503: ['ServiceUnavailableError', 'overloaded_error'],
  },
  ownTypes: { upstream_timeout: 'timeout_error' },
  midStream: ['APIError', 'api_error'],
};

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof APIError)) throw error;
  const { status, type, message } = error;
  const body = objectIn(objectIn(error.error)['error']);
  return {
    error: error.constructor.name,
    status,
    code: textIn(body['code']),
    type: type ?? undefined,
    param: textIn(body['param']),
    message,
  };
}

function converse(client: Anthropic, settings: Settings) {
  const messages: MessageParam[] = [];
  let last: Said | undefined;

  async function turn(): Promise<Said> {
    const params = { ...paramsOf(settings), messages };
    const message = settings.stream
      ? await client.messages.stream(params).finalMessage()
      : await client.messages.parse(params);
    messages.push({ role: 'assistant', content: message.content });
    last = { ...saidIn(message), parsed: message.parsed_output };
    return last;
  }

  return {
    ask: (parts: readonly Part[]) => {
      messages.push({ role: 'user', content: parts.map(blockOf) });
      return turn();
    },
    answer: (result: (call: Said['calls'][number]) => string) => {
      const content = (last?.calls ?? []).map((call) => ({
        type: 'tool_result' as const,
        tool_use_id: call.id,
        content: result(call),
      }));
      messages.push({ role: 'user', content });
      return turn();
    },
  };
}

type Params = Omit<MessageCreateParamsNonStreaming, 'messages'>;

function paramsOf(settings: Settings): Params {
  const { model, tools, structured, thinks, maxTokens, stopSequence, malformed } = settings;
  const wrong: object = malformed ? { temperature: 'hot' } : {};
  return {
    model,
    max_tokens: maxTokens ?? MAX_TOKENS,
    ...(tools === undefined
      ? {}
      : { tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })) }),
    ...(structured ? { output_config: { format: zodOutputFormat(FORECAST) } } : {}),
    ...(thinks ? { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } } : {}),
    ...(stopSequence === undefined ? {} : { stop_sequences: [stopSequence] }),
    ...wrong,
  };
}

function blockOf(part: Part): ContentBlockParam {
  if (typeof part === 'string') return { type: 'text', text: part };
  const inline = /^data:image\/png;base64,(.*)$/.exec(part.image)?.[1];
  return {
    type: 'image',
    source:
      inline === undefined
        ? { type: 'url', url: part.image }
        : { type: 'base64', media_type: 'image/png', data: inline },
  };
}

function saidIn({ content, usage, stop_reason }: Message): Said {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [block] : [])),
    stop: stop_reason ?? '',
    usage: {
      input: usage.input_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}
