// Outcomes at the upstreams that are the same for every client format.

import { ANYWAY, honoured } from './matrix';

/** The instruction that requests JSON where there is no mode for it, or the mode requires it. */
export const JSON_ASKED =
  'Answer with one valid JSON object and nothing else: no text before or after it, and no code fence.';

/** A function `f` without parameters. */
export const FUNCTION_DECLARED = {
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
  gemini: honoured({
    '/tools': [
      {
        functionDeclarations: [
          { name: 'f', parametersJsonSchema: { type: 'object', properties: {} } },
        ],
      },
    ],
  }),
};

/** A web search next to a function. */
export const SEARCH_ADDED = {
  responses: honoured({
    '/tools/1': { type: 'web_search' },
    '/include': ['web_search_call.action.sources'],
  }),
  messages: honoured({ '/tools/1': { type: 'web_search_20250305', name: 'web_search' } }),
};

export const CHOICE = {
  none: {
    messages: honoured({ '/tool_choice': { type: 'none' } }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'NONE' } } }),
  },
  auto: {
    messages: honoured({ '/tool_choice': { type: 'auto' } }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'AUTO' } } }),
  },
  required: {
    messages: honoured({ '/tool_choice': { type: 'any' } }),
    gemini: honoured({ '/toolConfig': { functionCallingConfig: { mode: 'ANY' } } }),
  },
  function: {
    messages: honoured({ '/tool_choice': { type: 'tool', name: 'f' } }),
    gemini: honoured({
      '/toolConfig': { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    }),
  },
};

export const FORM = {
  text: {
    responses: honoured({ '/text': { format: { type: 'text' } } }),
    messages: ANYWAY,
    gemini: honoured({ '/generationConfig': { responseMimeType: 'text/plain' } }),
  },
  json_object: {
    responses: honoured({
      '/text': { format: { type: 'json_object' } },
      '/instructions': JSON_ASKED,
    }),
    messages: honoured({ '/system': JSON_ASKED }),
    gemini: honoured({ '/generationConfig': { responseMimeType: 'application/json' } }),
  },
  json_schema: {
    responses: honoured({
      '/text': {
        format: {
          type: 'json_schema',
          name: 'a',
          schema: { type: 'object', properties: { a: { type: 'string' } } },
        },
      },
    }),
    messages: honoured({
      '/output_config': {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { a: { type: 'string' } },
            additionalProperties: false,
          },
        },
      },
    }),
    gemini: honoured({
      '/generationConfig': {
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
      },
    }),
  },
};
