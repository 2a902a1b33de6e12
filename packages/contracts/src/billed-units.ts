import type { Unit } from './units';

// Everything that a supported upstream bills. docs/billed-units.md is written from this table.
// Tests in edge and policy prove for each row that something is held, or that it says why not.

/** What a request is held and charged by: a class of tokens, or a unit beside tokens. */
export type BilledBy = Unit | 'input tokens' | 'audio input tokens' | 'output tokens';

export interface BilledUnit {
  readonly id: string;
  readonly vendor: string;
  readonly what: string;
  readonly by: BilledBy;
  /** What bounds it before the call, and whether the upstream is told. */
  readonly bound: string;
  readonly held: string;
  /** Where the real count is read. */
  readonly read: string;
  /** Why nothing is held. Absent: something is. */
  readonly why?: string;
}

const MODEL_BOUND = 'the model’s `maxToolCalls`';

export const BILLED_UNITS: readonly BilledUnit[] = [
  {
    id: 'input',
    vendor: 'all',
    what: 'input: text, images, documents; read from a cache or written to one',
    by: 'input tokens',
    bound: 'the request itself',
    held: 'an estimate that leans high, at the dearest price of the list but that of audio',
    read: '`usage`, by class; what is above the estimate is booked and reported as a shortfall',
  },
  {
    id: 'audio_input',
    vendor: 'OpenAI, Gemini, vLLM',
    what: 'spoken input',
    by: 'audio input tokens',
    bound: 'the request itself',
    held: 'an estimate from the size of the sound, at the price of audio',
    read: '`usage` by modality',
  },
  {
    id: 'output',
    vendor: 'all',
    what: 'output: text, reasoning, audio, images',
    by: 'output tokens',
    bound: 'the request’s own bound, else the model’s, sent upstream',
    held: 'the bound, times the answers asked for, at the dearest of the prices of text and images, and of audio if it is asked for; long streams hold it in steps',
    read: '`usage`, by modality',
  },
  {
    id: 'image',
    vendor: 'OpenAI, vLLM and look-alikes `/v1/images/*`',
    what: 'generated images',
    by: 'image_high_1024x1024',
    bound: '`n`',
    held: 'the images asked for, by size and quality, where the model has a unit price',
    read: 'the images of the answer',
  },
  {
    id: 'image_output',
    vendor: 'OpenAI and look-alikes `/v1/images/*`',
    what: 'images that are billed in tokens',
    by: 'output tokens',
    bound: '`n`; the tokens of an image cannot be bounded',
    held: 'the tokens of that size and quality (`auto`: the highest), where the model has a price for output',
    read: '`usage`, text and images apart',
  },
  {
    id: 'audio_second',
    vendor: 'OpenAI, vLLM and look-alikes `/v1/audio/transcriptions`, `/v1/audio/translations`',
    what: 'heard sound',
    by: 'audio_second',
    bound: 'the length of the file',
    held: 'the most seconds that a file of this size can have',
    read: '`usage.seconds`, `duration`, the last timestamp',
  },
  {
    id: 'character',
    vendor: 'OpenAI, vLLM and look-alikes `/v1/audio/speech`',
    what: 'text turned into speech',
    by: 'character',
    bound: 'the text',
    held: 'its characters',
    read: 'the same characters',
  },
  {
    id: 'document',
    vendor: 'vLLM and look-alikes, score and rerank',
    what: 'documents compared',
    by: 'document',
    bound: 'the documents of the request',
    held: 'their number',
    read: 'the same number',
  },
  {
    id: 'anthropic_web_search',
    vendor: 'Anthropic messages',
    what: 'web search',
    by: 'web_search',
    bound: `\`max_uses\`, else ${MODEL_BOUND}, sent as \`max_uses\``,
    held: 'that many searches, and 8,000 tokens of input each',
    read: '`usage.server_tool_use.web_search_requests`; in a stream that breaks, the searches begun',
  },
  {
    id: 'anthropic_web_fetch',
    vendor: 'Anthropic messages',
    what: 'web fetch, which is billed by its tokens alone',
    by: 'input tokens',
    bound: `\`max_uses\`, else ${MODEL_BOUND}, sent as \`max_uses\``,
    held: '`max_content_tokens` of input for each page, at most 25,000',
    read: '`usage`',
  },
  {
    id: 'anthropic_code',
    vendor: 'Anthropic messages',
    what: 'code execution; free beside `web_search_20260209`, `web_fetch_20260209` and newer',
    by: 'code_execution',
    bound: 'one container a request; how long it runs cannot be bounded, so price it generously',
    held: 'one container, and 2,000 tokens of input for each call',
    read: '`usage.server_tool_use.code_execution_requests`, else a code execution block',
  },
  {
    id: 'anthropic_mcp',
    vendor: 'Anthropic messages',
    what: 'MCP connectors, which are billed by their tokens alone',
    by: 'input tokens',
    bound: `${MODEL_BOUND}, which the format cannot say`,
    held: '2,000 tokens of input for each call',
    read: '`usage`',
  },
  {
    id: 'anthropic_compaction',
    vendor: 'Anthropic messages',
    what:
      'compaction of the context (`compaction`, `compact_20260112`); steps of a price apply to all tokens of the ' +
      'request together',
    by: 'input tokens',
    bound: 'one compaction a request; tools of the provider may bring about more, which are booked',
    held: 'the input once more, and 8,000 tokens of input for the summary',
    read: '`usage.iterations` of the type `compaction`, which the other counts leave out',
  },
  {
    id: 'anthropic_unknown',
    vendor: 'Anthropic messages',
    what: 'any other tool of the provider’s',
    by: 'tool_call',
    bound: `${MODEL_BOUND}, which is not sent`,
    held: 'that many calls, and 8,000 tokens of input each',
    read: 'not counted: what its calls cost is not known here',
  },
  {
    id: 'responses_web_search',
    vendor: 'OpenAI responses',
    what: 'web search',
    by: 'web_search',
    bound: `\`max_tool_calls\`, else ${MODEL_BOUND}, sent as \`max_tool_calls\`; shared by all tools`,
    held: 'all calls as those of the dearest tool, and 8,000 tokens of input each',
    read: '`web_search_call` items that search; opening a page is free',
  },
  {
    id: 'responses_file_search',
    vendor: 'OpenAI responses',
    what: 'file search',
    by: 'file_search',
    bound: '`max_tool_calls`, as for web search',
    held: 'as for web search, with 16,000 tokens of input each',
    read: '`file_search_call` items',
  },
  {
    id: 'responses_code',
    vendor: 'OpenAI responses',
    what: 'code interpreter, hosted shell',
    by: 'code_execution',
    bound: 'one container for each tool',
    held: 'one container, and 2,000 tokens of input for each call',
    read: 'distinct containers of `code_interpreter_call` and `shell_call` items',
  },
  {
    id: 'responses_image',
    vendor: 'OpenAI responses',
    what: 'image generation as a tool',
    by: 'image',
    bound: '`max_tool_calls`, as for web search',
    held: 'that many pictures of the size and quality asked for, or of the dearest',
    read: '`image_generation_call` items, by size and quality',
  },
  {
    id: 'responses_mcp',
    vendor: 'OpenAI responses',
    what: 'MCP servers, which are billed by their tokens alone',
    by: 'input tokens',
    bound: '`max_tool_calls`, as for web search',
    held: '2,000 tokens of input for each call',
    read: '`usage`',
  },
  {
    id: 'responses_unknown',
    vendor: 'OpenAI responses',
    what: 'any other tool of the provider’s',
    by: 'tool_call',
    bound: '`max_tool_calls`, as for web search',
    held: 'that many calls, and 8,000 tokens of input each',
    read: 'other `…_call` items',
  },
  {
    id: 'responses_prompt',
    vendor: 'OpenAI responses',
    what: 'a stored prompt, which may bring tools of its own',
    by: 'web_search',
    bound: '`max_tool_calls`, as for web search',
    held: 'all calls as those of the dearest tool that the model has a price for; not their tokens',
    read: 'the items of the answer',
  },
  {
    id: 'chat_web_search',
    vendor: 'OpenAI chat and look-alikes',
    what: 'web search by `web_search_options`, `search_parameters`, `plugins` or a tool of the server’s',
    by: 'web_search',
    bound: `${MODEL_BOUND}, which the format cannot say`,
    held: 'that many searches, and 8,000 tokens of input each',
    read:
      '`usage.server_tool_use.web_search_requests` or `usage.num_search_queries`; else one search for ' +
      'each request with `web_search_options`',
  },
  {
    id: 'chat_search_model',
    vendor: 'OpenAI chat',
    what: 'models that search whether they are asked to or not',
    by: 'web_search',
    bound: 'one search a request',
    held: 'nothing by this unit',
    read: 'not told in the answer',
    why: 'neither request nor answer shows it; set `perRequestUsd` of the model, which is held and charged',
  },
  {
    id: 'gemini_search',
    vendor: 'Gemini',
    what: 'grounding with Google Search (`googleSearch`, `googleSearchRetrieval`, `enterpriseWebSearch`)',
    by: 'web_search',
    bound: `${MODEL_BOUND}, which the format cannot say; 1 is right for models before the third generation`,
    held: 'that many queries, and 8,000 tokens of input each',
    read: '`groundingMetadata.webSearchQueries`; before the third generation one for each grounded answer',
  },
  {
    id: 'gemini_maps',
    vendor: 'Gemini',
    what: 'grounding with Google Maps',
    by: 'maps_search',
    bound: `${MODEL_BOUND}, which the format cannot say`,
    held: 'that many searches, and 2,000 tokens of input each',
    read: 'one for each answer whose `groundingChunks` cite a map',
  },
  {
    id: 'gemini_tokens',
    vendor: 'Gemini',
    what: 'code execution, URL context and file search, which are billed by their tokens alone',
    by: 'input tokens',
    bound: `${MODEL_BOUND}, which the format cannot say`,
    held: '2,000, 25,000 and 16,000 tokens of input for each call',
    read: '`toolUsePromptTokenCount`',
  },
  {
    id: 'gemini_cached',
    vendor: 'Gemini',
    what: 'cached content, which may bring tools of its own',
    by: 'web_search',
    bound: `${MODEL_BOUND}, which the format cannot say`,
    held: 'all calls as those of the dearest tool that the model has a price for; not their tokens',
    read: 'as for grounding',
  },
  {
    id: 'gemini_unknown',
    vendor: 'Gemini',
    what: 'any other tool of the provider’s',
    by: 'tool_call',
    bound: `${MODEL_BOUND}, which the format cannot say`,
    held: 'that many calls, and 8,000 tokens of input each',
    read: 'not counted: what its calls cost is not known here',
  },
  {
    id: 'client_tools',
    vendor: 'all',
    what: 'functions, computer use, browsers, shells and editors that the client runs',
    by: 'input tokens',
    bound: 'the next request, which brings their results',
    held: 'nothing beyond the request itself',
    read: '`usage`',
    why: 'the provider runs nothing; their results are the input of a request that is held by itself',
  },
  {
    id: 'storage',
    vendor: 'OpenAI, Anthropic, Gemini',
    what: 'storage: files, vector stores, cached content by the hour',
    by: 'input tokens',
    bound: 'nothing in a request',
    held: 'nothing',
    read: 'not told in an answer',
    why: 'it is billed by time to the provider’s account, made by routes that the gateway does not serve',
  },
];
