// Requests whose texts services judge.

import type { ServerResponse } from 'node:http';
import type { ScreeningService } from '@tollgate/contracts/node';

import { chat, startHarness, type Harness } from '../../test-support/harness';
import { json, startFakeService, type Asked, type FakeService } from './fake-service';
import { screens } from './rules';

interface Parts {
  h: Harness;
  service: FakeService;
}

/** Starts an edge and a service for the tests of a file; the service finds nothing unless a test says so. */
export function useService(
  given: (parts: Parts) => void,
  over: Parameters<typeof startHarness>[0] = {},
): void {
  let parts: Parts;
  beforeAll(async () => {
    parts = { h: await startHarness(over), service: await startFakeService() };
    given(parts);
  });
  beforeEach(async () => {
    await parts.h.reset();
    parts.service.asked.length = 0;
    parts.service.answer = (_, res) => json(res, { verdict: 'PASS' });
  });
  afterAll(async () => {
    await parts.h.stop();
    await parts.service.stop();
  });
}

const EXTERNAL = { kind: 'EXTERNAL', service: 'checker', timeoutMs: 10_000 };

/** From now on rules apply to every request; those without a kind ask the service. */
export function askRules(
  h: Pick<Harness, 'catalog' | 'policy'>,
  rules: readonly Record<string, unknown>[],
  given: ScreeningService,
  more: { serviceKeyIds?: string[]; apiKeyId?: string } = {},
  over: Parameters<typeof screens>[2] = {},
): void {
  const all = rules.map((rule) => (rule['kind'] === undefined ? { ...EXTERNAL, ...rule } : rule));
  screens(h, all, over, { services: [given], ...more });
}

export function say(h: Pick<Harness, 'post'>, content: string, over: object = {}) {
  const messages = [{ role: 'user', content }];
  return h.post('/v1/chat/completions', chat({ messages, ...over }));
}

/** What the upstream got. */
export function sentTo({ upstream }: Pick<Harness, 'upstream'>): string {
  return JSON.stringify(upstream.received.map(({ body }) => body));
}

interface CheckBody {
  texts: { id: string; place: string; role: string; text: string }[];
}

export function textsIn({ body }: Asked): CheckBody['texts'] {
  return (body as unknown as CheckBody).texts;
}

/** Finds a word in every text that has it. Offsets count code points. */
export function findsWord(word: string, label = 'NAME') {
  return (asked: Asked, res: ServerResponse): void => {
    const findings = textsIn(asked).flatMap(({ id, text }) => {
      const at = text.indexOf(word);
      if (at < 0) return [];
      const start = Array.from(text.slice(0, at)).length;
      return [{ textId: id, start, end: start + Array.from(word).length, label }];
    });
    json(res, { verdict: 'PASS', findings });
  };
}
