// One conversation as a client of each format writes it: a prompt, an image, thoughts, two parallel
// calls with their results, and an answer with a response format.

import type { FormatName } from '../..';
import type { JsonObject } from '../../normalised';

const PIXEL = 'iVBORw0KGgo=';
const URL = `data:image/png;base64,${PIXEL}`;
const PLACE = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const FORM = {
  type: 'object',
  properties: { summary: { type: 'string' } },
  required: ['summary'],
  additionalProperties: false,
};
const KOELN = { city: 'Köln' };
const ROMA = { city: 'Roma' };

const functionTool = {
  type: 'function',
  function: { name: 'weather', description: 'Tells the weather.', parameters: PLACE },
};
const chatCall = (id: string, place: object) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify(place) },
});
const chatForm = { type: 'json_schema', json_schema: { name: 'answer', schema: FORM } };

export const CONVERSATION: Readonly<
  Partial<Record<FormatName, { body: JsonObject; model?: string }>>
> = {
  'openai-chat': {
    body: {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is it sunnier?' },
            { type: 'image_url', image_url: { url: URL } },
          ],
        },
        {
          role: 'assistant',
          reasoning_content: 'Both have to be asked.',
          content: 'Let me look.',
          tool_calls: [chatCall('c1', KOELN), chatCall('c2', ROMA)],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
        { role: 'tool', tool_call_id: 'c2', content: 'Sun' },
        { role: 'user', content: 'So?' },
      ],
      tools: [functionTool],
      tool_choice: 'auto',
      response_format: chatForm,
      temperature: 0.5,
      max_completion_tokens: 4_096,
      stream: true,
    },
  },
  unified: {
    body: {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: 'Where is it sunnier?',
          content_blocks: [
            { type: 'text', text: 'Where is it sunnier?' },
            { type: 'image_url', image_url: { url: URL } },
          ],
        },
        {
          role: 'assistant',
          content: 'Let me look.',
          content_blocks: [
            { type: 'thinking', thinking: 'Both have to be asked.' },
            { type: 'text', text: 'Let me look.' },
          ],
          tool_calls: [chatCall('c1', KOELN), chatCall('c2', ROMA)],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
        { role: 'tool', tool_call_id: 'c2', content: 'Sun' },
        { role: 'user', content: 'So?' },
      ],
      tools: [functionTool],
      tool_choice: 'auto',
      response_format: chatForm,
      temperature: 0.5,
      max_tokens: 4_096,
      stream: true,
    },
  },
  'openai-responses': {
    body: {
      model: 'm',
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Where is it sunnier?' },
            { type: 'input_image', image_url: URL, detail: 'auto' },
          ],
        },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'Both have to be asked.' }],
        },
        { type: 'message', role: 'assistant', content: 'Let me look.' },
        { type: 'function_call', call_id: 'c1', name: 'weather', arguments: JSON.stringify(KOELN) },
        { type: 'function_call', call_id: 'c2', name: 'weather', arguments: JSON.stringify(ROMA) },
        { type: 'function_call_output', call_id: 'c1', output: 'Rain' },
        { type: 'function_call_output', call_id: 'c2', output: 'Sun' },
        { role: 'user', content: 'So?' },
      ],
      tools: [{ type: 'function', ...functionTool.function, strict: false }],
      tool_choice: 'auto',
      text: { format: { type: 'json_schema', name: 'answer', schema: FORM } },
      temperature: 0.5,
      max_output_tokens: 4_096,
      stream: true,
    },
  },
  'anthropic-messages': {
    body: {
      model: 'm',
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is it sunnier?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Both have to be asked.', signature: 'c2VhbA==' },
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'c1', name: 'weather', input: KOELN },
            { type: 'tool_use', id: 'c2', name: 'weather', input: ROMA },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'Rain' },
            { type: 'tool_result', tool_use_id: 'c2', content: 'Sun' },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
      tools: [{ name: 'weather', description: 'Tells the weather.', input_schema: PLACE }],
      tool_choice: { type: 'auto' },
      output_config: { format: { type: 'json_schema', schema: FORM } },
      temperature: 0.5,
      max_tokens: 4_096,
      stream: true,
    },
  },
  'gemini-generate': {
    model: 'm',
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Where is it sunnier?' },
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'Both have to be asked.', thought: true },
            { text: 'Let me look.' },
            { functionCall: { id: 'c1', name: 'weather', args: KOELN } },
            { functionCall: { id: 'c2', name: 'weather', args: ROMA } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'weather', response: { output: 'Rain' } } },
            { functionResponse: { id: 'c2', name: 'weather', response: { output: 'Sun' } } },
          ],
        },
        { role: 'user', parts: [{ text: 'So?' }] },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'weather', description: 'Tells the weather.', parametersJsonSchema: PLACE },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: FORM,
        temperature: 0.5,
        maxOutputTokens: 4_096,
      },
    },
  },
};
