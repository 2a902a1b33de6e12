// Masks bodies before they leave the edge: by the rules of the organisation that mask, and always by the detectors
// of personal data and of secrets.

import { asksService, screeningRules, type BodyLeftOut } from '@tollgate/contracts';
import type { BodyText, RequestBodies } from '@tollgate/contracts/node';
import {
  createProgram,
  createScreening,
  type NamedRule,
  type Program,
  type Screening,
} from '@tollgate/screening';

import type { EndedBodies, UnmaskedBody } from '../exchange/kept-bodies';
import type { NormalisedResponse } from '../formats';
import { screenTexts, type TakeTurns } from '../screening';
import { copyWithin } from './copy';
import { textsIn, type DocumentText } from './document-texts';

const WHERE = { where: ['INPUT' as const], action: 'MASK' as const, onError: 'PASS' as const };
const ALWAYS: readonly NamedRule[] = screeningRules
  .parse([
    { ...WHERE, id: 'personal', kind: 'PERSONAL_DATA' },
    { ...WHERE, id: 'secrets', kind: 'SECRETS' },
  ])
  .map((rule) => ({ policy: 'bodies', version: 1, rule }));

const ALONE = createProgram(ALWAYS);
const together = new WeakMap<Program, Program>();

/** The rules of a request that mask, and those that always apply, for every text. */
function maskingProgram(of: Program | undefined): Program {
  if (!of) return ALONE;
  const known = together.get(of);
  if (known) return known;
  const own = of.rules.flatMap(({ policy, version, rule }): NamedRule[] =>
    rule.action === 'MASK' && !asksService(rule)
      ? [{ policy, version, rule: { ...rule, where: ['INPUT'], roles: null } }]
      : [],
  );
  const program = own.length === 0 ? ALONE : createProgram([...own, ...ALWAYS]);
  together.set(of, program);
  return program;
}

export interface MaskDeps {
  readonly nowMs: () => number;
  /** Of one body. */
  readonly mostBytes: number;
  /** Gives others their turn: one for all bodies of a batch, as many small ones take as long as a large one. */
  readonly takeTurns: TakeTurns;
}

/** What cannot be masked is left out. */
export async function maskBodies(
  deps: MaskDeps,
  { answer, atMs, organisationId, partial, request, requestId, screening }: EndedBodies,
): Promise<RequestBodies> {
  const masking = createScreening({
    program: maskingProgram(screening?.program),
    random: () => 0,
  });
  // The request was masked where rules say so; the answer has these texts again.
  const hide = screening?.restores() ? screening.hide : undefined;
  const bodies = {
    request: request && (await masked(deps, masking, () => request, undefined)),
    answer: answer && (await masked(deps, masking, answer, hide)),
  };
  const texts = [bodies.request?.text ?? '', bodies.answer?.text ?? ''];
  return {
    requestId,
    organisationId,
    atMs: Math.round(atMs),
    request: bodies.request ?? null,
    answer: bodies.answer ? { ...bodies.answer, partial } : null,
    masked: countPlaceholders(texts),
  };
}

async function masked(
  { mostBytes, nowMs, takeTurns }: MaskDeps,
  masking: Screening,
  read: () => UnmaskedBody,
  hide: Screening['hide'] | undefined,
): Promise<BodyText> {
  try {
    const body = read();
    if ('leftOut' in body) return leftOut(body.leftOut);
    const document = 'document' in body ? body.document : encoded(masking, body, mostBytes);
    if (document === undefined) return leftOut('TOO_LARGE');
    const holder = { document };
    const { finish, texts, write } = textsIn(holder);
    if (hide && !(await hideAgain(texts, hide, takeTurns))) return leftOut('MASKED');
    await screenTexts({ nowMs }, masking, texts, takeTurns);
    finish();
    const text = typeof holder.document === 'string' ? holder.document : write(holder.document);
    return Buffer.byteLength(text) > mostBytes ? leftOut('TOO_LARGE') : { text, leftOut: '' };
  } catch {
    return leftOut('UNREADABLE');
  }
}

function leftOut(why: BodyLeftOut): BodyText {
  return { text: '', leftOut: why };
}

const KIND = { place: 'INPUT', role: 'user', fresh: true } as const;

/** False: there are too many texts to look for. */
async function hideAgain(
  texts: readonly DocumentText[],
  hide: Screening['hide'],
  takeTurns: TakeTurns,
): Promise<boolean> {
  for (const one of texts) {
    const hidden = hide(one.text);
    if (hidden === undefined) return false;
    if (hidden !== one.text) {
      one.set(hidden);
      one.text = hidden;
    }
    const turn = takeTurns();
    if (turn) await turn;
  }
  return true;
}

type Streamed = Extract<UnmaskedBody, { readonly response: NormalisedResponse }>;

function encoded(
  { program }: Screening,
  { complete, encode, response }: Streamed,
  most: number,
): unknown {
  if (!complete) {
    for (const { content } of response.choices) {
      const last = content.at(-1);
      if (last && 'text' in last) last.text = decided(program, last.text);
      if (last?.type === 'tool_call') last.arguments = decided(program, last.arguments);
    }
  }
  return copyWithin(encode(response), most)?.copy;
}

/** What a text says however it would have gone on. */
function decided(program: Program, text: string): string {
  const ends = program.findersOf('INPUT', KIND).map((finder) => finder.scan(text, []));
  return text.slice(0, Math.min(text.length, ...ends));
}

const PLACEHOLDER = /<([A-Z][A-Z0-9_]*)_\d{1,6}>/g;
const MOST_LABELS = 50;

/** How often each kind of masked text stands in the bodies. */
function countPlaceholders(texts: readonly string[]) {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [, label = ''] of text.matchAll(PLACEHOLDER)) {
      if (label.length > 64) continue;
      if (counts.size < MOST_LABELS || counts.has(label)) {
        counts.set(label, (counts.get(label) ?? 0) + 1);
      }
    }
  }
  return [...counts].map(([label, count]) => ({ label, count }));
}
