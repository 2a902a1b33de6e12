// The parts of contents in a generateContent request.

import type {
  Blob,
  Content,
  FileData,
  FunctionCall,
  FunctionResponse,
  FunctionResponsePart,
  Part,
} from '@google/genai';

import type { JsonObject } from '../../normalised';
import { elsewhere, row } from './gemini';
import { ANYWAY, declared, honoured, type Rows } from './matrix';

const hi = { text: 'Hi' };
const there = { text: 'there' };
const user = { role: 'user', parts: [hi] };
const asked = (...parts: JsonObject[]) => ({
  contents: [{ role: 'user', parts: [hi, there, ...parts] }],
});
const added = (part: JsonObject) => row(asked(part), asked());
const said = (...parts: JsonObject[]) => ({ contents: [user, { role: 'model', parts }, user] });
const yes = { text: 'Yes.' };

export const GEMINI_CONTENT = {
  role: [
    row({ contents: [user, { role: 'model', parts: [yes] }] })({
      chat: honoured({ '/messages/1': { role: 'assistant', content: 'Yes.' } }),
      responses: honoured({ '/input/1': { type: 'message', role: 'assistant', content: 'Yes.' } }),
      messages: honoured({ '/messages/1': { role: 'assistant', content: 'Yes.' } }),
    }),
    row({ contents: [{ role: 'system', parts: [{ text: 'Be brief.' }] }, user] })({
      chat: honoured({
        '/messages': [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      }),
      responses: honoured({ '/instructions': 'Be brief.' }),
      messages: honoured({ '/system': 'Be brief.' }),
    }),
    row({ contents: [{ parts: [{ text: 'Bye' }] }] })({
      chat: honoured({ '/messages/0/content': 'Bye' }),
      responses: honoured({ '/input/0/content': 'Bye' }),
      messages: honoured({ '/messages/0/content': 'Bye' }),
    }),
  ],
  parts: 'OTHER_ROWS',
} satisfies Record<keyof Content, Rows>;

const PNG = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
const partField = (fields: JsonObject) =>
  row(asked({ inlineData: PNG, ...fields }), asked({ inlineData: PNG }));
const hosted = (name: keyof Part) =>
  row(said(yes, { [name]: { x: 1 } }), said(yes))(elsewhere(declared(`contents[1].${name}`)));

export const GEMINI_PARTS = {
  text: added({ text: 'friend' })({
    chat: honoured({ '/messages/0/content/2': { type: 'text', text: 'friend' } }),
    responses: honoured({ '/input/0/content/2': { type: 'input_text', text: 'friend' } }),
    messages: honoured({ '/messages/0/content/2': { type: 'text', text: 'friend' } }),
  }),
  thought: row(
    said({ text: 'Hm.', thought: true }, yes),
    said(yes),
  )({
    chat: declared('contents[1].thinking'),
    server: honoured({ '/messages/1/reasoning_content': 'Hm.' }),
    responses: declared('contents[1].thinking'),
    messages: declared('contents[1].thinking'),
  }),
  thoughtSignature: row(
    said({ text: 'Hm.', thought: true, thoughtSignature: 'c2ln' }, yes),
    said(yes),
  )({
    chat: declared('contents[1].thinking'),
    server: honoured({ '/messages/1/reasoning_content': 'Hm.' }, 'contents[1].thinking.signature'),
    responses: declared('contents[1].thinking'),
    messages: declared('contents[1].thinking'),
  }),
  inlineData: 'OTHER_ROWS',
  fileData: 'OTHER_ROWS',
  functionCall: 'OTHER_ROWS',
  functionResponse: 'OTHER_ROWS',
  executableCode: hosted('executableCode'),
  codeExecutionResult: hosted('codeExecutionResult'),
  toolCall: hosted('toolCall'),
  toolResponse: hosted('toolResponse'),
  audioTranscription: hosted('audioTranscription'),
  mediaResolution: partField({ mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } })(
    elsewhere(declared('contents[0].parts[2].mediaResolution')),
  ),
  videoMetadata: partField({ videoMetadata: { fps: 1 } })(
    elsewhere(declared('contents[0].parts[2].videoMetadata')),
  ),
  partMetadata: partField({ partMetadata: { a: 1 } })(
    elsewhere(declared('contents[0].parts[2].partMetadata')),
  ),
  mediaProcessing: partField({ mediaProcessing: {} })(
    elsewhere(declared('contents[0].parts[2].mediaProcessing')),
  ),
  speechMetadata: partField({ speechMetadata: {} })(
    elsewhere(declared('contents[0].parts[2].speechMetadata')),
  ),
} satisfies Record<keyof Part, Rows>;

export const GEMINI_INLINE_DATA = {
  data: added({ inlineData: PNG })({
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
    messages: honoured({
      '/messages/0/content/2': {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
      },
    }),
  }),
  mimeType: [
    added({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } })({
      chat: honoured({
        '/messages/0/content/2': {
          type: 'input_audio',
          input_audio: { data: 'AAAA', format: 'wav' },
        },
      }),
      responses: declared('contents[0].audio'),
      messages: declared('contents[0].audio'),
    }),
    added({ inlineData: { mimeType: 'application/pdf', data: 'JVBE' } })({
      chat: honoured({
        '/messages/0/content/2': {
          type: 'file',
          file: { file_data: 'data:application/pdf;base64,JVBE' },
        },
      }),
      responses: honoured({
        '/input/0/content/2': { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE' },
      }),
      messages: honoured({
        '/messages/0/content/2': {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        },
      }),
    }),
    added({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } })({
      chat: honoured({
        '/messages/0/content/2': {
          type: 'file',
          file: { file_data: 'data:video/mp4;base64,AAAA' },
        },
      }),
      responses: honoured({
        '/input/0/content/2': { type: 'input_file', file_data: 'data:video/mp4;base64,AAAA' },
      }),
      messages: declared('contents[0].file'),
    }),
  ],
  displayName: row(
    asked({ inlineData: { mimeType: 'application/pdf', data: 'JVBE', displayName: 'a.pdf' } }),
    asked({ inlineData: { mimeType: 'application/pdf', data: 'JVBE' } }),
  )({
    chat: honoured({ '/messages/0/content/2/file/filename': 'a.pdf' }),
    responses: honoured({ '/input/0/content/2/filename': 'a.pdf' }),
    messages: honoured({ '/messages/0/content/2/title': 'a.pdf' }),
  }),
} satisfies Record<keyof Blob, Rows>;

const PICTURE = { mimeType: 'image/png', fileUri: 'https://example.com/a.png' };

export const GEMINI_FILE_DATA = {
  fileUri: [
    added({ fileData: PICTURE })({
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
      messages: honoured({
        '/messages/0/content/2': {
          type: 'image',
          source: { type: 'url', url: 'https://example.com/a.png' },
        },
      }),
    }),
    added({ fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a.png' } })(
      elsewhere(declared('contents[0].fileData')),
    ),
  ],
  mimeType: added({ fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/a.mp4' } })(
    elsewhere(declared('contents[0].fileData')),
  ),
  displayName: row(
    asked({ fileData: { ...PICTURE, displayName: 'a' } }),
    asked({ fileData: PICTURE }),
  )(elsewhere(ANYWAY)),
} satisfies Record<keyof FileData, Rows>;

const tools = [{ functionDeclarations: [{ name: 'f' }] }];
const call = { name: 'f', args: { a: 1 } };
const calling = (fields: JsonObject) =>
  row(
    { ...said({ functionCall: { ...call, ...fields } }), tools },
    { ...said({ functionCall: call }), tools },
  );

export const GEMINI_CALL = {
  name: calling({ name: 'g' })({
    chat: honoured({ '/messages/1/tool_calls/0/function/name': 'g' }),
    responses: honoured({ '/input/1/name': 'g' }),
    messages: honoured({ '/messages/1/content/0/name': 'g' }),
  }),
  args: calling({ args: { b: 2 } })({
    chat: honoured({ '/messages/1/tool_calls/0/function/arguments': '{"b":2}' }),
    responses: honoured({ '/input/1/arguments': '{"b":2}' }),
    messages: honoured({
      '/messages/1/content/0/input/a': undefined,
      '/messages/1/content/0/input/b': 2,
    }),
  }),
  id: calling({ id: 'c1' })({
    chat: honoured({ '/messages/1/tool_calls/0/id': 'c1' }),
    responses: honoured({ '/input/1/call_id': 'c1' }),
    messages: honoured({ '/messages/1/content/0/id': 'c1' }),
  }),
  partialArgs: calling({ partialArgs: [] })(
    elsewhere(declared('contents[1].parts[0].functionCall.partialArgs')),
  ),
  willContinue: calling({ willContinue: true })(
    elsewhere(declared('contents[1].parts[0].functionCall.willContinue')),
  ),
} satisfies Record<keyof FunctionCall, Rows>;

const called = (functionResponse?: JsonObject) => ({
  contents: [
    user,
    { role: 'model', parts: [{ functionCall: { ...call, id: 'c1' } }] },
    { role: 'user', parts: functionResponse ? [{ functionResponse }] : [hi] },
  ],
  tools,
});
const result = { id: 'c1', name: 'f', response: { output: '2' } };
const gave = (fields: JsonObject) => row(called({ ...result, ...fields }), called(result));

export const GEMINI_RESULT = {
  id: row(
    called(result),
    called(),
  )({
    chat: honoured({
      '/messages/2/role': 'tool',
      '/messages/2/content': '2',
      '/messages/2/tool_call_id': 'c1',
    }),
    responses: honoured({
      '/input/2/type': 'function_call_output',
      '/input/2/role': undefined,
      '/input/2/content': undefined,
      '/input/2/call_id': 'c1',
      '/input/2/output': '2',
    }),
    messages: honoured({
      '/messages/2/content': [{ type: 'tool_result', tool_use_id: 'c1', content: '2' }],
    }),
  }),
  name: gave({ name: 'f' })(elsewhere(ANYWAY)),
  response: [
    gave({ response: { output: '3' } })({
      chat: honoured({ '/messages/2/content': '3' }),
      responses: honoured({ '/input/2/output': '3' }),
      messages: honoured({ '/messages/2/content/0/content': '3' }),
    }),
    gave({ response: { error: 'Gone.' } })({
      chat: honoured({ '/messages/2/content': '[tool error] Gone.' }),
      responses: honoured({ '/input/2/output': '[tool error] Gone.' }),
      messages: honoured({
        '/messages/2/content/0/content': 'Gone.',
        '/messages/2/content/0/is_error': true,
      }),
    }),
    gave({ response: { a: 1 } })({
      chat: honoured({ '/messages/2/content': '{"a":1}' }),
      responses: honoured({ '/input/2/output': '{"a":1}' }),
      messages: honoured({ '/messages/2/content/0/content': '{"a":1}' }),
    }),
  ],
  parts: 'OTHER_ROWS',
  scheduling: gave({ scheduling: 'SILENT' })(
    elsewhere(declared('contents[2].parts[0].functionResponse.scheduling')),
  ),
  willContinue: gave({ willContinue: true })(
    elsewhere(declared('contents[2].parts[0].functionResponse.willContinue')),
  ),
} satisfies Record<Exclude<keyof FunctionResponse, 'toString'>, Rows>;

/** Where results can only be text, the rest of a result follows it. */
const ATTACHED = {
  '/messages/3': {
    role: 'user',
    content: [
      { type: 'text', text: 'Attached to the result of the tool call (f, c1):' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.data}` } },
    ],
  },
};

export const GEMINI_RESULT_PARTS = {
  inlineData: gave({ parts: [{ inlineData: PNG }] })({
    chat: honoured(ATTACHED),
    responses: honoured({
      '/input/2/output': [
        { type: 'input_text', text: '2' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
      ],
    }),
    messages: honoured({
      '/messages/2/content/0/content': [
        { type: 'text', text: '2' },
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        },
      ],
    }),
  }),
  fileData: gave({ parts: [{ fileData: { mimeType: 'image/png', fileUri: 'gs://b/a.png' } }] })(
    elsewhere(declared('contents[2].tool_result.fileData')),
  ),
  mediaProcessing: gave({ parts: [{ inlineData: PNG, mediaProcessing: {} }] })({
    chat: honoured(ATTACHED, 'contents[2].parts[0].functionResponse.parts[0].mediaProcessing'),
    responses: honoured(
      {
        '/input/2/output': [
          { type: 'input_text', text: '2' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG.data}`, detail: 'auto' },
        ],
      },
      'contents[2].parts[0].functionResponse.parts[0].mediaProcessing',
    ),
    messages: honoured(
      {
        '/messages/2/content/0/content': [
          { type: 'text', text: '2' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.data } },
        ],
      },
      'contents[2].parts[0].functionResponse.parts[0].mediaProcessing',
    ),
  }),
} satisfies Record<keyof FunctionResponsePart, Rows>;

export const GEMINI_CONTENTS_BEYOND = {
  'fields of a content': row({ contents: [{ ...user, unheardOf: 1 }] })(
    elsewhere(declared('contents[0].unheardOf')),
  ),
  'fields of inline data': row(
    asked({ inlineData: { ...PNG, unheardOf: 1 } }),
    asked({ inlineData: PNG }),
  )(elsewhere(declared('contents[0].parts[2].inlineData.unheardOf'))),
} satisfies Record<string, Rows>;
