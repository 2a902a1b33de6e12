// Counts an answer without reported usage before it is charged.

import { emptyUsage, type TokenUsage } from '@tollgate/contracts';

import { countedIn, expectedInput } from '../exchange/charge';
import type { Gateway } from '../exchange/gateway';
import type { BufferedOutput } from '../formats';
import { estimateText } from '../formats/estimate';
import type { PlainText } from '../formats/estimate/input-text';
import type { Answered, Job, Passage } from '../operations';

/** Limit of text that the tokeniser counts per input or answer, in UTF-16 characters. */
const TEXT_CHARACTERS = 512 * 1024;
/**
 * How far another vendor's count of a text may be from ours, either way. Measured in docs/counting.md.
 */
export const TOKENISERS_DIFFER = 1.6;
/** Estimate for audio and images in an answer, which a text tokeniser cannot count. */
const OPAQUE_BYTES_PER_TOKEN = 3;

/**
 * Replaces the report's estimate by the tokeniser's count. Undefined: there is nothing to count,
 * because the provider counted or another measure applies. Never rejects: if the count fails, the
 * running estimate stays.
 */
export function countStream(
  { tokens }: Pick<Gateway, 'tokens'>,
  job: Job | undefined,
  { report, output }: Pick<Passage, 'report' | 'output'>,
): Promise<void> | undefined {
  if (!output || report.usage || report.estimate) return undefined;
  return count();

  async function count(): Promise<void> {
    const said = output?.read();
    const { inputUsage, outputPieces, outputTokensEstimate } = report;
    const [counted, input] = await Promise.all([
      said && outputTokens(tokens, said),
      inputUsage ?? inputOf(tokens, job),
    ]);
    // Output that was not buffered, because a count seemed certain, has only the running estimate.
    const known = counted !== undefined && (counted > 0 || outputTokensEstimate === 0);
    const measured = known ? byPieces(counted, outputPieces) : undefined;
    if (measured === undefined && input === undefined) return;
    report.estimate = { ...(input ?? guessedInput(job)), output: measured ?? outputTokensEstimate };
  }
}

/**
 * Most servers send each token as one piece, whatever their tokeniser, so the number of pieces is
 * the better count. A server that splits its text otherwise is far from our count, and then ours is
 * used.
 */
function byPieces(counted: number, pieces: number): number {
  return pieces <= counted * TOKENISERS_DIFFER ? Math.max(counted, pieces) : counted;
}

/** Counts a whole answer. Undefined: there is nothing to count. */
export function countAnswer(
  { tokens }: Pick<Gateway, 'tokens'>,
  job: Job | undefined,
  report: Answered['report'],
): Promise<void> | undefined {
  const { said } = report;
  if (!said || report.free || countedIn(report)) return undefined;
  return count(said());

  async function count(text: PlainText): Promise<void> {
    const [output, input] = await Promise.all([textTokens(tokens, text), inputOf(tokens, job)]);
    if (output === undefined && input === undefined) return;
    const guessed = report.estimate?.output ?? 0;
    report.estimate = { ...(input ?? guessedInput(job)), output: output ?? guessed };
  }
}

/** Undefined: it cannot be counted. */
async function inputOf(tokens: Tokens, job: Job | undefined): Promise<TokenUsage | undefined> {
  const heard = job?.inputText?.();
  const own = heard && (await textTokens(tokens, heard));
  if (own === undefined) return undefined;
  const input = own + (job?.readTokens ?? 0);
  return { ...emptyUsage(), input, audioInput: heard?.soundTokens ?? 0 };
}

function guessedInput(job: Job | undefined): TokenUsage {
  const audioInput = job?.audioInputTokensEstimate ?? 0;
  return { ...emptyUsage(), input: (job ? expectedInput(job) : 0) - audioInput, audioInput };
}

type Tokens = Gateway['tokens'];

async function outputTokens(tokens: Tokens, said: BufferedOutput): Promise<number | undefined> {
  const text = await bufferedTokens(tokens, said);
  return text === undefined
    ? undefined
    : text + Math.ceil(said.opaqueBytes / OPAQUE_BYTES_PER_TOKEN);
}

/**
 * Tokens of buffered text. Unbuffered text is assumed to have the same number of tokens per character.
 * Undefined: it cannot be counted.
 */
export async function bufferedTokens(
  tokens: Tokens,
  said: BufferedOutput,
): Promise<number | undefined> {
  const { texts, bufferedCharacters, unbufferedCharacters, countedTokens } = said;
  if (bufferedCharacters === 0 && unbufferedCharacters === 0) return countedTokens;
  const buffered = await tokens.count(texts);
  if (buffered === undefined) return undefined;
  const more =
    bufferedCharacters > 0 ? Math.ceil((unbufferedCharacters * buffered) / bufferedCharacters) : 0;
  return countedTokens + buffered + more;
}

async function textTokens(
  tokens: Tokens,
  { texts, otherTokens }: PlainText,
): Promise<number | undefined> {
  const some: string[] = [];
  let left = TEXT_CHARACTERS;
  let estimated = 0;
  let beyond = 0;
  for (const text of texts) {
    const part = text.slice(0, left);
    left -= part.length;
    if (part !== '') some.push(part);
    if (part.length < text.length) beyond += estimateText(text.slice(part.length));
  }
  const counted = await tokens.count(some);
  if (counted === undefined) return undefined;
  if (beyond > 0) for (const text of some) estimated += estimateText(text);
  const more = estimated > 0 ? Math.ceil((beyond * counted) / estimated) : 0;
  return otherTokens + counted + more;
}
