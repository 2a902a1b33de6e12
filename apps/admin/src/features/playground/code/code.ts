import type { ChatRequest } from '../chat';
import { anthropicBody, googleBody, openAiBody, picturesOf, type Body } from './bodies';
import { literal } from './literal';

// Generates programs that send a request. Pure.

interface Asked {
  readonly url: string;
  readonly request: ChatRequest;
}

/** The environment variable with the key. Generated code never contains a key. */
export const KEY_VARIABLE = 'TOLLGATE_KEY';

const WRITERS = {
  curl: { label: 'curl', write: curl },
  'openai-js': { label: 'OpenAI JavaScript', write: openAiJs },
  'openai-python': { label: 'OpenAI Python', write: openAiPython },
  'anthropic-js': { label: 'Anthropic JavaScript', write: anthropicJs },
  'anthropic-python': { label: 'Anthropic Python', write: anthropicPython },
  'google-js': { label: 'Google JavaScript', write: googleJs },
  'google-python': { label: 'Google Python', write: googlePython },
} satisfies Record<string, { label: string; write: (asked: Asked) => string }>;

export type Language = keyof typeof WRITERS;
export const LANGUAGES = Object.entries(WRITERS).map(([value, { label }]) => ({
  value: value as Language,
  label,
}));

/** `edgeUrl` is the gateway's public address. */
export function codeFor(language: Language, edgeUrl: string, request: ChatRequest): string {
  return WRITERS[language].write({ url: edgeUrl.replace(/\/+$/, ''), request });
}

function curl({ url, request }: Asked): string {
  const pictured = picturesOf(request).length > 0;
  // Without pictures the document is quoted, so the shell expands nothing in it.
  const body = literal(openAiBody(request), pictured ? 'shell' : 'json');
  return [
    `curl '${url}/v1/chat/completions' \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  --data-binary @- <<${pictured ? 'JSON' : "'JSON'"}`,
    body,
    'JSON',
  ].join('\n');
}

const jsKey = `process.env.${KEY_VARIABLE}`;
const pythonKey = `os.environ["${KEY_VARIABLE}"]`;

function jsHead(request: ChatRequest, load: string): string[] {
  const pictured = picturesOf(request).length > 0;
  return [...(pictured ? ['import { readFileSync } from "node:fs";'] : []), load, ''];
}

function pythonHead(request: ChatRequest, load: string, encodes: boolean): string[] {
  const pictured = picturesOf(request).length > 0;
  return [
    ...(pictured && encodes ? ['import base64'] : []),
    'import os',
    ...(pictured ? ['from pathlib import Path'] : []),
    '',
    load,
    '',
  ];
}

/** Every field of the body as a keyword argument. */
function pythonCall(start: string, body: Body): string {
  const lines = Object.entries(body).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}=${literal(value, 'python', '  ')},`],
  );
  return [`${start}(`, ...lines, ')'].join('\n');
}

function openAiJs({ url, request }: Asked): string {
  return [
    ...jsHead(request, 'import OpenAI from "openai";'),
    `const client = new OpenAI({ baseURL: "${url}/v1", apiKey: ${jsKey} });`,
    `const answer = await client.chat.completions.create(${literal(openAiBody(request), 'js')});`,
    request.tools === undefined
      ? 'console.log(answer.choices[0].message.content);'
      : 'console.log(answer.choices[0].message);',
  ].join('\n');
}

function openAiPython({ url, request }: Asked): string {
  return [
    ...pythonHead(request, 'from openai import OpenAI', true),
    `client = OpenAI(base_url="${url}/v1", api_key=${pythonKey})`,
    pythonCall('answer = client.chat.completions.create', openAiBody(request)),
    request.tools === undefined
      ? 'print(answer.choices[0].message.content)'
      : 'print(answer.choices[0].message)',
  ].join('\n');
}

function anthropicJs({ url, request }: Asked): string {
  return [
    ...jsHead(request, 'import Anthropic from "@anthropic-ai/sdk";'),
    `const client = new Anthropic({ baseURL: "${url}", apiKey: ${jsKey} });`,
    `const answer = await client.messages.create(${literal(anthropicBody(request), 'js')});`,
    'console.log(answer.content);',
  ].join('\n');
}

function anthropicPython({ url, request }: Asked): string {
  return [
    ...pythonHead(request, 'from anthropic import Anthropic', true),
    `client = Anthropic(base_url="${url}", api_key=${pythonKey})`,
    pythonCall('answer = client.messages.create', anthropicBody(request)),
    'print(answer.content)',
  ].join('\n');
}

function googleJs({ url, request }: Asked): string {
  return [
    ...jsHead(request, 'import { GoogleGenAI } from "@google/genai";'),
    `const client = new GoogleGenAI({ apiKey: ${jsKey}, httpOptions: { baseUrl: "${url}" } });`,
    `const answer = await client.models.generateContent(${literal(googleBody(request, false), 'js')});`,
    request.tools === undefined
      ? 'console.log(answer.text);'
      : 'console.log(answer.candidates[0].content.parts);',
  ].join('\n');
}

function googlePython({ url, request }: Asked): string {
  return [
    ...pythonHead(request, 'from google import genai', false),
    `client = genai.Client(api_key=${pythonKey}, http_options={"base_url": "${url}"})`,
    pythonCall('answer = client.models.generate_content', googleBody(request, true)),
    request.tools === undefined
      ? 'print(answer.text)'
      : 'print(answer.candidates[0].content.parts)',
  ].join('\n');
}
