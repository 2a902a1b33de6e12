// Counts a stream whose provider has not, before it is charged for.

import { emptyUsage } from '@tollgate/contracts';
import { estimateText } from '../estimate';
import type { InputText } from '../estimate/input-text';
import type { KeptOutput } from '../formats';
import type { Job, Passage } from '../operations';
import type { Gateway } from '../pipeline/gateway';

/** The most of an input that is counted by the tokeniser, in UTF-16 characters. */
const INPUT_CHARACTERS = 512 * 1024;
/** Sound and pictures in an answer, which no tokeniser of text can count. */
const OPAQUE_BYTES_PER_TOKEN = 3;

/**
 * Makes the count of the tokeniser the report's estimate. Undefined: there is nothing to count, since
 * the provider has, or there is another measure. Never rejects; where nothing can be counted the
 * running estimate stands.
 */
export function countStream(
  { tokens }: Pick<Gateway, 'tokens'>,
  job: Job | undefined,
  { report, kept }: Pick<Passage, 'report' | 'kept'>,
): Promise<void> | undefined {
  if (!kept || report.usage || report.estimate) return undefined;
  return count();

  async function count(): Promise<void> {
    const said = kept?.read();
    const { inputUsage, outputTokensEstimate } = report;
    const heard = inputUsage ? undefined : job?.inputText?.();
    const [output, input] = await Promise.all([
      said && outputTokens(tokens, said),
      heard && inputTokens(tokens, heard),
    ]);
    if (output === undefined && input === undefined) return;
    const guessed = (job?.inputTokensEstimate ?? 0) - (job?.audioInputTokensEstimate ?? 0);
    report.estimate = {
      ...(inputUsage ?? {
        ...emptyUsage(),
        input: input ?? guessed,
        audioInput: heard?.soundTokens ?? job?.audioInputTokensEstimate ?? 0,
      }),
      output: output ?? outputTokensEstimate,
    };
  }
}

type Tokens = Gateway['tokens'];

/** What was not kept is taken to have as many tokens to a character as what was. */
async function outputTokens(tokens: Tokens, said: KeptOutput): Promise<number | undefined> {
  const { texts, keptCharacters, moreCharacters, opaqueBytes, countedTokens } = said;
  const counted = await tokens.count(texts);
  if (counted === undefined) return undefined;
  const kept = counted + Math.ceil(opaqueBytes / OPAQUE_BYTES_PER_TOKEN);
  const more = keptCharacters > 0 ? Math.ceil((moreCharacters * kept) / keptCharacters) : 0;
  return countedTokens + kept + more;
}

async function inputTokens(tokens: Tokens, input: InputText): Promise<number | undefined> {
  const { texts, otherTokens } = input;
  const some: string[] = [];
  let left = INPUT_CHARACTERS;
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
