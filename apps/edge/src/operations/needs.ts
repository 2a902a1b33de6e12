import type { ContentBlock, NormalisedRequest } from '../formats';

/**
 * The capabilities that a request needs beside text: `tools`, `vision`, `audio`, separated by
 * commas.
 */
export function needsOf(request: NormalisedRequest): string {
  const found = { vision: false, audio: asksForSound(request) };
  for (const { content } of request.messages) look(content, found);
  const needs: string[] = [];
  if (request.tools.length > 0 || request.addsTools) needs.push('tools');
  if (found.vision) needs.push('vision');
  if (found.audio) needs.push('audio');
  return needs.join(',');
}

function asksForSound({ audioOutput, modalities }: NormalisedRequest): boolean {
  return audioOutput !== undefined || (modalities?.includes('audio') ?? false);
}

function look(blocks: readonly ContentBlock[], found: { vision: boolean; audio: boolean }): void {
  for (const block of blocks) {
    if (block.type === 'image') found.vision = true;
    else if (block.type === 'audio') found.audio = true;
    else if (block.type === 'tool_result') look(block.content, found);
  }
}
