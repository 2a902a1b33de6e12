// A streamed message, written. The hub's events may come in any order; here one block is open at a
// time, each delta must be of its block's kind, and what a message took is said only at its end.
// Text that stays the same is made once, since this runs for every token.

import { emptyUsage, GatewayError } from '@tollgate/contracts';
import type { ReplyContext, StreamEncoder } from '../format';
import type { JsonObject, ReportedUsage, StreamEvent } from '../normalised';
import { writeSeal } from '../seals';
import { parseInput } from './blocks';
import { encodeCitation } from './citations';
import { encodeStreamError } from './error';
import { writeEvent } from './events';
import { encodeEnvelope, imageText, inputOf, toolUse } from './response';
import { SEALER } from './seal';
import { encodeStop } from './stop-reason';
import { encodeUsage } from './usage';

type EventOf<T extends StreamEvent['type']> = Extract<StreamEvent, { type: T }>;
type Start = EventOf<'start'>;
type ToolStart = EventOf<'tool_start'>;
type ToolEvent = ToolStart | EventOf<'tool_delta'>;
type Spoken = EventOf<'text' | 'refusal' | 'thinking' | 'citation' | 'image' | 'audio'>;

type OpenBlock =
  | { type: 'text' | 'thinking' }
  /** `parts` are kept to see, once, whether they make a whole. */
  | { type: 'tool'; start: ToolStart; parts: string[] };

export function createStreamEncoder(context: ReplyContext): StreamEncoder {
  const writer = createBlockWriter();
  let begun: Start | undefined;
  let usage: ReportedUsage | undefined;
  let stop: EventOf<'stop'> | undefined;
  let refuses = false;
  let over = false;
  let failure: GatewayError | undefined;
  // Blocks cannot be interleaved: what comes for others while a call is incomplete waits for it.
  let waiting: (ToolEvent | Spoken)[] = [];

  function begin(start: Start): string {
    begun = start;
    const tokens = start.inputUsage ?? emptyUsage();
    const message = {
      ...encodeEnvelope(start.id, context),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: encodeUsage(tokens, start.serviceTier),
    };
    return writeEvent('message_start', { message });
  }

  function place(event: ToolEvent | Spoken): string {
    if (waiting.length > 0 || !writer.hasRoomFor(event)) {
      if (!writer.isOpen(event)) {
        waiting.push(event);
        return '';
      }
    }
    return writer.write(event);
  }

  /** Writes what had to wait, block by block. */
  function release(): string {
    const groups = Map.groupBy(waiting, (event) => ('tool' in event ? event.tool : event.type));
    waiting = [];
    let text = '';
    for (const events of groups.values()) for (const event of events) text += writer.write(event);
    return text;
  }

  function end(): string {
    if (stop?.reason === 'length') writer.cutOff();
    const text = release() + writer.close();
    const tokens = usage?.tokens ?? context.estimatedUsage ?? emptyUsage();
    const { callsTools } = writer;
    const stopSequence = stop?.stopSequence;
    const ended = encodeStop(stop?.reason ?? 'other', { callsTools, refuses, stopSequence });
    const delta = { ...ended, container: null };
    return `${text}${writeEvent('message_delta', { delta, usage: encodeUsage(tokens) })}${writeEvent('message_stop')}`;
  }

  function encode(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return begin(event);
      case 'stop':
        // With several answers asked for, which this format cannot do, the first one counts.
        if (event.choice === 0) stop = event;
        return '';
      case 'usage':
        usage = event.usage;
        return '';
      case 'end':
        return end();
      case 'error':
        return encodeStreamError(event.error, context);
      default:
        if (event.choice !== 0) return '';
        refuses ||= event.type === 'refusal';
        return place(event);
    }
  }

  return {
    encode(event) {
      if (over) return '';
      try {
        const first = begun === undefined && event.type !== 'start' && event.type !== 'error';
        const text = first
          ? begin({ type: 'start', id: '', model: '' }) + encode(event)
          : encode(event);
        over = event.type === 'end' || event.type === 'error';
        return text;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        // A call that is broken must not be closed: clients would make it one without arguments.
        over = true;
        failure = error;
        return encodeStreamError(error, context);
      }
    },
    get failure() {
      return failure;
    },
  };
}

const DELTA = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":';

function createBlockWriter() {
  let index = -1;
  let open: OpenBlock | undefined;
  let callsTools = false;
  let isCutOff = false;
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
    // Text that is free elsewhere is one field here, and could not be written as it came.
    return kind === 'custom' ? `${delta(JSON.stringify(input))}${stop}` : stop;
  }

  function openTool(tool: ToolStart): string {
    callsTools = true;
    return start({ type: 'tool', start: tool, parts: [] }, toolUse(tool));
  }

  function text(value: string): string {
    if (value === '') return '';
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
    const fresh = { type: 'thinking', thinking: '', signature: '' };
    let written = open?.type === 'thinking' ? '' : start({ type: 'thinking' }, fresh);
    if (said !== undefined && said !== '') written += delta(said);
    // A seal is for all that was thought before it.
    if (signature !== undefined) written += otherDelta('signature_delta', { signature }) + close();
    return written;
  }

  function toolDelta({ tool, arguments: said }: EventOf<'tool_delta'>): string {
    if (open?.type !== 'tool' || open.start.tool !== tool || said === '') return '';
    open.parts.push(said);
    return open.start.kind === 'custom' ? '' : delta(said);
  }

  function write(event: ToolEvent | Spoken): string {
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
      case 'image':
        return text(imageText(event.url) ?? '');
      case 'audio':
        return text(event.transcript ?? '');
    }
  }

  /** Whether the open block is the one that an event belongs to. */
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
    /** From here on calls may be incomplete: the end of the answer says that it was cut off. */
    cutOff: (): void => void (isCutOff = true),
    isOpen,
    hasRoomFor,
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
} as const;
