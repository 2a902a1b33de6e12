// Presidio's analyzer: POST /analyze for one text, which answers a list of entities.
// https://microsoft.github.io/presidio/api-docs/api-docs.html

import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { createFindings, MOST_FINDINGS, ServiceAnswerError, type Protocol } from './check';

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
      const findingAt = createFindings(check);
      const findings = answers.flatMap((given, at) => {
        const { data } = entities.safeParse(given);
        if (!data) throw new ServiceAnswerError('the answer is no list of entities');
        return data
          .filter(({ score }) => score >= scoreThreshold)
          .map(({ end, entity_type: type, start }) => findingAt(at, [start, end], type));
      });
      return { refused: false, findings };
    },
  };
}
