// The folder of the recordings of each upstream format, with subfolders `answers` and `streams`.

import { join } from 'node:path';

const FORMATS_FOLDER = join(__dirname, '..');

export const RECORDED = {
  'openai-chat': join(FORMATS_FOLDER, 'golden'),
  'openai-responses': join(FORMATS_FOLDER, 'openai-responses/golden'),
  'anthropic-messages': join(FORMATS_FOLDER, 'anthropic-messages/golden'),
  'gemini-generate': join(FORMATS_FOLDER, 'gemini-generate/golden'),
} as const;

export type Upstream = keyof typeof RECORDED;
