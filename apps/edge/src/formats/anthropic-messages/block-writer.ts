// Writes the blocks of a streamed message: one block is open at a time, and each delta is of its
// block's kind.

import type { JsonObject, StreamEvent, WebSearchCall } from '../normalised';
import { writeSeal } from '../seals';
import { parseInput } from './blocks';
import { encodeCitation } from './citations';
import { writeEvent } from './events';
import { imageText, inputOf, toolUse } from './response';
import { SEALER } from './seal';
import { encodeSearch } from './web-search';

export type EventOf<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>;
type ToolStart = EventOf<'tool_start'>;
export type ToolEvent = ToolStart | EventOf<'tool_delta'>;
export type Spoken = EventOf<
  'text' | 'refusal' | 'thinking' | 'citation' | 'web_search' | 'image' | 'audio'
>;

type OpenBlock =
  | { type: 'text' | 'thinking' | 'search' | 'search_result' }
  /** `parts` are buffered to check once whether they are complete JSON. */
  | { type: 'tool'; start: ToolStart; parts: string[] };

const DELTA = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';

interface Writer {
  /** How much of the end of the text is remembered. */
  readonly tailLength: number;
  index: number;
  open: OpenBlock | undefined;
  callsTools: boolean;
  isCutOff: boolean;
  /**
   * A seal without reasoning: written with the block after it, because no message ends with one.
   */
  sealAhead: EventOf<'thinking'> | undefined;
  tail: string;
  /** Up to the text of a delta; different for each block. */
  head: string;
}

/** `tailLength` is how much of the end of the text is remembered. */
export function createBlockWriter(tailLength: number) {
  const writer: Writer = {
    tailLength,
    index: -1,
    open: undefined,
    callsTools: false,
    isCutOff: false,
    sealAhead: undefined,
    tail: '',
    head: '',
  };
  return {
    write: (event: ToolEvent | Spoken) => write(writer, event),
    close: () => close(writer),
    /** From here on calls may be incomplete: the answer ends as cut off. */
    cutOff: (): void => void (writer.isCutOff = true),
    isOpen: (event: ToolEvent | Spoken) => isOpen(writer, event),
    hasRoomFor: (event: ToolEvent | Spoken) => hasRoomFor(writer, event),
    get tail() {
      return writer.tail;
    },
    get callsTools() {
      return writer.callsTools;
    },
  };
}

/** Some servers end with an empty text, which must not follow a seal. */
function write(writer: Writer, event: ToolEvent | Spoken): string {
  if (writer.sealAhead === undefined) return writeNow(writer, event);
  if (event.type === 'text' && event.text === '') return '';
  const sealed = thought(writer, '', writeSeal(writer.sealAhead, SEALER));
  writer.sealAhead = undefined;
  return sealed + writeNow(writer, event);
}

function writeNow(writer: Writer, event: ToolEvent | Spoken): string {
  switch (event.type) {
    case 'text':
    case 'refusal':
      return text(writer, event.text);
    case 'thinking':
      return thinking(writer, event);
    case 'tool_start':
      return openTool(writer, event);
    case 'tool_delta':
      return toolDelta(writer, event);
    case 'citation': {
      const opened = writer.open?.type === 'text' ? '' : openText(writer);
      return (
        opened + otherDelta(writer, 'citations_delta', { citation: encodeCitation(event.citation) })
      );
    }
    case 'web_search':
      return search(writer, event.search);
    case 'image':
      return text(writer, imageText(event.url) ?? '');
    case 'audio':
      return text(writer, event.transcript ?? '');
  }
}

function text(writer: Writer, value: string): string {
  if (value === '') return '';
  if (writer.tailLength > 0) writer.tail = (writer.tail + value).slice(-writer.tailLength);
  const opened = writer.open?.type === 'text' ? '' : openText(writer);
  return opened + delta(writer, value);
}

function openText(writer: Writer): string {
  return start(writer, { type: 'text' }, { type: 'text', text: '', citations: null });
}

function thinking(writer: Writer, event: EventOf<'thinking'>): string {
  const { text: said, redacted } = event;
  const signature = writeSeal(event, SEALER);
  if (redacted !== undefined) {
    const block = { type: 'redacted_thinking', data: signature };
    return start(writer, { type: 'thinking' }, block) + close(writer);
  }
  if (writer.open?.type !== 'thinking' && !said) {
    // An empty thought is no block.
    if (signature !== undefined) writer.sealAhead = event;
    return '';
  }
  return thought(writer, said ?? '', signature);
}

function thought(writer: Writer, said: string, signature: string | undefined): string {
  const fresh = { type: 'thinking', thinking: '', signature: '' };
  let written = writer.open?.type === 'thinking' ? '' : start(writer, { type: 'thinking' }, fresh);
  if (said !== '') written += delta(writer, said);
  // A seal covers all reasoning before it.
  if (signature !== undefined)
    written += otherDelta(writer, 'signature_delta', { signature }) + close(writer);
  return written;
}

function openTool(writer: Writer, tool: ToolStart): string {
  writer.callsTools = true;
  return start(writer, { type: 'tool', start: tool, parts: [] }, toolUse(tool));
}

function toolDelta(writer: Writer, { tool, arguments: said }: EventOf<'tool_delta'>): string {
  if (writer.open?.type !== 'tool' || writer.open.start.tool !== tool || said === '') return '';
  writer.open.parts.push(said);
  return writer.open.start.kind === 'custom' ? '' : delta(writer, said);
}

function search(writer: Writer, made: WebSearchCall): string {
  const { use, result } = encodeSearch(made, writer.index + 1);
  const begun = start(writer, { type: 'search' }, { ...use, input: {} });
  return (
    begun +
    delta(writer, JSON.stringify(use['input'])) +
    start(writer, { type: 'search_result' }, result) +
    close(writer)
  );
}

function start(writer: Writer, block: OpenBlock, wire: JsonObject): string {
  const closed = close(writer);
  writer.index += 1;
  writer.open = block;
  const [kind, field] = KINDS[block.type];
  writer.head = `${DELTA}${writer.index},"delta":{"type":"${kind}","${field}":`;
  return `${closed}${writeEvent('content_block_start', { index: writer.index, content_block: wire })}`;
}

function delta(writer: Writer, text: string): string {
  return `${writer.head}${JSON.stringify(text)}}}\n\n`;
}

function otherDelta(writer: Writer, type: string, fields: JsonObject): string {
  return writeEvent('content_block_delta', { index: writer.index, delta: { type, ...fields } });
}

/** @throws GatewayError when the open block is a call that is broken */
function close(writer: Writer): string {
  if (writer.open === undefined) return '';
  const block = writer.open;
  writer.open = undefined;
  const stop = `event: content_block_stop\ndata: {"type":"content_block_stop","index":${writer.index}}\n\n`;
  if (block.type !== 'tool') return stop;
  const { kind, name } = block.start;
  const input = inputOf({ kind, name, arguments: block.parts.join('') }, writer.isCutOff);
  // Free text elsewhere is one field here, so it must arrive complete.
  return kind === 'custom' ? `${delta(writer, JSON.stringify(input))}${stop}` : stop;
}

/** Whether an event belongs to the open block. */
function isOpen(writer: Writer, event: ToolEvent | Spoken): boolean {
  return (
    writer.open?.type === 'tool' &&
    event.type === 'tool_delta' &&
    writer.open.start.tool === event.tool
  );
}

/** Whether an event can be written now: only an incomplete call must not be closed. */
function hasRoomFor(writer: Writer, event: ToolEvent | Spoken): boolean {
  if (writer.open?.type !== 'tool' || isOpen(writer, event)) return true;
  if (writer.open.start.kind === 'custom') return false;
  const said = writer.open.parts.join('');
  return said !== '' && parseInput(said) !== undefined;
}

/** The kind of a block's deltas, and the field that holds their text. */
const KINDS = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool: ['input_json_delta', 'partial_json'],
  search: ['input_json_delta', 'partial_json'],
  /** The block arrives complete. */
  search_result: ['', ''],
} as const;
