// OpenAI's moderations: POST /moderations with a list of texts, which answers one result for each.
// https://platform.openai.com/docs/api-reference/moderations/create

import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { ServiceAnswerError, wholeText, type Protocol } from './check';

const result = z.object({
  flagged: z.boolean(),
  categories: z.record(z.string(), z.boolean().nullable()).default({}),
  category_scores: z.record(z.string(), z.number().nullable()).default({}),
});
const answer = z.object({ results: z.array(result) });

type Settings = Extract<rest.ScreeningProtocol, { type: 'OPENAI_MODERATION' }>;

export function openAiModeration({ model, thresholds }: Settings): Protocol {
  const foundIn = (given: z.output<typeof result>): string | undefined => {
    if (thresholds === null) {
      const flagged = Object.entries(given.categories).find(([, is]) => is === true);
      return given.flagged ? (flagged?.[0] ?? 'flagged') : undefined;
    }
    return Object.entries(thresholds).find(
      ([name, least]) => (given.category_scores[name] ?? 0) >= least,
    )?.[0];
  };
  return {
    callsOf: ({ texts }) => [
      { path: '/moderations', body: { model, input: texts.map(({ text }) => text) } },
    ],
    read: ([given], check) => {
      const { data } = answer.safeParse(given);
      if (data?.results.length !== check.texts.length) {
        throw new ServiceAnswerError('the answer has not one result for each text');
      }
      const findings = data.results.flatMap((one, at) => {
        const category = foundIn(one);
        return category === undefined ? [] : [wholeText(check, at, category)];
      });
      return { refused: false, findings };
    },
  };
}
