// Calls and their results in the messages format.

import type {
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';

import { ANYWAY, declared, honoured, type Rows } from './matrix';
import { elsewhere, row } from './messages';
import {
  cache_control,
  call,
  called,
  paper,
  picture,
  result,
  said,
  tools,
} from './messages-content';

const calling = (fields: Partial<ToolUseBlockParam>) =>
  row({ ...said({ ...call, ...fields }), tools }, { ...said(call), tools });

export const MESSAGES_TOOL_USE = {
  type: 'OTHER_ROWS',
  id: calling({ id: 't2' })({
    chat: honoured({ '/messages/1/tool_calls/0/id': 't2' }),
    responses: honoured({ '/input/1/call_id': 't2' }),
    gemini: honoured({ '/contents/1/parts/0/functionCall/id': 't2' }),
  }),
  name: calling({ name: 'g' })({
    chat: honoured({ '/messages/1/tool_calls/0/function/name': 'g' }),
    responses: honoured({ '/input/1/name': 'g' }),
    gemini: honoured({ '/contents/1/parts/0/functionCall/name': 'g' }),
  }),
  input: calling({ input: { b: 2 } })({
    chat: honoured({ '/messages/1/tool_calls/0/function/arguments': '{"b":2}' }),
    responses: honoured({ '/input/1/arguments': '{"b":2}' }),
    gemini: honoured({
      '/contents/1/parts/0/functionCall/args/a': undefined,
      '/contents/1/parts/0/functionCall/args/b': 2,
    }),
  }),
  cache_control: calling({ cache_control })(
    elsewhere(declared('messages[1].content[0].cache_control')),
  ),
  caller: [
    calling({ caller: { type: 'direct' } })(elsewhere(ANYWAY)),
    calling({ caller: { type: 'code_execution_20250825', tool_id: 'x' } })(
      elsewhere(declared('messages[1].content[0].caller')),
    ),
  ],
  toolset_name: calling({ toolset_name: 's' })(
    elsewhere(declared('messages[1].content[0].toolset_name')),
  ),
} satisfies Record<keyof ToolUseBlockParam, Rows>;

const gave = (fields: Partial<ToolResultBlockParam>) =>
  row(called({ ...result, ...fields }), called(result));

/** Where results can only be text, the rest of a result follows it. */
const ATTACHED = 'Attached to the result of the tool call (f, t1):';

export const MESSAGES_TOOL_RESULT = {
  type: 'OTHER_ROWS',
  tool_use_id: 'OTHER_ROWS',
  content: [
    gave({ content: [{ type: 'text', text: '3' }] })({
      chat: honoured({ '/messages/2/content': '3' }),
      responses: honoured({ '/input/2/output': '3' }),
      gemini: honoured({ '/contents/2/parts/0/functionResponse/response/output': '3' }),
    }),
    gave({ content: [{ type: 'text', text: '2' }, picture] })({
      chat: honoured({
        '/messages/3': {
          role: 'user',
          content: [
            { type: 'text', text: ATTACHED },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
      }),
      responses: honoured({
        '/input/2/output': [
          { type: 'input_text', text: '2' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
        ],
      }),
      gemini: honoured({
        '/contents/2/parts/0/functionResponse/parts': [
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      }),
    }),
    gave({ content: [{ type: 'text', text: '2' }, paper] })({
      chat: honoured({
        '/messages/3': {
          role: 'user',
          content: [
            { type: 'text', text: ATTACHED },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } },
          ],
        },
      }),
      responses: honoured({
        '/input/2/output': [
          { type: 'input_text', text: '2' },
          { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE' },
        ],
      }),
      gemini: honoured({
        '/contents/2/parts/0/functionResponse/parts': [
          { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
        ],
      }),
    }),
  ],
  is_error: gave({ is_error: true })({
    chat: honoured({ '/messages/2/content': '[tool error] 2' }),
    responses: honoured({ '/input/2/output': '[tool error] 2' }),
    gemini: honoured({
      '/contents/2/parts/0/functionResponse/response/output': undefined,
      '/contents/2/parts/0/functionResponse/response/error': '2',
    }),
  }),
  cache_control: gave({ cache_control })(
    elsewhere(declared('messages[2].content[0].cache_control')),
  ),
  toolset_name: gave({ toolset_name: 's' })(
    elsewhere(declared('messages[2].content[0].toolset_name')),
  ),
} satisfies Record<keyof ToolResultBlockParam, Rows>;
