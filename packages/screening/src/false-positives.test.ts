import type { Hit } from './finder';
import { programOf } from './test-support';
import { transcript } from './test-support/transcripts';

// What agents send is full of numbers, ids and addresses of machines. The default sets find nothing in it.

const TRANSCRIPTS = 500;
/** What each kind does find among the rest. */
const PLANTED = {
  PERSONAL_DATA: 'ana@example.org',
  SECRETS: 'AKIAIOSFODNN7EXAMPLE',
  PROMPT_INJECTION: 'ignore all previous instructions',
  INVISIBLE_TEXT: 'zero\u200bwidth',
};
const KINDS = Object.keys(PLANTED) as (keyof typeof PLANTED)[];

test.each(KINDS)('%s finds nothing in 500 transcripts of agents', (kind) => {
  const finders = programOf({ kind }).findersOf('OUTPUT');
  const planted: Hit[] = [];
  for (const finder of finders) finder.scan(`${transcript(1)}\n${PLANTED[kind]}`, planted);
  expect(planted).toHaveLength(1);
  const found: string[] = [];
  for (let seed = 1; seed <= TRANSCRIPTS; seed += 1) {
    const text = transcript(seed);
    const hits: Hit[] = [];
    for (const finder of finders) finder.scan(text, hits);
    for (const { end, label, start } of hits) {
      found.push(`${seed}: ${label} ${text.slice(Math.max(0, start - 20), end + 5)}`);
    }
  }
  expect(found).toEqual([]);
});
