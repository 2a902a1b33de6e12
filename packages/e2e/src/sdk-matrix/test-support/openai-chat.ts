// The driver of OpenAI's SDK for chat completions.

import type OpenAI from 'openai';
import type { zodResponseFormat } from 'openai/helpers/zod';
import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';

import { openAi } from './openai';
import { FORECAST, objectIn, textIn, type Part, type Said, type Sdk, type Settings } from './sdk';

export interface OpenAiPackage {
  readonly OpenAI: typeof OpenAI;
  readonly zodResponseFormat: typeof zodResponseFormat;
}

export function openAiChat(name: string, newest: boolean, vendor: OpenAiPackage): Sdk {
  return {
    name,
    newest,
    format: 'openai-chat',
    ...openAi(vendor.OpenAI, (client, settings) => converse(client, vendor, settings)),
    stopWords: {
      stop: 'stop',
      length: 'length',
      tool_calls: 'tool_calls',
      stop_sequence: 'stop',
      refusal: 'stop',
      filter: 'content_filter',
    },
    midStream: ['APIError', 'server_error'],
  };
}

function converse(client: OpenAI, vendor: OpenAiPackage, settings: Settings) {
  const messages: ChatCompletionMessageParam[] = [];
  let last: Said | undefined;

  async function turn(): Promise<Said> {
    const params = { ...paramsOf(settings, vendor), messages };
    const { completion, extra } = settings.stream
      ? await streamed(client, params)
      : { completion: await whole(client, settings, params), extra: {} };
    const [choice] = completion.choices;
    if (choice === undefined) throw new Error('no choice');
    const message = { ...choice.message, ...extra };
    messages.push(message);
    last = saidIn(completion, message);
    return last;
  }

  return {
    ask: (parts: readonly Part[]) => {
      messages.push({ role: 'user', content: contentOf(parts) });
      return turn();
    },
    answer: (result: (call: Said['calls'][number]) => string) => {
      for (const call of last?.calls ?? []) {
        messages.push({ role: 'tool', tool_call_id: call.id, content: result(call) });
      }
      return turn();
    },
  };
}

type Params = Omit<ChatCompletionCreateParamsNonStreaming, 'messages'>;

function paramsOf(settings: Settings, { zodResponseFormat }: OpenAiPackage): Params {
  const { model, tools, structured, thinks, maxTokens, stopSequence, malformed } = settings;
  const wrong: object = malformed ? { temperature: 'hot' } : {};
  return {
    model,
    ...(tools === undefined
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(structured ? { response_format: zodResponseFormat(FORECAST, 'forecast') } : {}),
    ...(thinks ? { reasoning_effort: 'low' } : {}),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(stopSequence === undefined ? {} : { stop: [stopSequence] }),
    ...wrong,
  };
}

function contentOf(parts: readonly Part[]): string | ChatCompletionContentPart[] {
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'string') return first;
  return parts.map((part) =>
    typeof part === 'string'
      ? { type: 'text', text: part }
      : { type: 'image_url', image_url: { url: part.image } },
  );
}

/**
 * The SDK raises for a parsed answer that is cut off or filtered, so parsing is used only on
 * demand.
 */
function whole(
  client: OpenAI,
  { structured }: Settings,
  params: ChatCompletionCreateParamsNonStreaming,
): Promise<ChatCompletion> {
  const { completions } = client.chat;
  return structured ? completions.parse(params) : completions.create(params);
}

/**
 * The SDK assembles text, refusals and calls. Thinking is not part of the vendor's own format, so
 * an application assembles it from the chunks, and returns it as blocks.
 */
async function streamed(client: OpenAI, params: ChatCompletionCreateParamsNonStreaming) {
  const stream = client.chat.completions.stream({
    ...params,
    stream: true,
    stream_options: { include_usage: true },
  });
  let thinking = '';
  const blocks: Record<string, unknown>[] = [];
  stream.on('chunk', ({ choices }) => {
    const delta = objectIn(choices[0]?.delta);
    thinking += textIn(delta['reasoning_content']) ?? '';
    for (const block of Array.isArray(delta['thinking_blocks']) ? delta['thinking_blocks'] : []) {
      blocks.push({ thinking: blocks.length === 0 ? thinking : '', ...objectIn(block) });
    }
  });
  const completion = await stream.finalChatCompletion();
  return {
    completion,
    extra: {
      ...(thinking === '' ? {} : { reasoning_content: thinking }),
      ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    },
  };
}

function saidIn(completion: ChatCompletion, message: object): Said {
  const [choice] = completion.choices;
  const { usage } = completion;
  if (choice === undefined || !usage) throw new Error('no choice or no usage');
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const said = objectIn(message);
  return {
    text: choice.message.content || choice.message.refusal || '',
    thinking: textIn(said['reasoning_content']) ?? '',
    calls: (choice.message.tool_calls ?? []).map((call) => {
      if (call.type !== 'function') throw new Error('no call of a function');
      const input: unknown = JSON.parse(call.function.arguments);
      return { id: call.id, name: call.function.name, input };
    }),
    stop: choice.finish_reason,
    usage: {
      input: usage.prompt_tokens - cacheRead,
      cacheRead,
      output: usage.completion_tokens,
      reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    parsed: said['parsed'],
  };
}
