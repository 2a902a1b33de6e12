// The tools of a generateContent request, and the tool choice.

import type { FunctionCallingConfig, FunctionDeclaration, Tool, ToolConfig } from '@google/genai';

import type { JsonObject } from '../../normalised';
import { elsewhere, row } from './gemini';
import { declared, honoured, type Rows } from './matrix';
import { SEARCH_ADDED } from './outcomes';

const f = { name: 'f', parametersJsonSchema: { type: 'object', properties: {} } };
const tools = [{ functionDeclarations: [f] }];
/** A tool that only this vendor has. */
const hosted = (name: keyof Tool) =>
  row({ tools: [...tools, { [name]: {} }] }, { tools })(elsewhere(declared(`tools[1].${name}`)));

/** A web search, which other vendors have too. */
const search = (name: keyof Tool) =>
  row(
    { tools: [...tools, { [name]: {} }] },
    { tools },
  )({
    ...elsewhere(declared(`tools[1].${name}`)),
    ...SEARCH_ADDED,
  });

export const GEMINI_TOOLS = {
  functionDeclarations: row({ tools })({
    chat: honoured({
      '/tools': [
        {
          type: 'function',
          function: { name: 'f', parameters: { type: 'object', properties: {} } },
        },
      ],
    }),
    responses: honoured({
      '/tools': [
        {
          type: 'function',
          name: 'f',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
    }),
    messages: honoured({
      '/tools': [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    }),
  }),
  retrieval: hosted('retrieval'),
  googleMaps: hosted('googleMaps'),
  mcpServers: hosted('mcpServers'),
  codeExecution: hosted('codeExecution'),
  computerUse: hosted('computerUse'),
  enterpriseWebSearch: hosted('enterpriseWebSearch'),
  exaAiSearch: hosted('exaAiSearch'),
  googleSearch: search('googleSearch'),
  googleSearchRetrieval: search('googleSearchRetrieval'),
  parallelAiSearch: hosted('parallelAiSearch'),
  urlContext: hosted('urlContext'),
  fileSearch: hosted('fileSearch'),
} satisfies Record<keyof Tool, Rows>;

const declare = (fields: JsonObject) =>
  row(
    { tools: [{ functionDeclarations: [{ name: 'f', ...fields }] }] },
    { tools: [{ functionDeclarations: [{ name: 'f' }] }] },
  );

export const GEMINI_FUNCTION = {
  name: declare({ name: 'g' })({
    chat: honoured({ '/tools/0/function/name': 'g' }),
    responses: honoured({ '/tools/0/name': 'g' }),
    messages: honoured({ '/tools/0/name': 'g' }),
  }),
  description: declare({ description: 'Does it.' })({
    chat: honoured({ '/tools/0/function/description': 'Does it.' }),
    responses: honoured({ '/tools/0/description': 'Does it.' }),
    messages: honoured({ '/tools/0/description': 'Does it.' }),
  }),
  parameters: declare({ parameters: { type: 'OBJECT', properties: {} } })({
    chat: honoured({ '/tools/0/function/parameters': { type: 'object', properties: {} } }),
    responses: honoured({ '/tools/0/parameters': { type: 'object', properties: {} } }),
    messages: honoured({ '/tools/0/input_schema/properties': {} }),
  }),
  parametersJsonSchema: declare({ parametersJsonSchema: { type: 'object', properties: {} } })({
    chat: honoured({ '/tools/0/function/parameters': { type: 'object', properties: {} } }),
    responses: honoured({ '/tools/0/parameters': { type: 'object', properties: {} } }),
    messages: honoured({ '/tools/0/input_schema/properties': {} }),
  }),
  behavior: declare({ behavior: 'NON_BLOCKING' })(
    elsewhere(declared('tools[0].functionDeclarations[0].behavior')),
  ),
  response: declare({ response: { type: 'STRING' } })(
    elsewhere(declared('tools[0].functionDeclarations[0].response')),
  ),
  responseJsonSchema: declare({ responseJsonSchema: { type: 'string' } })(
    elsewhere(declared('tools[0].functionDeclarations[0].responseJsonSchema')),
  ),
} satisfies Record<keyof FunctionDeclaration, Rows>;

const choose = (functionCallingConfig: JsonObject) =>
  row({ toolConfig: { functionCallingConfig } }, { tools });

export const GEMINI_TOOL_CONFIG = {
  functionCallingConfig: 'OTHER_ROWS',
  retrievalConfig: row(
    { toolConfig: { retrievalConfig: { languageCode: 'de' } } },
    { tools },
  )(elsewhere(declared('toolConfig.retrievalConfig'))),
  includeServerSideToolInvocations: row(
    { toolConfig: { includeServerSideToolInvocations: true } },
    { tools },
  )(elsewhere(declared('toolConfig.includeServerSideToolInvocations'))),
} satisfies Record<keyof ToolConfig, Rows>;

const MODE = 'toolConfig.functionCallingConfig.mode';

export const GEMINI_FUNCTION_CALLING = {
  mode: [
    choose({ mode: 'AUTO' })({
      chat: honoured({ '/tool_choice': 'auto' }),
      responses: honoured({ '/tool_choice': 'auto' }),
      messages: honoured({ '/tool_choice': { type: 'auto' } }),
    }),
    choose({ mode: 'ANY' })({
      chat: honoured({ '/tool_choice': 'required' }),
      responses: honoured({ '/tool_choice': 'required' }),
      messages: honoured({ '/tool_choice': { type: 'any' } }),
    }),
    choose({ mode: 'NONE' })({
      chat: honoured({ '/tool_choice': 'none' }),
      responses: honoured({ '/tool_choice': 'none' }),
      messages: honoured({ '/tool_choice': { type: 'none' } }),
    }),
    // The other vendors may call the functions, but do not enforce their schemas in this mode.
    choose({ mode: 'VALIDATED' })({
      chat: honoured({ '/tool_choice': 'auto' }, MODE),
      responses: honoured({ '/tool_choice': 'auto' }, MODE),
      messages: honoured({ '/tool_choice': { type: 'auto' } }, MODE),
    }),
    choose({ mode: 'MODE_UNSPECIFIED' })({
      chat: honoured({ '/tool_choice': 'auto' }),
      responses: honoured({ '/tool_choice': 'auto' }),
      messages: honoured({ '/tool_choice': { type: 'auto' } }),
    }),
  ],
  allowedFunctionNames: choose({ mode: 'ANY', allowedFunctionNames: ['f'] })({
    chat: honoured({ '/tool_choice': { type: 'function', function: { name: 'f' } } }),
    responses: honoured({ '/tool_choice': { type: 'function', name: 'f' } }),
    messages: honoured({ '/tool_choice': { type: 'tool', name: 'f' } }),
  }),
  streamFunctionCallArguments: choose({ streamFunctionCallArguments: true })({
    chat: honoured(
      { '/tool_choice': 'auto' },
      'toolConfig.functionCallingConfig.streamFunctionCallArguments',
    ),
    responses: honoured(
      { '/tool_choice': 'auto' },
      'toolConfig.functionCallingConfig.streamFunctionCallArguments',
    ),
    messages: honoured(
      { '/tool_choice': { type: 'auto' } },
      'toolConfig.functionCallingConfig.streamFunctionCallArguments',
    ),
  }),
} satisfies Record<keyof FunctionCallingConfig, Rows>;
