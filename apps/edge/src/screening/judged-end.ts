// The end of a stream may be written after services have judged it, and repeats texts in the responses format.

import type { TokenUsage } from '@tollgate/contracts';

import type { Passage } from '../operations';
import { eventTexts, type EventText } from './event-texts';
import { createSseEvents } from './stream-events';

/** The passage with an end as `judged` returns it. An error at its end repeats nothing. */
export function withJudgedEnd(inner: Passage, judged: (text: string) => string): Passage {
  const own: Pick<Passage, 'ending' | 'last'> = {
    get last() {
      const { last } = inner;
      return last && ((tokens: TokenUsage) => judged(last(tokens)));
    },
    get ending() {
      const { ending } = inner;
      const cut = ending?.cut;
      return (
        ending && {
          ...ending,
          ...(cut ? { cut: (tokens: TokenUsage) => judged(cut(tokens)) } : {}),
        }
      );
    },
  };
  return Object.create(inner, Object.getOwnPropertyDescriptors(own)) as Passage;
}

/**
 * Server-sent events with their texts as `goesOn` returns them. Undefined: nothing has judged it, so a copy of
 * output goes.
 */
export function judgedEvents(
  text: string,
  goesOn: (text: EventText) => string | undefined,
): string {
  const events = createSseEvents();
  const written = events.push(Buffer.from(text)).map((event) => {
    let changed = false;
    for (const given of event.json ? eventTexts(event.json).texts : []) {
      const passed = goesOn(given) ?? (given.kind.repeats ? '' : given.text);
      if (passed === given.text) continue;
      given.set(passed);
      changed = true;
    }
    return changed ? event.write() : event.bytes;
  });
  return Buffer.concat([...written, events.rest()]).toString();
}
