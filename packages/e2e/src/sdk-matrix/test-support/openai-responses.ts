// The driver of OpenAI's SDK for stateless responses, with sealed reasoning that is returned.

import type OpenAI from 'openai';
import type { zodTextFormat } from 'openai/helpers/zod';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';

import { FailedResponse, openAi } from './openai';
import { FORECAST, objectIn, textIn, type Part, type Said, type Sdk, type Settings } from './sdk';

export interface OpenAiPackage {
  readonly OpenAI: typeof OpenAI;
  readonly zodTextFormat: typeof zodTextFormat;
}

export function openAiResponses(name: string, newest: boolean, vendor: OpenAiPackage): Sdk {
  return {
    name,
    newest,
    format: 'openai-responses',
    ...openAi(vendor.OpenAI, (client, settings) => converse(client, vendor, settings)),
    stopWords: {
      stop: 'completed',
      length: 'incomplete: max_output_tokens',
      tool_calls: 'completed',
      stop_sequence: 'completed',
      refusal: 'completed',
      filter: 'incomplete: content_filter',
    },
    midStream: ['FailedResponse', undefined],
  };
}

function converse(client: OpenAI, vendor: OpenAiPackage, settings: Settings) {
  const input: ResponseInputItem[] = [];
  let last: Said | undefined;

  async function turn(): Promise<Said> {
    const params = { ...paramsOf(settings, vendor), input };
    const response = settings.stream
      ? await client.responses.stream({ ...params, stream: true }).finalResponse()
      : await client.responses.parse(params);
    if (response.error) {
      throw new FailedResponse(response.error.message, textIn(objectIn(response.error)['type']));
    }
    // An answer's items are valid input, though the SDK has two types for them.
    input.push(...(response.output as ResponseInputItem[]));
    last = { ...saidIn(response), parsed: response.output_parsed };
    return last;
  }

  return {
    ask: (parts: readonly Part[]) => {
      input.push({ role: 'user', content: parts.map(contentOf) });
      return turn();
    },
    answer: (result: (call: Said['calls'][number]) => string) => {
      for (const call of last?.calls ?? []) {
        input.push({ type: 'function_call_output', call_id: call.id, output: result(call) });
      }
      return turn();
    },
  };
}

type Params = Omit<ResponseCreateParamsNonStreaming, 'input'>;

function paramsOf(settings: Settings, { zodTextFormat }: OpenAiPackage): Params {
  const { model, tools, structured, thinks, maxTokens, malformed } = settings;
  const wrong: object = malformed ? { temperature: 'hot' } : {};
  return {
    model,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map((tool) => ({ type: 'function', strict: true, ...plain(tool) })),
        }),
    ...(structured ? { text: { format: zodTextFormat(FORECAST, 'forecast') } } : {}),
    ...(thinks ? { reasoning: { effort: 'low', summary: 'auto' } } : {}),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...wrong,
  };
}

/** The SDK requires mutable parameters. */
function plain({ name, parameters }: NonNullable<Settings['tools']>[number]) {
  return { name, parameters: { ...parameters } };
}

function contentOf(part: Part): ResponseInputContent {
  return typeof part === 'string'
    ? { type: 'input_text', text: part }
    : { type: 'input_image', image_url: part.image, detail: 'auto' };
}

function saidIn(response: Response): Said {
  const { usage, output } = response;
  if (!usage) throw new Error('no usage');
  const cacheRead = usage.input_tokens_details.cached_tokens;
  const contents = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return {
    text: contents.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join(''),
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? [item.content ?? [], item.summary] : []))
      .flat()
      .map(({ text }) => text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    stop: [response.status, response.incomplete_details?.reason].filter((word) => word).join(': '),
    usage: {
      input: usage.input_tokens - cacheRead,
      cacheRead,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details.reasoning_tokens,
    },
  };
}
