// Presidio's analyzer: POST /analyze for one text, which answers a list of entities.
// https://microsoft.github.io/presidio/api-docs/api-docs.html

import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { findingAt, MOST_FINDINGS, ServiceAnswerError, type Protocol } from './check';

const entities = z
  .array(
    z.object({
      entity_type: z.string(),
      start: z.int().min(0),
      end: z.int().min(0),
      score: z.number(),
    }),
  )
  .max(MOST_FINDINGS);

type Settings = Extract<rest.ScreeningProtocol, { type: 'PRESIDIO' }>;

export function presidio(settings: Settings): Protocol {
  const { language, scoreThreshold } = settings;
  const named = settings.entities === null ? {} : { entities: settings.entities };
  return {
    callsOf: ({ texts }) =>
      texts.map(({ text }) => ({
        path: '/analyze',
        body: { text, language, score_threshold: scoreThreshold, ...named },
      })),
    read: (answers, check) => {
      const lists = answers.map((given) => {
        const { data } = entities.safeParse(given);
        if (!data) throw new ServiceAnswerError('the answer is no list of entities');
        return data.filter(({ score }) => score >= scoreThreshold);
      });
      // One answer for each text; the limit is that of the check.
      const count = lists.reduce((sum, { length }) => sum + length, 0);
      if (count > MOST_FINDINGS) throw new ServiceAnswerError('the answers have too many entities');
      const findings = lists.flatMap((list, at) =>
        list.map(({ end, entity_type: type, start }) => findingAt(check, at, [start, end], type)),
      );
      return { refused: false, findings };
    },
  };
}
