// The input items of the responses format.

import type {
  EasyInputMessage,
  ResponseInputContent,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';

import { ANYWAY, declared, honoured, refused, type KindOf, type Rows } from './matrix';
import { elsewhere, raw, row } from './responses';

const user: EasyInputMessage = { role: 'user', content: 'Hi' };
const plain = { input: [user] };
const after = (...items: ResponseInputItem[]) => row({ input: [user, ...items] }, plain);
/** Items of the vendor's own tools, which only the vendor can read. */
const hosted = (type: string) =>
  raw({ input: [user, { type, id: 'x_1' }] }, plain)(elsewhere(declared(`input[1].${type}`)));

const call = { type: 'function_call' as const, call_id: 'c1', name: 'f', arguments: '{"a":1}' };
const free = { type: 'custom_tool_call' as const, call_id: 'c1', name: 'c', input: 'x' };
const tools = [{ type: 'function' as const, name: 'f', parameters: null, strict: false }];

export const RESPONSES_ITEMS = {
  message: [
    after({ type: 'message', role: 'assistant', content: 'Yes.' })({
      chat: honoured({ '/messages/1': { role: 'assistant', content: 'Yes.' } }),
      messages: honoured({ '/messages/1': { role: 'assistant', content: 'Yes.' } }),
      gemini: honoured({ '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }] } }),
    }),
    row(
      { input: [{ role: 'system', content: 'Be brief.' }, user] },
      plain,
    )({
      chat: honoured({
        '/messages': [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      messages: honoured({ '/system': 'Be brief.' }),
      gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
    }),
    row(
      { input: [{ role: 'developer', content: 'Be brief.' }, user] },
      plain,
    )({
      chat: honoured({
        '/messages': [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      server: honoured({
        '/messages': [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      messages: honoured({ '/system': 'Be brief.' }),
      gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
    }),
  ],
  function_call: row(
    { input: [user, call], tools },
    { ...plain, tools },
  )({
    chat: honoured({
      '/messages/1': {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }],
      },
    }),
    gemini: honoured({
      '/contents/1': {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'c1', name: 'f', args: { a: 1 } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
    }),
  }),
  function_call_output: row(
    { input: [user, call, { type: 'function_call_output', call_id: 'c1', output: '2' }], tools },
    { input: [user, call], tools },
  )({
    chat: honoured({ '/messages/2': { role: 'tool', tool_call_id: 'c1', content: '2' } }),
    messages: honoured({
      '/messages/2': {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: '2' }],
      },
    }),
    gemini: honoured({
      '/contents/2': {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: '2' } } }],
      },
    }),
  }),
  custom_tool_call: after(free)({
    chat: honoured({
      '/messages/1': {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'c', input: 'x' } }],
      },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'c', input: { input: 'x' } }],
      },
      '/tools': [{ name: 'c', input_schema: { type: 'object' } }],
      '/tool_choice': { type: 'none' },
    }),
    gemini: honoured({
      '/contents/1': {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'c1', name: 'c', args: { input: 'x' } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
    }),
  }),
  custom_tool_call_output: row(
    { input: [user, free, { type: 'custom_tool_call_output', call_id: 'c1', output: '2' }] },
    { input: [user, free] },
  )({
    chat: honoured({ '/messages/2': { role: 'tool', tool_call_id: 'c1', content: '2' } }),
    messages: honoured({
      '/messages/2': {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: '2' }],
      },
    }),
    gemini: honoured({
      '/contents/2': {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'c', response: { output: '2' } } }],
      },
    }),
  }),
  reasoning: 'OTHER_ROWS',
  item_reference: after({ type: 'item_reference', id: 'msg_1' })(
    elsewhere(refused('input[1].item_reference')),
  ),
  compaction: raw(
    { input: [user, { type: 'compaction', encrypted_content: 'x' }] },
    plain,
  )(elsewhere(refused('input[1].compaction'))),
  additional_tools: hosted('additional_tools'),
  apply_patch_call: hosted('apply_patch_call'),
  apply_patch_call_output: hosted('apply_patch_call_output'),
  code_interpreter_call: hosted('code_interpreter_call'),
  compaction_trigger: hosted('compaction_trigger'),
  computer_call: hosted('computer_call'),
  computer_call_output: hosted('computer_call_output'),
  configuration_update: hosted('configuration_update'),
  file_search_call: hosted('file_search_call'),
  image_generation_call: hosted('image_generation_call'),
  local_shell_call: hosted('local_shell_call'),
  local_shell_call_output: hosted('local_shell_call_output'),
  mcp_approval_request: hosted('mcp_approval_request'),
  mcp_approval_response: hosted('mcp_approval_response'),
  mcp_call: hosted('mcp_call'),
  mcp_list_tools: hosted('mcp_list_tools'),
  program: hosted('program'),
  program_output: hosted('program_output'),
  shell_call: hosted('shell_call'),
  shell_call_output: hosted('shell_call_output'),
  tool_search_call: hosted('tool_search_call'),
  tool_search_output: hosted('tool_search_output'),
  web_search_call: hosted('web_search_call'),
} satisfies Record<KindOf<ResponseInputItem>, Rows>;

export const RESPONSES_MESSAGE = {
  type: row({ input: [{ type: 'message', ...user }] }, plain)(elsewhere(ANYWAY)),
  role: 'OTHER_ROWS',
  content: 'OTHER_ROWS',
  phase: row(
    { input: [user, { role: 'assistant', content: 'Yes.', phase: 'commentary' }] },
    { input: [user, { role: 'assistant', content: 'Yes.' }] },
  )(elsewhere(declared('input[1].phase'))),
} satisfies Record<keyof EasyInputMessage, Rows>;

const thought: ResponseReasoningItem = { type: 'reasoning', id: 'rs_1', summary: [] };
const thinks = (fields: Partial<ResponseReasoningItem>) => after({ ...thought, ...fields });

export const RESPONSES_REASONING_ITEM = {
  type: 'OTHER_ROWS',
  id: 'OTHER_ROWS',
  summary: thinks({ summary: [{ type: 'summary_text', text: 'Hm.' }] })({
    chat: declared('input[1].thinking'),
    server: honoured({
      '/messages/1': { role: 'assistant', content: null, reasoning_content: 'Hm.' },
    }),
    messages: declared('input[1].thinking'),
    gemini: honoured({ '/contents/1': { role: 'model', parts: [{ text: 'Hm.', thought: true }] } }),
  }),
  content: thinks({ content: [{ type: 'reasoning_text', text: 'Hm.' }] })({
    chat: declared('input[1].thinking'),
    server: honoured({
      '/messages/1': { role: 'assistant', content: null, reasoning_content: 'Hm.' },
    }),
    messages: declared('input[1].thinking'),
    gemini: honoured({ '/contents/1': { role: 'model', parts: [{ text: 'Hm.', thought: true }] } }),
  }),
  encrypted_content: thinks({ encrypted_content: 'sealed' })({
    chat: declared('input[1].encrypted_content', 'input[1].thinking'),
    server: declared('input[1].encrypted_content'),
    messages: declared('input[1].encrypted_content', 'input[1].thinking'),
    gemini: declared('input[1].encrypted_content'),
  }),
  status: 'OTHER_ROWS',
} satisfies Record<keyof ResponseReasoningItem, Rows>;

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const hi: ResponseInputText = { type: 'input_text', text: 'Hi' };
const there: ResponseInputText = { type: 'input_text', text: 'there' };
const said = (...parts: ResponseInputContent[]) => ({
  input: [{ role: 'user' as const, content: [hi, there, ...parts] }],
});
const part = (added: ResponseInputContent) => row(said(added), said());

export const RESPONSES_TEXT_PART = {
  type: 'OTHER_ROWS',
  text: part(hi)({
    chat: honoured({ '/messages/0/content/2': { type: 'text', text: 'Hi' } }),
    messages: honoured({ '/messages/0/content/2': { type: 'text', text: 'Hi' } }),
    gemini: honoured({ '/contents/0/parts/2': { text: 'Hi' } }),
  }),
  prompt_cache_breakpoint: row(
    said({ ...hi, prompt_cache_breakpoint: { mode: 'explicit' } }),
    said(hi),
  )(elsewhere(declared('input[0].content[2].prompt_cache_breakpoint'))),
} satisfies Record<keyof ResponseInputText, Rows>;

const image: ResponseInputImage = { type: 'input_image', image_url: PIXEL, detail: 'auto' };

export const RESPONSES_IMAGE_PART = {
  type: 'OTHER_ROWS',
  image_url: part({ ...image, image_url: 'https://example.com/a.png' })({
    chat: honoured({
      '/messages/0/content/2': {
        type: 'image_url',
        image_url: { url: 'https://example.com/a.png' },
      },
    }),
    messages: honoured({
      '/messages/0/content/2': {
        type: 'image',
        source: { type: 'url', url: 'https://example.com/a.png' },
      },
    }),
    gemini: honoured({
      '/contents/0/parts/2': {
        fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' },
      },
    }),
  }),
  file_id: part({ type: 'input_image', file_id: 'file_1', detail: 'auto' })(
    elsewhere(declared('input[0].input_image')),
  ),
  detail: row(
    said({ ...image, detail: 'low' }),
    said(image),
  )({
    chat: honoured({ '/messages/0/content/2/image_url/detail': 'low' }),
    messages: declared('input[0].image.detail'),
    gemini: honoured({ '/generationConfig': { mediaResolution: 'MEDIA_RESOLUTION_LOW' } }),
  }),
  prompt_cache_breakpoint: row(
    said({ ...image, prompt_cache_breakpoint: { mode: 'explicit' } }),
    said(image),
  )(elsewhere(declared('input[0].content[2].prompt_cache_breakpoint'))),
} satisfies Record<keyof ResponseInputImage, Rows>;

const pdf: ResponseInputFile = {
  type: 'input_file',
  file_data: 'data:application/pdf;base64,JVBE',
  filename: 'a.pdf',
};
const { filename: _, ...unnamed } = pdf;

export const RESPONSES_FILE_PART = {
  type: 'OTHER_ROWS',
  file_data: part(pdf)({
    chat: honoured({
      '/messages/0/content/2': {
        type: 'file',
        file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      },
    }),
    messages: honoured({
      '/messages/0/content/2': {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'a.pdf',
      },
    }),
    gemini: honoured(
      { '/contents/0/parts/2': { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } } },
      'input[0].file.filename',
    ),
  }),
  filename: row(
    said({ ...unnamed, filename: 'b.pdf' }),
    said(unnamed),
  )({
    chat: honoured({ '/messages/0/content/2/file/filename': 'b.pdf' }),
    messages: honoured({ '/messages/0/content/2/title': 'b.pdf' }),
    gemini: declared('input[0].file.filename'),
  }),
  file_id: part({ type: 'input_file', file_id: 'file_1' })({
    chat: honoured({ '/messages/0/content/2': { type: 'file', file: { file_id: 'file_1' } } }),
    messages: honoured({
      '/messages/0/content/2': { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    }),
    gemini: declared('input[0].file'),
  }),
  file_url: part({ type: 'input_file', file_url: 'https://example.com/a.pdf' })({
    chat: declared('input[0].file'),
    messages: honoured({
      '/messages/0/content/2': {
        type: 'document',
        source: { type: 'url', url: 'https://example.com/a.pdf' },
      },
    }),
    gemini: honoured({
      '/contents/0/parts/2': {
        fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' },
      },
    }),
  }),
  detail: row(
    said({ ...unnamed, detail: 'low' }),
    said(unnamed),
  )(elsewhere(declared('input[0].content[2].detail'))),
  prompt_cache_breakpoint: row(
    said({ ...unnamed, prompt_cache_breakpoint: { mode: 'explicit' } }),
    said(unnamed),
  )(elsewhere(declared('input[0].content[2].prompt_cache_breakpoint'))),
} satisfies Record<keyof ResponseInputFile, Rows>;

const answered = (part: object) => ({
  input: [
    user,
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Yes.', annotations: [] }, part],
    },
  ],
});
const yes = { type: 'output_text', text: 'Indeed.', annotations: [] };

export const RESPONSES_PARTS_BEYOND = {
  output_text: raw(
    answered(yes),
    plain,
  )({
    chat: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'text', text: 'Indeed.' },
        ],
      },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'text', text: 'Indeed.' },
        ],
      },
    }),
    gemini: honoured({
      '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }, { text: 'Indeed.' }] },
    }),
  }),
  refusal: raw(
    answered({ type: 'refusal', refusal: 'No.' }),
    plain,
  )({
    chat: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
    }),
    messages: honoured({
      '/messages/1': {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'text', text: 'No.' },
        ],
      },
    }),
    gemini: honoured({
      '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }, { text: 'No.' }] },
    }),
  }),
  // Compatible servers accept audio, though the vendor's types lack it.
  input_audio: raw(
    {
      input: [
        {
          role: 'user',
          content: [
            hi,
            there,
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
      ],
    },
    { ...said() },
  )({
    chat: honoured({
      '/messages/0/content/2': {
        type: 'input_audio',
        input_audio: { data: 'AAAA', format: 'wav' },
      },
    }),
    messages: declared('input[0].audio'),
    gemini: honoured({
      '/contents/0/parts/2': { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    }),
  }),
  'kinds of parts': raw(
    { input: [{ role: 'user', content: [hi, there, { type: 'input_video' }] }] },
    { ...said() },
  )(elsewhere(declared('input[0].input_video'))),
  'fields of an item': raw(
    { input: [{ ...user, unheard_of: 1 }] },
    plain,
  )(elsewhere(declared('input[0].unheard_of'))),
} satisfies Record<string, Rows>;
