// apps/admin/texts.json has the texts of the console, and they keep the rules of CONTRIBUTING.md.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCRIPT = join(__dirname, 'console-texts.mjs');
const LIST = join(__dirname, '../apps/admin/texts.json');

type Texts = Record<string, readonly string[]>;

const parsed = (text: string) => JSON.parse(text) as Texts;
const listed = parsed(readFileSync(LIST, 'utf8'));
const all = Object.entries(listed).flatMap(([file, texts]) =>
  texts.map((text) => ({ file, text })),
);

/** The texts that the script finds in a source. */
function textsIn(source: string): string[] {
  const code = `import { textsIn } from ${JSON.stringify(`file://${SCRIPT}`)};
    process.stdout.write(JSON.stringify(textsIn(process.argv[1], true)))`;
  const given = ['--input-type=module', '--eval', code, source];
  return JSON.parse(execFileSync(process.execPath, given, { encoding: 'utf8' })) as string[];
}

test('the list has every text as the source has it (node scripts/console-texts.mjs)', () => {
  const written = execFileSync(process.execPath, [SCRIPT, '--print'], { encoding: 'utf8' });
  expect(listed).toEqual(parsed(written));
  expect(all.length).toBeGreaterThan(3_000);
});

test('texts of elements, attributes and values are found, and code is not', () => {
  const source = `'use client';
    import { a } from 'some package of code';
    const KINDS = { budget: 'Budget of a team', kind: 'BUDGET' };
    export const f = ({ count, kind }) => kind === 'Not shown' ? null : (
      <Card title="Requests of today" className="Flex and more" onClick={() => log.warn('A log line')}>
        <p>Kept until <Time at={count} />, see <a href="/The path" title="Opens a tab">the <b>whole</b> page</a>.</p>
        {count > 1 ? \`\${count} requests\` : 'one request'}
        <p>All of {\`\${count > 9 ? 'a dozen; or more' : 'Few; all shown'} of them\`}</p>
      </Card>
    );
    throw new Error('Not for people');`;
  expect(textsIn(source)).toEqual([
    'Budget of a team',
    'Requests of today',
    'Kept until <Time/>, see <a>the <b>whole</b> page</a>.',
    'Opens a tab',
    '{count} requests',
    'one request',
    'All of {count} of them',
    'Few; all shown',
  ]);
});

const breaking = (rule: RegExp) =>
  all.filter(({ text }) => rule.test(text)).map(({ file, text }) => `${file}: ${text}`);

test.each([
  ['a typographic apostrophe and quotation marks', /\p{L}'\p{L}|(?<!^)"(?!:)/u],
  ['one character for an ellipsis', /\.\.\./],
  ['no exclamation marks', /\p{L}!/u],
  ['one space', /\S {2,}\S/],
  ['a dash without spaces around it is no hyphen', / -{1,2} /],
  ['no filler and no apologies', /\b(?:please|sorry|oops|simply|easily|just|successfully)\b/i],
  ['what is wrong instead of “invalid”', /\binvalid\b/i],
  ['no contractions', /\p{L}(?:n’t|’re|’ll|’ve)\b|\b(?:it|that|there)’s\b/iu],
  [
    '“one per line”, “lower-case letters” and “compared with”',
    /\bone a line|small letters|compared to/i,
  ],
  ['“email”', /\be-mail|\bmail address/i],
  ['the gateway, not “we”', /(?<!-)\b(?:[Ww]e|[Oo]ur|us)\b(?!-)/],
])('texts keep to %s', (_what, rule) => {
  expect(breaking(rule)).toEqual([]);
});

test('one text is written in one way', () => {
  const ways = new Map<string, Set<string>>();
  for (const { text } of all) {
    // A heading has no full stop, the button of a dialog no question mark.
    const way = text
      .replaceAll(/\{\w*\}/g, '{}')
      .toLowerCase()
      .replaceAll(/^[\s,·]+|[\s.?:·]+$/g, '');
    const words = way.replaceAll(/[.,;:“”()–…\s]+/g, ' ').trim();
    ways.set(words, (ways.get(words) ?? new Set()).add(way));
  }
  expect([...ways.values()].filter(({ size }) => size > 1).map((way) => [...way])).toEqual([]);
});
