// The SDKs in the versions that applications use. Each version is a row.

import * as genai from '@google/genai';
import * as genai2 from 'genai2';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import OpenAI6 from 'openai6';
import * as helpers6 from 'openai6/helpers/zod';

import { anthropicMessages } from './anthropic-messages';
import { geminiGenerate, type GenAiPackage } from './gemini-generate';
import { openAiChat } from './openai-chat';
import { openAiResponses } from './openai-responses';
import type { Sdk } from './sdk';

const openAi7 = { OpenAI, zodResponseFormat, zodTextFormat };

// TypeScript treats the types of two versions of a package as unrelated. The parts used here are
// the same in both, which the tests confirm.
const openAi6 = { OpenAI: OpenAI6, ...helpers6 } as unknown as typeof openAi7;
const genAi2 = genai2 as unknown as GenAiPackage;

export const SDKS: readonly Sdk[] = [
  openAiChat('openai 6 chat', false, openAi6),
  openAiChat('openai 7 chat', true, openAi7),
  openAiResponses('openai 6 responses', false, openAi6),
  openAiResponses('openai 7 responses', true, openAi7),
  anthropicMessages,
  geminiGenerate('genai 2', false, genAi2),
  geminiGenerate('genai 3', true, genai),
];
