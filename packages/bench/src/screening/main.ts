import type { ScreeningRule } from '@tollgate/contracts';
import { createProgram, createScreening, type Program } from '@tollgate/screening';

// `npm run bench:screening`: what the rules of each kind cost an edge, for a prompt of 4 KiB and for each piece
// of a stream. The best of several rounds, because a busy machine only ever makes a round slower.

const PROMPT_CHARACTERS = 4_096;
const ROUNDS = 8;
const PROMPTS = 1_000;
const STREAMS = 20;

const COMMON = {
  id: 'one',
  where: ['INPUT', 'OUTPUT'],
  roles: null,
  action: 'MASK',
  onError: 'BLOCK',
  sample: 1,
  message: null,
} as const;

const words = Array.from({ length: 2_000 }, (_, at) => `codename ${at.toString(36)}`);
const types = ['EMAIL', 'PHONE', 'CARD', 'IBAN', 'NATIONAL_ID'] as const;
const RULES: Readonly<Record<string, ScreeningRule>> = {
  'personal data': {
    ...COMMON,
    where: [...COMMON.where],
    kind: 'PERSONAL_DATA',
    types: [...types],
    restore: true,
  },
  secrets: { ...COMMON, where: [...COMMON.where], kind: 'SECRETS', restore: true },
  '2,000 keywords': {
    ...COMMON,
    where: [...COMMON.where],
    kind: 'KEYWORDS',
    keywords: words,
    caseSensitive: false,
    wholeWords: true,
    restore: true,
  },
  'prompt injection': {
    ...COMMON,
    where: [...COMMON.where],
    kind: 'PROMPT_INJECTION',
  },
  'a pattern': {
    ...COMMON,
    where: [...COMMON.where],
    kind: 'REGEX',
    patterns: [{ name: 'TICKET', pattern: '[A-Z]{2,5}-[0-9]{1,6}' }],
    ignoreCase: false,
    restore: true,
  },
};

const SENTENCE =
  'The parser reads 42 fields of each row (see section 3.2), drops those from before 2024-03-01, and writes the rest to storage. ';
const TEXT = SENTENCE.repeat(Math.ceil(PROMPT_CHARACTERS / SENTENCE.length)).slice(
  0,
  PROMPT_CHARACTERS,
);
const PIECES = TEXT.match(/ ?\S+/g) ?? [];

function screen(program: Program) {
  return createScreening({ program, random: () => 0 });
}

function microsecondsOf(run: () => void): number {
  const started = performance.now();
  run();
  return (performance.now() - started) * 1_000;
}

function best(run: () => number): number {
  return Math.min(...Array.from({ length: ROUNDS }, run));
}

for (const [name, rule] of Object.entries(RULES)) {
  const program = createProgram([{ policy: 'bench', version: 1, rule }]);
  const prompt = best(() => {
    const spent = microsecondsOf(() => {
      for (let n = 0; n < PROMPTS; n += 1) {
        const kind = { place: 'INPUT', role: 'user', fresh: true } as const;
        screen(program).input({ kind, text: TEXT });
      }
    });
    return spent / PROMPTS;
  });
  let withheld = 0;
  const piece = best(() => {
    withheld = 0;
    const spent = microsecondsOf(() => {
      for (let n = 0; n < STREAMS; n += 1) {
        const channel = screen(program).answer({ place: 'OUTPUT', json: false });
        for (const text of PIECES) if (channel.push(text).edited === undefined) withheld += 1;
        channel.flush();
      }
    });
    return spent / STREAMS / PIECES.length;
  });
  const share = Math.round((withheld / STREAMS / PIECES.length) * 100);
  console.log(
    `${name.padEnd(18)} ${prompt.toFixed(1).padStart(7)} us per 4 KiB  ${piece.toFixed(2).padStart(6)} us per piece  ${String(share).padStart(3)} % of the pieces wait for the next`,
  );
}
