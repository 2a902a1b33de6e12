// Sources of an answer. Offsets count bytes of the text here, characters in the hub.

import { arrayOf, countOf, objectOf, present, textOf } from '../json';
import type { Citation, JsonObject } from '../normalised';

/** The sources of a candidate: its grounding and its recitations. */
export function decodeCitations(candidate: JsonObject, text: () => string): Citation[] {
  const grounding = objectOf(candidate['groundingMetadata']);
  const recited = objectOf(candidate['citationMetadata']);
  if (grounding === undefined && recited === undefined) return [];
  const character = characterOffsets(text());
  return [
    ...(grounding ? decodeGrounding(grounding, character) : []),
    ...decodeRecited(recited ?? {}, character),
  ];
}

type Offset = (bytes: unknown) => number | undefined;

function characterOffsets(text: string): Offset {
  const bytes = Buffer.from(text);
  return (value) => {
    const offset = countOf(value);
    if (offset === undefined || bytes.length === text.length) return offset;
    return bytes.subarray(0, offset).toString('utf8').length;
  };
}

/** A source without a passage is listed too. */
function decodeGrounding(grounding: JsonObject, character: Offset): Citation[] {
  const chunks = arrayOf(grounding['groundingChunks']).map(decodeChunk);
  const used = new Set<number>();
  const citations: Citation[] = [];
  for (const value of arrayOf(grounding['groundingSupports'])) {
    const support = objectOf(value) ?? {};
    const passage = decodePassage(objectOf(support['segment']) ?? {}, character);
    for (const index of arrayOf(support['groundingChunkIndices'])) {
      const chunk = typeof index === 'number' ? chunks[index] : undefined;
      if (chunk === undefined) continue;
      used.add(index as number);
      citations.push({ ...chunk, ...passage });
    }
  }
  const rest = chunks.filter((chunk, index) => chunk !== undefined && !used.has(index));
  return [...citations, ...(rest as Citation[])];
}

/** Zero is absent on the wire. */
function decodePassage(source: JsonObject, character: Offset): Partial<Citation> {
  const endIndex = character(source['endIndex']);
  if (endIndex === undefined) return {};
  return { ...present({ startIndex: character(source['startIndex'] ?? 0) }), endIndex };
}

const CHUNK_KINDS = ['web', 'retrievedContext', 'maps', 'image'];

function decodeChunk(value: unknown): Citation | undefined {
  const chunk = objectOf(value) ?? {};
  for (const kind of CHUNK_KINDS) {
    const source = objectOf(chunk[kind]);
    const url = textOf(source?.['uri']) ?? textOf(source?.['sourceUri']);
    if (url !== undefined) return { url, ...present({ title: textOf(source?.['title']) }) };
  }
  return undefined;
}

/** The vendor's developer and enterprise interfaces name this list differently. */
function decodeRecited(metadata: JsonObject, character: Offset): Citation[] {
  const sources = [...arrayOf(metadata['citationSources']), ...arrayOf(metadata['citations'])];
  return sources.flatMap((value) => {
    const source = objectOf(value) ?? {};
    const url = textOf(source['uri']);
    if (url === undefined) return [];
    const passage = decodePassage(source, character);
    return [{ url, ...present({ title: textOf(source['title']) }), ...passage }];
  });
}

/** `text` is that of the whole candidate, which offsets refer to. */
export function encodeGrounding(citations: readonly Citation[], text: string): JsonObject {
  const chunks: JsonObject[] = [];
  const indices = new Map<string, number>();
  const supports: JsonObject[] = [];
  for (const { url: uri, title, startIndex, endIndex } of citations) {
    const key = JSON.stringify([uri, title]);
    let index = indices.get(key);
    if (index === undefined) {
      index = chunks.length;
      indices.set(key, index);
      chunks.push({ web: { uri, ...present({ title }) } });
    }
    if (endIndex === undefined) continue;
    const start = startIndex ?? 0;
    const segment = {
      startIndex: Buffer.byteLength(text.slice(0, start)),
      endIndex: Buffer.byteLength(text.slice(0, endIndex)),
      text: text.slice(start, endIndex),
    };
    supports.push({ segment, groundingChunkIndices: [index] });
  }
  return {
    groundingChunks: chunks,
    ...(supports.length > 0 ? { groundingSupports: supports } : {}),
  };
}
