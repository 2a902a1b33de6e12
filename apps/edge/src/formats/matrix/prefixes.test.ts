// Providers cache the beginning of a prompt. So what is sent for a turn begins with all that was sent for
// the turn before, byte by byte, from every client format to every upstream.

import { FORMATS, type FormatName, type JsonObject } from '..';
import { arrayOf, isObject } from '../json';
import { REQUESTS, turnsOf } from './test-support/long-conversation';
import { TARGETS, type TargetName } from './test-support/matrix';

const TURNS = 50;
const turns = turnsOf(TURNS);
const clients = Object.keys(REQUESTS) as FormatName[];
const targets = Object.keys(TARGETS) as TargetName[];

/** The fields that hold the conversation. */
const SPOKEN = ['messages', 'input', 'contents'];

function sent(client: FormatName, target: TargetName, turn: number): JsonObject {
  // As it arrives: a body that shares no object with that of another turn.
  const text = JSON.stringify(REQUESTS[client](turns.slice(0, turn + 1)));
  const request = FORMATS[client].decodeRequest(JSON.parse(text) as JsonObject, { model: 'm' });
  const { format, context } = TARGETS[target];
  return FORMATS[format].encodeRequest(request, context).body;
}

/**
 * Marks say where a prefix ends and are no part of it, and a text alone means the same as a list with only
 * that text. Marks move with the newest turn, and take the list with them.
 */
function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (!isObject(value)) return value;
  const { cache_control: _mark, ...rest } = value;
  return Object.fromEntries(
    Object.entries(rest).map(([name, inner]) => [name, textAlone(unmarked(inner))]),
  );
}

function textAlone(value: unknown): unknown {
  const [only, ...others] = arrayOf(value);
  const isText = isObject(only) && only['type'] === 'text' && Object.keys(only).length === 2;
  return isText && others.length === 0 ? only['text'] : value;
}

/** The body up to the end of its last turn, and all that stands after the conversation. */
function partsOf(body: JsonObject): { begins: string; rest: JsonObject } {
  const rest = unmarked(body) as JsonObject;
  const spoken = SPOKEN.find((name) => rest[name] !== undefined) ?? '';
  const said = JSON.stringify(rest[spoken]);
  const text = JSON.stringify(rest);
  const begins = text.slice(0, text.indexOf(said) + said.length - 1);
  delete rest[spoken];
  return { begins, rest };
}

function differsAt(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

describe.each(clients)('from %s', (client) => {
  test.each(targets)('to %s, each turn begins with the turn before', (target) => {
    let before = partsOf(sent(client, target, 0));
    for (let turn = 1; turn < TURNS; turn += 1) {
      const now = partsOf(sent(client, target, turn));
      if (!now.begins.startsWith(before.begins)) {
        const at = differsAt(before.begins, now.begins);
        const around = (text: string): string => text.slice(Math.max(0, at - 80), at + 120);
        expect({ turn, sent: around(now.begins) }).toEqual({ turn, sent: around(before.begins) });
      }
      expect({ turn, ...now.rest }).toEqual({ turn, ...before.rest });
      before = now;
    }
    expect(before.begins.length).toBeGreaterThan(5_000);
  });
});
