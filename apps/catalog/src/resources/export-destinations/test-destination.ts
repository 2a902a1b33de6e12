import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { rest, restError } from '@tollgate/contracts';
import { exportSecretContext, openSecret } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { objectName, send, type ExportDestination } from '../../exports';
import type { Call } from '../../rest/call';
import type { ExportDestinationDeps } from './export-destinations';

const zip = promisify(gzip);

/**
 * Delivers one line of the type TEST as a batch is delivered, and says how that went. Nothing is
 * stored, and the destination's position stays.
 */
export async function testDestination(
  row: ExportDestination,
  { keyRing, addressRules }: ExportDestinationDeps,
  { nowMs }: Pick<Call, 'nowMs'>,
): Promise<rest.ExportTestResult> {
  const { id, target } = row;
  const createdAt = new Date(nowMs);
  const line = {
    schemaVersion: rest.EXPORT_SCHEMA_VERSION,
    recordType: 'TEST',
    id: uuidv7(),
    organisationId: row.organisationId,
    exportDestinationId: id,
    createdAt: createdAt.toISOString(),
  };
  const body = Buffer.from(`${JSON.stringify(line)}\n`);
  const compressed = target.compression === 'GZIP';
  const parcel = {
    id: line.id,
    number: null,
    record: null,
    rows: 1,
    createdAt,
    compressed,
    body: compressed ? await zip(body) : body,
  };
  const begunAt = performance.now();
  const secret = openSecret(keyRing, sealedOf(row), exportSecretContext(id));
  const outcome = await send(target, secret, parcel, { addressRules, nowMs });
  return {
    ok: outcome.ok,
    status: outcome.status,
    message: outcome.ok ? `The sample was accepted.` : outcome.message,
    object: target.type === 'S3' ? objectName(target, parcel) : null,
    durationMs: Math.round(performance.now() - begunAt),
  };
}

function sealedOf(row: ExportDestination) {
  const { secretKeyId, secretNonce, secretCiphertext, secretTag } = row;
  if (!secretKeyId || !secretNonce || !secretCiphertext || !secretTag) throw restError('not_found');
  return { keyId: secretKeyId, nonce: secretNonce, ciphertext: secretCiphertext, tag: secretTag };
}
