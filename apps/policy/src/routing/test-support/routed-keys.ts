import type {
  AttemptReport,
  AuthorizeReply__Output,
  SessionReply__Output,
  SessionRequest,
} from '@tollgate/contracts/node';
import { openStream } from '@tollgate/kit';

import { ask, sha256, SUBJECT } from '../../test-support/contexts';
import { eventually, type Rig } from '../../test-support/rig';
import { routedContext, type candidateModel } from './policies';

type Context = ReturnType<typeof routedContext>;

export const tried = ({ allow }: AuthorizeReply__Output) =>
  allow?.candidates.map(({ modelId }) => modelId);
export const leftOut = ({ allow }: AuthorizeReply__Output) =>
  Object.fromEntries(
    (allow?.routing?.leftOut ?? []).map(({ modelId, reason }) => [modelId, reason]),
  );

/** Keys with a routing policy, each of its own organisation, and reports of edges about them. */
export function routedKeys(rig: () => Rig, called: string) {
  let cases = 0;

  const key = (
    models: readonly ReturnType<typeof candidateModel>[],
    policy: Parameters<typeof routedContext>[1] = {},
    changes: Partial<Context> = {},
  ) => {
    cases += 1;
    const keySha256 = sha256(`${called} ${String(cases)}`);
    const organisationId = `${called}-org/${String(cases)}`;
    const subject = { ...SUBJECT, organisationId, apiKeyId: `${called}-key/${String(cases)}` };
    const limits = (changes.limits ?? []).map((one) =>
      one.scopeType === 'ORGANISATION' ? { ...one, scopeId: organisationId } : one,
    );
    rig().catalog.putKey(keySha256, routedContext(models, policy, { subject, ...changes, limits }));
    const request = (more: Parameters<typeof ask>[0] = {}) =>
      ask({ keySha256, model: 'any-chat', ...more });
    return {
      organisationId,
      request,
      authorize: (more: Parameters<typeof ask>[0] = {}) => rig().authorize(request(more)),
    };
  };

  /** Redis has this many: the reports are counted before it is told. */
  const attempts = async (): Promise<number> => {
    const lines = (await rig().metric('tollgate_policy_store_seconds_count')).split('\n');
    const line = lines.find((one) => one.includes('script="attempted"'));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  /** Reports attempts like an edge; resolves when the policy has processed them. */
  const report = async (
    organisationId: string,
    modelId: string,
    reports: AttemptReport[],
  ): Promise<void> => {
    const before = await attempts();
    const session = openStream(rig().client, 'session');
    session.on('data', (_frame: SessionReply__Output) => {});
    session.on('error', () => {});
    const providerId = modelId.replace('m', 'p');
    const frame: SessionRequest = {
      items: [],
      attempts: reports.map((one) => ({ organisationId, modelId, providerId, ...one })),
    };
    session.write(frame);
    await eventually('the reports are processed', async () => {
      expect(await attempts()).toBe(before + reports.length);
    });
    session.end();
  };

  return { key, report };
}
