import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from '@tollgate/stack';

import { startGateway, undo } from '../gateway/gateway';
import { newTenant } from '../gateway/tenant';
import type { Target } from './input';
import { EDGE_HEAP_MIB } from './limits';
import { bytesInFolder } from './memory';
import { openOthers, type Others } from './others-process';
import { HOSTILE_ANSWERS, startHostileUpstream } from './upstream';
import { hostileModel } from './upstream-inputs';

// A gateway of separate processes with the production deadlines, a well-behaved upstream (the
// simulator) and a hostile one.

export interface World {
  readonly edge: RunningService;
  readonly edgeUrl: string;
  /** The address of the edge's metrics. */
  readonly opsUrl: string;
  readonly goodKey: string;
  readonly others: Others;
  readonly target: (signal: AbortSignal) => Target;
  /** The names of services that have ended. */
  readonly ended: () => readonly string[];
  /** Restarts services that have ended, and the edge in any case. */
  readonly replaceEdge: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startWorld(): Promise<World> {
  const cleanup: (() => Promise<unknown>)[] = [];
  const stop = (): Promise<void> => undo(cleanup);
  try {
    return await build(cleanup, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(
  cleanup: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<World> {
  const uploads = await realpath(await mkdtemp(join(tmpdir(), 'tollgate-abuse-')));
  cleanup.push(() => rm(uploads, { recursive: true, force: true }));
  const upstream = await startHostileUpstream();
  cleanup.push(upstream.stop);
  const gateway = await startGateway({
    ownDeadlines: true,
    env: {
      edge: {
        NODE_OPTIONS: `--max-old-space-size=${String(EDGE_HEAP_MIB)}`,
        UPLOAD_DIR: uploads,
        LOG_LEVEL: 'warn',
      },
    },
  });
  cleanup.push(gateway.stop);
  const tenant = await newTenant(gateway);
  const modelIds = [tenant.modelId, await tenant.model('embed', 'sim', { type: 'embeddings' })];
  for (const index of HOSTILE_ANSWERS.keys()) {
    const provider = await tenant.create('providers', {
      name: hostileModel(index),
      type: 'PROVIDER_A',
      baseUrl: upstream.urlOf(index),
      apiKey: 'sk-hostile',
    });
    const over = { providerId: provider.id };
    modelIds.push(await tenant.model(hostileModel(index), 'hostile', over));
  }
  const others = await openOthers();
  cleanup.push(others.stop);
  const quiet = await tenant.create('providers', {
    name: 'others',
    type: 'PROVIDER_A',
    baseUrl: others.upstreamUrl,
    apiKey: 'sk-others',
  });
  modelIds.push(await tenant.model('others', 'others', { providerId: quiet.id }));
  const goodKey = (await tenant.key({ modelIds })).key;
  const [edge] = gateway.edges;
  if (edge === undefined) throw new Error('no edge was started');
  const edgeUrl = gateway.edgeUrl();
  others.start({ url: edgeUrl, key: goodKey, model: 'others' });
  const services = (): RunningService[] => [...gateway.stack.services.values()];
  const endedServices = (): RunningService[] =>
    services().filter((service) => !service.process().running());
  return {
    edge,
    edgeUrl,
    opsUrl: gateway.opsUrl(),
    goodKey,
    others,
    target: (signal) => ({
      port: edge.layout.ports.edge,
      goodKey,
      uploadedBytes: () => bytesInFolder(edge.process().pid, uploads),
      signal,
    }),
    ended: () => endedServices().map(({ name }) => name),
    replaceEdge: async () => {
      for (const service of endedServices()) if (service !== edge) await service.restart();
      await edge.restart();
    },
    stop,
  };
}
