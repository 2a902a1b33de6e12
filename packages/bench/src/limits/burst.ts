import { ask, countsOf, openCallers } from './ask';
import { BURST, type Candidate } from './candidate';
import type { CountingUpstream } from './upstream';

/** What a gateway let through of many requests at once, on a budget for a few. */
export interface BurstRow {
  readonly name: string;
  readonly asked: number;
  readonly affordable: number;
  readonly served: number;
  /** What the provider bills for. */
  readonly began: number;
  readonly answers: Readonly<Record<string, number>>;
}

export async function burst(
  candidate: Candidate,
  upstream: CountingUpstream,
): Promise<BurstRow | undefined> {
  const { budgetHeaders, name } = candidate;
  if (budgetHeaders === undefined) return undefined;
  upstream.reset();
  const agent = openCallers(BURST.asked);
  try {
    const answers = await Promise.all(
      Array.from({ length: BURST.asked }, () => ask(agent, candidate, budgetHeaders)),
    );
    const served = answers.filter((answer) => answer === 200).length;
    return {
      name,
      asked: BURST.asked,
      affordable: BURST.affordable,
      served,
      began: upstream.began(),
      answers: countsOf(answers),
    };
  } finally {
    await agent.destroy();
  }
}
