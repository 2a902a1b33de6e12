// Assembles streamed tool calls: servers differ in when they name a call, how they number it, and
// what they repeat.

import { objectOf, textOf } from '../json';
import type { JsonObject, StreamEvent } from '../normalised';

interface ToolState {
  id: string;
  name: string;
  kind: 'function' | 'custom';
  started: boolean;
  /** Arguments that came before the name. */
  held: string;
}

/** The calls of one choice. */
export interface ToolCalls {
  tools: Map<number, ToolState>;
  /** Maps a number on the wire to a call: Gemini's compatible surface numbers all calls 0. */
  numbered: Map<number, number>;
}

/** Limits the state that one stream can create. */
const MAX_TOOLS = 1_024;

/** The call of a delta. A delta with a name and a new id starts another call. */
function toolMeant(
  number: number,
  id: string,
  name: string,
  { tools, numbered }: ToolCalls,
): number {
  const tool = numbered.get(number) ?? number;
  const begun = tools.get(tool);
  const another = begun?.started === true && id !== '' && name !== '' && id !== begun.id;
  if (!another) return tool;
  const next = Math.max(...tools.keys()) + 1;
  numbered.set(number, next);
  return next;
}

export function decodeToolDelta(
  choice: number,
  number: number,
  call: JsonObject,
  calls: ToolCalls,
  events: StreamEvent[],
): void {
  const { tools } = calls;
  const custom = objectOf(call['custom']);
  const called = custom ?? objectOf(call['function']) ?? {};
  const [callId, name] = [textOf(call['id']) ?? '', textOf(called['name']) ?? ''];
  const tool = toolMeant(number, callId, name, calls);
  let state = tools.get(tool);
  if (state === undefined) {
    if (tools.size >= MAX_TOOLS) return;
    const kind = custom === undefined ? 'function' : 'custom';
    state = { id: '', name: '', kind, started: false, held: '' };
    tools.set(tool, state);
  }
  const text = textOf(state.kind === 'custom' ? called['input'] : called['arguments']) ?? '';
  if (state.started) {
    if (text !== '') events.push({ type: 'tool_delta', choice, tool, arguments: text });
    return;
  }
  state.id = callId || state.id;
  state.name = name || state.name;
  state.held += text;
  if (state.name === '') return;
  state.started = true;
  const id = state.id || `call_${choice}_${tool}`;
  events.push({ type: 'tool_start', choice, tool, kind: state.kind, id, name: state.name });
  if (state.held !== '') {
    events.push({ type: 'tool_delta', choice, tool, arguments: state.held });
    state.held = '';
  }
}
