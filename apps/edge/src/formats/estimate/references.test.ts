// What content refers to by id or address is held like the same thing in a spelling that the gateway decodes.

import { estimateReferences } from '.';
import { FORMATS, type FormatName, type JsonObject } from '..';
import { chatJob } from '../../operations/chat';

const IMAGE = 1_700;
const FILE = 4_000;
const VIDEO = 20_000;

const ADDRESS = 'https://x.example/a';

function held(format: FormatName, body: object): number {
  const codec = FORMATS[format];
  const request = codec.decodeRequest({ model: 'm', ...body }, {});
  const job = chatJob({ format: codec, request });
  const { otherTokens = 0 } = job.inputText?.() ?? {};
  // A provider that reports no usage is charged for the same.
  expect(otherTokens).toBeGreaterThan(job.inputTokensEstimate - 300);
  return job.inputTokensEstimate;
}

const chat = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });
const messages = (part: object) => ({ max_tokens: 5, ...chat(part) });
const shown = (part: object) => ({ input: [{ role: 'user', content: [part] }] });
const output = (part: object) => ({
  input: [{ type: 'function_call_output', call_id: 'c', output: [part] }],
});
const screenshot = (picture: object) => ({
  input: [
    {
      type: 'computer_call_output',
      call_id: 'c',
      output: { type: 'computer_screenshot', ...picture },
    },
  ],
});
const variable = (part: object) => ({ prompt: { id: 'pmpt_1', variables: { it: part } } });
const gemini = (part: object) => ({ contents: [{ role: 'user', parts: [part] }] });
const file = (source: object) => gemini({ fileData: { fileUri: ADDRESS, ...source } });

const stored = { file_id: 'file_1' };
const image = { type: 'image', source: { type: 'file', ...stored } };
const imageAt = { type: 'image', source: { type: 'url', url: ADDRESS } };
const result = (part: object) =>
  messages({ type: 'tool_result', tool_use_id: 't', content: [part] });
const nested = (part: object) =>
  messages({ type: 'document', source: { type: 'content', content: [part] } });

test.each<[name: string, format: FormatName, body: object, tokens: number]>([
  ['an image by id', 'openai-responses', shown({ type: 'input_image', ...stored }), IMAGE],
  ['an image in an output', 'openai-responses', output({ type: 'input_image', ...stored }), IMAGE],
  ['a screenshot by id', 'openai-responses', screenshot(stored), IMAGE],
  ['a screenshot by address', 'openai-responses', screenshot({ image_url: ADDRESS }), IMAGE],
  ['a variable', 'openai-responses', variable({ type: 'input_file', ...stored }), FILE],
  ['a variable image', 'openai-responses', variable({ type: 'input_image', ...stored }), IMAGE],
  ['an image by id', 'anthropic-messages', messages(image), IMAGE],
  ['an image in a result', 'anthropic-messages', result(image), IMAGE],
  ['an image in a document', 'anthropic-messages', nested(imageAt), IMAGE],
  ['an image by id in a document', 'anthropic-messages', nested(image), IMAGE],
  ['an upload', 'anthropic-messages', messages({ type: 'container_upload', ...stored }), FILE],
  ['a PDF', 'gemini-generate', file({ mimeType: 'application/pdf' }), FILE],
  ['a video', 'gemini-generate', file({ mimeType: 'video/mp4' }), VIDEO],
  ['sound', 'gemini-generate', file({ mimeType: 'audio/mp3' }), FILE],
  ['a file of no type', 'gemini-generate', file({}), VIDEO],
  [
    'a PDF in snake case',
    'gemini-generate',
    gemini({ file_data: { file_uri: ADDRESS, mime_type: 'application/pdf' } }),
    FILE,
  ],
  [
    'a PDF in the system instruction',
    'gemini-generate',
    {
      contents: [{ parts: [{ text: 'Hi' }] }],
      systemInstruction: {
        parts: [{ fileData: { fileUri: ADDRESS, mimeType: 'application/pdf' } }],
      },
    },
    FILE,
  ],
  ['a video', 'openai-chat', chat({ type: 'video_url', video_url: { url: ADDRESS } }), VIDEO],
  ['sound', 'openai-chat', chat({ type: 'audio_url', audio_url: { url: ADDRESS } }), FILE],
  ['a file', 'openai-chat', chat({ type: 'file_url', file_url: { url: ADDRESS } }), FILE],
  ['a document', 'openai-chat', chat({ type: 'document_url', document_url: ADDRESS }), FILE],
  ['an image', 'openai-chat', chat({ type: 'input_image', image_url: ADDRESS }), IMAGE],
])('%s in %s is held in full, once', (_name, format, body, tokens) => {
  const estimate = held(format, body);
  expect(estimate).toBeGreaterThanOrEqual(tokens);
  expect(estimate).toBeLessThan(tokens + 300);
});

const INLINE = 'data:image/png;base64,AAAA';

test.each<[string, unknown]>([
  ['a data URL', { type: 'input_image', image_url: INLINE }],
  ['a data URL in an object', { type: 'video_url', video_url: { url: INLINE } }],
  ['a source that is a data URL', { type: 'image', source: { type: 'url', url: INLINE } }],
  ['an address of something else', { type: 'url', url: ADDRESS }],
  ['the schema of a parameter', { properties: { image_url: { type: 'string' } } }],
  ['a field that is empty', { file_id: '', image_url: null, video_url: {} }],
  ['a file that a search found', { type: 'file_search_call', results: [stored] }],
  ['the input of a call', { type: 'mcp_tool_use', input: { image_url: ADDRESS } }],
  ['a file that code made', { content: [{ type: 'code_execution_output', ...stored }] }],
  ['a cited file', { annotations: [{ type: 'file_citation', ...stored }] }],
])('%s is no reference', (_name, value) => {
  expect(estimateReferences(value)).toBe(0);
});

test('a value of any depth is measured', () => {
  let deep: JsonObject = { ...stored };
  for (let level = 0; level < 100_000; level += 1) deep = { deep };
  expect(estimateReferences(deep)).toBe(0);
  expect(estimateReferences([stored, { a: [stored] }])).toBe(2 * FILE);
});
