// The content of messages in the messages format.

import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';

import { ANYWAY, declared, honoured, type KindOf, type Rows } from './matrix';
import { elsewhere, f, raw, row } from './messages';

const hi: TextBlockParam = { type: 'text', text: 'Hi' };
const there: TextBlockParam = { type: 'text', text: 'there' };
const user: MessageParam = { role: 'user', content: 'Hi' };
const asked = (...blocks: ContentBlockParam[]) => ({
  messages: [{ role: 'user' as const, content: [hi, there, ...blocks] }],
});
const added = (block: ContentBlockParam) => row(asked(block), asked());
export const said = (...blocks: ContentBlockParam[]) => ({
  messages: [user, { role: 'assistant' as const, content: blocks }, user],
});
const yes: TextBlockParam = { type: 'text', text: 'Yes.' };
export const call: ToolUseBlockParam = { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } };
export const result: ToolResultBlockParam = {
  type: 'tool_result',
  tool_use_id: 't1',
  content: '2',
};
export const tools = [f];
export const called = (...blocks: ContentBlockParam[]) => ({
  messages: [
    user,
    { role: 'assistant' as const, content: [call] },
    { role: 'user' as const, content: blocks },
  ],
  tools,
});
export const cache_control = { type: 'ephemeral' as const };

export const MESSAGES_ROLES = {
  user: row({ messages: [{ role: 'user', content: 'Bye' }] })({
    chat: honoured({ '/messages/0/content': 'Bye' }),
    responses: honoured({ '/input/0/content': 'Bye' }),
    gemini: honoured({ '/contents/0/parts/0/text': 'Bye' }),
  }),
  assistant: [
    row({ messages: [user, { role: 'assistant', content: 'Yes.' }, user] })({
      chat: honoured({
        '/messages/1': { role: 'assistant', content: 'Yes.' },
        '/messages/2': { role: 'user', content: 'Hi' },
      }),
      responses: honoured({
        '/input/1': { type: 'message', role: 'assistant', content: 'Yes.' },
        '/input/2': { type: 'message', role: 'user', content: 'Hi' },
      }),
      gemini: honoured({
        '/contents/1': { role: 'model', parts: [{ text: 'Yes.' }] },
        '/contents/2': { role: 'user', parts: [{ text: 'Hi' }] },
      }),
    }),
    // A prefilled answer.
    row({ messages: [user, { role: 'assistant', content: 'Yes, ' }] })({
      chat: honoured(
        { '/messages/1': { role: 'assistant', content: 'Yes, ' } },
        'messages[1].prefill',
      ),
      responses: honoured(
        { '/input/1': { type: 'message', role: 'assistant', content: 'Yes, ' } },
        'messages[1].prefill',
      ),
      gemini: honoured(
        { '/contents/1': { role: 'model', parts: [{ text: 'Yes, ' }] } },
        'messages[1].prefill',
      ),
    }),
  ],
  system: row({ messages: [{ role: 'system', content: 'Be brief.' }, user] })({
    chat: honoured({
      '/messages': [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    }),
    responses: honoured({ '/instructions': 'Be brief.' }),
    gemini: honoured({ '/systemInstruction': { parts: [{ text: 'Be brief.' }] } }),
  }),
} satisfies Record<MessageParam['role'], Rows>;

/** Blocks of the vendor's own tools, which only the vendor can read. */
const hosted = (type: string) =>
  raw(
    { messages: [user, { role: 'assistant', content: [yes, { type, id: 'x' }] }, user] },
    said(yes),
  )(elsewhere(declared(`messages[1].${type}`)));

export const MESSAGES_BLOCKS = {
  text: row(
    said(yes, { type: 'text', text: 'Indeed.' }),
    said(yes),
  )({
    chat: honoured({
      '/messages/1/content': [
        { type: 'text', text: 'Yes.' },
        { type: 'text', text: 'Indeed.' },
      ],
    }),
    responses: honoured({
      '/input/1/content': [
        { type: 'output_text', text: 'Yes.', annotations: [] },
        { type: 'output_text', text: 'Indeed.', annotations: [] },
      ],
    }),
    gemini: honoured({ '/contents/1/parts/1': { text: 'Indeed.' } }),
  }),
  image: 'OTHER_ROWS',
  document: 'OTHER_ROWS',
  search_result: [
    added({ type: 'search_result', title: 'T', source: 'https://example.com', content: [there] })({
      chat: honoured({
        '/messages/0/content/2': { type: 'text', text: 'T\nhttps://example.com\nthere' },
      }),
      responses: honoured({
        '/input/0/content/2': { type: 'input_text', text: 'T\nhttps://example.com\nthere' },
      }),
      gemini: honoured({ '/contents/0/parts/2': { text: 'T\nhttps://example.com\nthere' } }),
    }),
    row(
      asked({
        type: 'search_result',
        title: 'T',
        source: 's',
        content: [there],
        citations: { enabled: true },
      }),
      asked({ type: 'search_result', title: 'T', source: 's', content: [there] }),
    )(elsewhere(declared('messages[0].content[2].citations'))),
  ],
  thinking: row(
    said({ type: 'thinking', thinking: 'Hm.', signature: 'sig' }, yes),
    said(yes),
  )({
    chat: declared('messages[1].thinking'),
    server: honoured({ '/messages/1/reasoning_content': 'Hm.' }, 'messages[1].thinking.signature'),
    responses: declared('messages[1].thinking'),
    gemini: honoured(
      { '/contents/1/parts': [{ text: 'Hm.', thought: true }, { text: 'Yes.' }] },
      'messages[1].thinking.signature',
    ),
  }),
  redacted_thinking: row(
    said({ type: 'redacted_thinking', data: 'xyz' }, yes),
    said(yes),
  )(elsewhere(declared('messages[1].thinking'))),
  tool_use: row(
    { ...said(call), tools },
    { tools },
  )({
    chat: honoured({
      '/messages/1': {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      '/messages/2': { role: 'user', content: 'Hi' },
    }),
    responses: honoured({
      '/input/1': { type: 'function_call', call_id: 't1', name: 'f', arguments: '{"a":1}' },
      '/input/2': { type: 'message', role: 'user', content: 'Hi' },
    }),
    gemini: honoured({
      '/contents/1': {
        role: 'model',
        parts: [
          {
            functionCall: { id: 't1', name: 'f', args: { a: 1 } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
      '/contents/2': { role: 'user', parts: [{ text: 'Hi' }] },
    }),
  }),
  tool_result: row(
    called(result),
    called(),
  )({
    chat: honoured({
      '/messages/2/role': 'tool',
      '/messages/2/content': '2',
      '/messages/2/tool_call_id': 't1',
    }),
    responses: honoured({
      '/input/2/type': 'function_call_output',
      '/input/2/role': undefined,
      '/input/2/content': undefined,
      '/input/2/call_id': 't1',
      '/input/2/output': '2',
    }),
    gemini: honoured({
      // An empty turn contains a placeholder text.
      '/contents/2/parts/0/text': undefined,
      '/contents/2/parts/0/functionResponse': { id: 't1', name: 'f', response: { output: '2' } },
    }),
  }),
  bash_code_execution_tool_result: hosted('bash_code_execution_tool_result'),
  code_execution_tool_result: hosted('code_execution_tool_result'),
  container_upload: hosted('container_upload'),
  server_tool_use: hosted('server_tool_use'),
  text_editor_code_execution_tool_result: hosted('text_editor_code_execution_tool_result'),
  tool_search_tool_result: hosted('tool_search_tool_result'),
  web_fetch_tool_result: hosted('web_fetch_tool_result'),
  web_search_tool_result: hosted('web_search_tool_result'),
} satisfies Record<KindOf<ContentBlockParam>, Rows>;

export const MESSAGES_TEXT = {
  type: 'OTHER_ROWS',
  text: row(
    asked(hi),
    asked(),
  )({
    chat: honoured({ '/messages/0/content/2': { type: 'text', text: 'Hi' } }),
    responses: honoured({ '/input/0/content/2': { type: 'input_text', text: 'Hi' } }),
    gemini: honoured({ '/contents/0/parts/2': { text: 'Hi' } }),
  }),
  cache_control: row(
    asked({ ...hi, cache_control }),
    asked(hi),
  )(elsewhere(declared('messages[0].content[2].cache_control'))),
  citations: row(
    said({
      ...yes,
      citations: [
        {
          type: 'web_search_result_location',
          url: 'https://example.com',
          title: 'T',
          cited_text: 'Yes',
          encrypted_index: 'e',
        },
      ],
    }),
    said(yes),
  )({
    chat: declared('messages[1].text.citations'),
    responses: honoured({
      '/input/1/content': [
        {
          type: 'output_text',
          text: 'Yes.',
          annotations: [
            {
              type: 'url_citation',
              url: 'https://example.com',
              title: 'T',
              start_index: 0,
              end_index: 4,
            },
          ],
        },
      ],
    }),
    gemini: declared('messages[1].text.citations'),
  }),
} satisfies Record<keyof TextBlockParam, Rows>;

const base64 = { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' };
export const picture: ImageBlockParam = { type: 'image', source: base64 };

export const MESSAGES_IMAGE_SOURCES = {
  base64: added(picture)({
    chat: honoured({
      '/messages/0/content/2': {
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' },
      },
    }),
    responses: honoured({
      '/input/0/content/2': {
        type: 'input_image',
        image_url: 'data:image/png;base64,iVBORw0KGgo=',
        detail: 'auto',
      },
    }),
    gemini: honoured({
      '/contents/0/parts/2': { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    }),
  }),
  url: added({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } })({
    chat: honoured({
      '/messages/0/content/2': {
        type: 'image_url',
        image_url: { url: 'https://example.com/a.png' },
      },
    }),
    responses: honoured({
      '/input/0/content/2': {
        type: 'input_image',
        image_url: 'https://example.com/a.png',
        detail: 'auto',
      },
    }),
    gemini: honoured({
      '/contents/0/parts/2': {
        fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' },
      },
    }),
  }),
  file: added({ type: 'image', source: { type: 'file', file_id: 'file_1' } })(
    elsewhere(declared('messages[0].image')),
  ),
} satisfies Record<ImageBlockParam['source']['type'], Rows>;

export const MESSAGES_IMAGE = {
  type: 'OTHER_ROWS',
  source: 'OTHER_ROWS',
  cache_control: row(
    asked({ ...picture, cache_control }),
    asked(picture),
  )(elsewhere(declared('messages[0].content[2].cache_control'))),
  transformations: raw(
    {
      messages: [{ role: 'user', content: [hi, there, { ...picture, transformations: { a: 1 } }] }],
    },
    asked(picture),
  )(elsewhere(declared('messages[0].content[2].transformations'))),
} satisfies Record<keyof ImageBlockParam, Rows>;

const pdf = { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'JVBE' };
const note = { type: 'text' as const, media_type: 'text/plain' as const, data: 'A note.' };
export const paper: DocumentBlockParam = { type: 'document', source: pdf };

export const MESSAGES_DOCUMENT_SOURCES = {
  base64: added(paper)({
    chat: honoured({
      '/messages/0/content/2': {
        type: 'file',
        file: { file_data: 'data:application/pdf;base64,JVBE' },
      },
    }),
    responses: honoured({
      '/input/0/content/2': { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE' },
    }),
    gemini: honoured({
      '/contents/0/parts/2': { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
    }),
  }),
  text: added({ type: 'document', source: note })({
    chat: honoured({ '/messages/0/content/2': { type: 'text', text: 'A note.' } }),
    responses: honoured({ '/input/0/content/2': { type: 'input_text', text: 'A note.' } }),
    gemini: honoured({ '/contents/0/parts/2': { text: 'A note.' } }),
  }),
  content: added({ type: 'document', source: { type: 'content', content: 'A note.' } })(
    elsewhere(declared('messages[0].document')),
  ),
  url: added({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } })({
    chat: declared('messages[0].file'),
    responses: honoured({
      '/input/0/content/2': { type: 'input_file', file_url: 'https://example.com/a.pdf' },
    }),
    gemini: honoured({
      '/contents/0/parts/2': {
        fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/a.pdf' },
      },
    }),
  }),
  file: added({ type: 'document', source: { type: 'file', file_id: 'file_1' } })({
    chat: honoured({ '/messages/0/content/2': { type: 'file', file: { file_id: 'file_1' } } }),
    responses: honoured({ '/input/0/content/2': { type: 'input_file', file_id: 'file_1' } }),
    gemini: declared('messages[0].file'),
  }),
} satisfies Record<DocumentBlockParam['source']['type'], Rows>;

export const MESSAGES_DOCUMENT = {
  type: 'OTHER_ROWS',
  source: 'OTHER_ROWS',
  title: [
    row(
      asked({ ...paper, title: 'a.pdf' }),
      asked(paper),
    )({
      chat: honoured({ '/messages/0/content/2/file/filename': 'a.pdf' }),
      responses: honoured({ '/input/0/content/2/filename': 'a.pdf' }),
      gemini: declared('messages[0].file.filename'),
    }),
    row(
      asked({ type: 'document', source: note, title: 'T' }),
      asked({ type: 'document', source: note }),
    )(elsewhere(declared('messages[0].content[2].title'))),
  ],
  context: row(
    asked({ ...paper, context: 'c' }),
    asked(paper),
  )(elsewhere(declared('messages[0].content[2].context'))),
  citations: [
    row(
      asked({ ...paper, citations: { enabled: true } }),
      asked(paper),
    )(elsewhere(declared('messages[0].content[2].citations'))),
    row(asked({ ...paper, citations: { enabled: false } }), asked(paper))(elsewhere(ANYWAY)),
  ],
  cache_control: row(
    asked({ ...paper, cache_control }),
    asked(paper),
  )(elsewhere(declared('messages[0].content[2].cache_control'))),
} satisfies Record<keyof DocumentBlockParam, Rows>;

export const MESSAGES_CONTENT_BEYOND = {
  'fields of a message': raw({ messages: [{ ...user, unheard_of: 1 }] })(
    elsewhere(declared('messages[0].unheard_of')),
  ),
  // The system prompt is not a message here, so message indices differ between the formats.
  'places after a prompt': raw(
    {
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [hi, { type: 'image', source: { type: 'file', file_id: 'file_1' } }],
        },
      ],
    },
    { system: 'Be brief.', messages: [{ role: 'user', content: [hi] }] },
  )(elsewhere(declared('messages[0].image'))),
} satisfies Record<string, Rows>;
