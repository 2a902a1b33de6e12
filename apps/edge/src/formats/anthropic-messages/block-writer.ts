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

/** `tailLength` is how much of the end of the text is remembered. */
export function createBlockWriter(tailLength: number) {
  let index = -1;
  let open: OpenBlock | undefined;
  let callsTools = false;
  let isCutOff = false;
  /**
   * A seal without reasoning: written with the block after it, because no message ends with one.
   */
  let sealAhead: EventOf<'thinking'> | undefined;
  let tail = '';
  // Up to the text of a delta; different for each block.
  let head = '';

  function start(block: OpenBlock, wire: JsonObject): string {
    const closed = close();
    index += 1;
    open = block;
    const [kind, field] = KINDS[block.type];
    head = `${DELTA}${index},"delta":{"type":"${kind}","${field}":`;
    return `${closed}${writeEvent('content_block_start', { index, content_block: wire })}`;
  }

  function delta(text: string): string {
    return `${head}${JSON.stringify(text)}}}\n\n`;
  }

  function otherDelta(type: string, fields: JsonObject): string {
    return writeEvent('content_block_delta', { index, delta: { type, ...fields } });
  }

  /** @throws GatewayError when the open block is a call that is broken */
  function close(): string {
    if (open === undefined) return '';
    const block = open;
    open = undefined;
    const stop = `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;
    if (block.type !== 'tool') return stop;
    const { kind, name } = block.start;
    const input = inputOf({ kind, name, arguments: block.parts.join('') }, isCutOff);
    // Free text elsewhere is one field here, so it must arrive complete.
    return kind === 'custom' ? `${delta(JSON.stringify(input))}${stop}` : stop;
  }

  function openTool(tool: ToolStart): string {
    callsTools = true;
    return start({ type: 'tool', start: tool, parts: [] }, toolUse(tool));
  }

  function text(value: string): string {
    if (value === '') return '';
    if (tailLength > 0) tail = (tail + value).slice(-tailLength);
    const opened = open?.type === 'text' ? '' : openText();
    return opened + delta(value);
  }

  function openText(): string {
    return start({ type: 'text' }, { type: 'text', text: '', citations: null });
  }

  function thinking(event: EventOf<'thinking'>): string {
    const { text: said, redacted } = event;
    const signature = writeSeal(event, SEALER);
    if (redacted !== undefined) {
      const block = { type: 'redacted_thinking', data: signature };
      return start({ type: 'thinking' }, block) + close();
    }
    if (open?.type !== 'thinking' && !said) {
      // An empty thought is no block.
      if (signature !== undefined) sealAhead = event;
      return '';
    }
    return thought(said ?? '', signature);
  }

  function thought(said: string, signature: string | undefined): string {
    const fresh = { type: 'thinking', thinking: '', signature: '' };
    let written = open?.type === 'thinking' ? '' : start({ type: 'thinking' }, fresh);
    if (said !== '') written += delta(said);
    // A seal covers all reasoning before it.
    if (signature !== undefined) written += otherDelta('signature_delta', { signature }) + close();
    return written;
  }

  function search(made: WebSearchCall): string {
    const { use, result } = encodeSearch(made, index + 1);
    const begun = start({ type: 'search' }, { ...use, input: {} });
    return (
      begun +
      delta(JSON.stringify(use['input'])) +
      start({ type: 'search_result' }, result) +
      close()
    );
  }

  function toolDelta({ tool, arguments: said }: EventOf<'tool_delta'>): string {
    if (open?.type !== 'tool' || open.start.tool !== tool || said === '') return '';
    open.parts.push(said);
    return open.start.kind === 'custom' ? '' : delta(said);
  }

  /** Some servers end with an empty text, which must not follow a seal. */
  function write(event: ToolEvent | Spoken): string {
    if (sealAhead === undefined) return writeNow(event);
    if (event.type === 'text' && event.text === '') return '';
    const sealed = thought('', writeSeal(sealAhead, SEALER));
    sealAhead = undefined;
    return sealed + writeNow(event);
  }

  function writeNow(event: ToolEvent | Spoken): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return text(event.text);
      case 'thinking':
        return thinking(event);
      case 'tool_start':
        return openTool(event);
      case 'tool_delta':
        return toolDelta(event);
      case 'citation': {
        const opened = open?.type === 'text' ? '' : openText();
        return opened + otherDelta('citations_delta', { citation: encodeCitation(event.citation) });
      }
      case 'web_search':
        return search(event.search);
      case 'image':
        return text(imageText(event.url) ?? '');
      case 'audio':
        return text(event.transcript ?? '');
    }
  }

  /** Whether an event belongs to the open block. */
  function isOpen(event: ToolEvent | Spoken): boolean {
    return open?.type === 'tool' && event.type === 'tool_delta' && open.start.tool === event.tool;
  }

  /** Whether an event can be written now: only an incomplete call must not be closed. */
  function hasRoomFor(event: ToolEvent | Spoken): boolean {
    if (open?.type !== 'tool' || isOpen(event)) return true;
    if (open.start.kind === 'custom') return false;
    const said = open.parts.join('');
    return said !== '' && parseInput(said) !== undefined;
  }

  return {
    write,
    close,
    /** From here on calls may be incomplete: the answer ends as cut off. */
    cutOff: (): void => void (isCutOff = true),
    isOpen,
    hasRoomFor,
    get tail() {
      return tail;
    },
    get callsTools() {
      return callsTools;
    },
  };
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
