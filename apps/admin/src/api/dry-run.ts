import { rest } from '@tollgate/contracts';
import { z } from 'zod';

// What the browser asks the console's server about a key, and what the gateway answers
// (docs/dry-run.md).

export const TRY_FORMATS = [
  'unified',
  'chat',
  'responses',
  'messages',
  'gemini',
  'embeddings',
] as const;
export type TryFormat = (typeof TRY_FORMATS)[number];

export const tryQuestion = z.strictObject({
  format: z.enum(TRY_FORMATS),
  /** Named in the path of some formats. */
  model: z.string().min(1).max(512),
  body: z.record(z.string(), z.unknown()),
});
export type TryQuestion = z.output<typeof tryQuestion>;

export const dryRunAnswer = rest.explainedDecision;
export type DryRunAnswer = rest.ExplainedDecision;

export interface TryFailure {
  readonly failure: string;
}

/** Asks the console's server. A refusal of the question and a lost connection are failures. */
export async function askDryRun(
  { apiKeyId, organisationId }: { readonly organisationId: string; readonly apiKeyId: string },
  question: TryQuestion,
): Promise<DryRunAnswer | TryFailure> {
  const [organisation, key] = [organisationId, apiKeyId].map(encodeURIComponent);
  try {
    const response = await fetch(`/api/organisations/${organisation}/apikeys/${key}/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    });
    return dryRunAnswerIn(await response.text());
  } catch {
    return { failure: 'The connection was lost. Ask again.' };
  }
}

const anyError = z.object({ error: z.object({ message: z.string() }) });

/** The answer, or the message of an error in any format. */
export function dryRunAnswerIn(text: string): DryRunAnswer | TryFailure {
  const value = jsonOf(text);
  const answer = dryRunAnswer.safeParse(value);
  if (answer.success) return answer.data;
  const error = anyError.safeParse(value);
  return {
    failure: error.success
      ? error.data.error.message
      : 'The gateway gave an answer that this page does not understand. Reload the page.',
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
