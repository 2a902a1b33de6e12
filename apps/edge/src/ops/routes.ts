import { gatewayError, GatewayError } from '@tollgate/contracts';
import { hashApiKey } from '@tollgate/contracts/node';
import { safeEqual, uuidv7, type Logger, type Metrics } from '@tollgate/kit';
import type { Express, Request, RequestHandler, Response } from 'express';
import { z } from 'zod';

import { sendError } from '../errors';
import { FORMATS, type FormatName } from '../formats';
import { ClientGone, parseSmallBody, readSmallBody } from '../intake';
import { readKey } from '../intake/read-key';
import type { PolicyQuestions } from '../policy/unary';
import { requestIdHeaders } from '../reply/answer-headers';
import { errorFormatOf, type KeyPlace } from '../routes';
import { withoutMessages, type EdgeHealth } from './health';
import { checkValid, describeKey } from './keys';
import { describeModel, describeModels, MODEL_ROUTES, type ModelRoute } from './models';

export interface OpsDeps {
  policy: Pick<PolicyQuestions, 'validateKey' | 'invalidate'>;
  health: EdgeHealth;
  /** Undefined: metrics are served only on the ops port. */
  metrics: Metrics | undefined;
  /** Undefined: the cache cannot be invalidated from outside. */
  invalidationSecret: string | undefined;
  log: Logger;
}

const BEARER: readonly KeyPlace[] = [{ bearer: true }];
/** Bodies of these routes have one or two fields. */
const BODY_BYTES = 16 * 1024;
const BODY_DEPTH = 4;

/** The routes that are not model requests. */
export function addOpsRoutes(app: Express, deps: OpsDeps): void {
  const { policy } = deps;

  app.get('/v1/health', (_req, res) => {
    res.json({ status: 'ok' });
  });

  app.get(
    '/v1/healthz',
    answer(deps, async (req, res) => {
      const own = req.query['scope'] === 'serving';
      const { ok, body } = own ? await deps.health.serving() : await deps.health.all();
      res.status(ok ? 200 : 503).json(withoutMessages(body));
    }),
  );

  const { metrics } = deps;
  if (metrics) {
    app.get(
      '/metrics',
      answer(deps, async (req, res) => {
        const { contentType, text } = await metrics.exposition(req.headers.accept);
        res.type(contentType).send(text);
      }),
    );
  }

  for (const route of MODEL_ROUTES) addModelRoutes(app, deps, route);

  app.post(
    '/v1/keys/validate',
    answer(deps, async (req, res) => {
      const reply = await policy.validateKey(await keyToValidate(req));
      checkValid(reply);
      res.json(describeKey(reply));
    }),
  );

  const { invalidationSecret } = deps;
  if (invalidationSecret) {
    app.post(
      '/v1/internal/cache/invalidate',
      answer(deps, async (req, res) => {
        checkSecret(req, invalidationSecret);
        res.json({ dropped: await policy.invalidate(await whatToForget(req)) });
      }),
    );
  }
}

function addModelRoutes(app: Express, deps: OpsDeps, { methods, path, shape }: ModelRoute): void {
  const granted = async (req: Request) => {
    const reply = await deps.policy.validateKey(readKey(req, shape(req).keys));
    checkValid(reply);
    return reply;
  };
  const format = (req: Request): FormatName => shape(req).format;
  const list = answer(
    deps,
    async (req, res) => {
      res.json(describeModels(shape(req), await granted(req), Date.now()));
    },
    format,
  );
  const one = answer(
    deps,
    async (req, res) => {
      const reply = await granted(req);
      const { model: parts } = req.params;
      const name = Array.isArray(parts) ? parts.join('/') : (parts ?? '');
      res.json(describeModel(shape(req), reply, { name, nowMs: Date.now() }));
    },
    format,
  );
  for (const method of methods) app[method](path, list);
  app.get(`${path}/*model`, one);
}

// Sends errors in the format of the path's family, and the request id with every answer.
function answer(
  deps: OpsDeps,
  handle: (req: Request, res: Response) => Promise<void>,
  format = (req: Request): FormatName => errorFormatOf(req.method, req.path),
): RequestHandler {
  return async (req, res) => {
    const requestId = uuidv7();
    res.set(requestIdHeaders(requestId));
    try {
      await handle(req, res);
    } catch (error) {
      if (error instanceof ClientGone || res.headersSent) return;
      const told = error instanceof GatewayError ? error : gatewayError('internal_error');
      if (told !== error) deps.log.error('request failed', { requestId, path: req.path, error });
      sendError(req, res, FORMATS[format(req)], told, requestId);
    }
  };
}

const keySchema = z.object({ key: z.string().min(1).max(256) });

/** From the header as elsewhere, or from the body: `{"key": "…"}`. */
async function keyToValidate(req: Request): Promise<Buffer> {
  if (req.headers.authorization !== undefined) return readKey(req, BEARER);
  const bytes = await readSmallBody(req, BODY_BYTES);
  if (bytes.length === 0) throw gatewayError('missing_api_key');
  const parsed = keySchema.safeParse(parseSmallBody(bytes, BODY_DEPTH));
  if (!parsed.success) {
    throw gatewayError('missing_api_key', 'No API key was sent, neither as a header nor as `key`.');
  }
  return hashApiKey(parsed.data.key);
}

const forgetSchema = z.strictObject({
  organisationId: z.uuid().optional(),
  key: z.string().min(1).max(256).optional(),
});

/** `{organisationId?, key?}`; an empty object means everything. */
async function whatToForget(req: Request) {
  const bytes = await readSmallBody(req, BODY_BYTES);
  const body = bytes.length === 0 ? {} : parseSmallBody(bytes, BODY_DEPTH);
  const parsed = forgetSchema.safeParse(body);
  if (!parsed.success) {
    const param = parsed.error.issues[0]?.path.join('.') || 'body';
    throw gatewayError('invalid_request', `${param} is not valid.`, { param });
  }
  const { organisationId = '', key } = parsed.data;
  return { organisationId, ...(key === undefined ? {} : { keySha256: hashApiKey(key) }) };
}

function checkSecret(req: Request, secret: string): void {
  const given = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
  if (!safeEqual(given, secret)) {
    throw gatewayError('invalid_api_key', 'The secret of this route is missing or wrong.');
  }
}
