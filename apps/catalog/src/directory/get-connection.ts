import type { Connection } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import type { ConnectionSecret } from '../entities/provider-connection.entity';

interface ConnectionRow {
  organisation_id: string;
  provider_name: string;
  provider_type: string;
  upstream_format: string;
  base_url: string;
  api_version: string | null;
  headers: Record<string, string>;
  timeout_ms: number;
  connect_timeout_ms: number;
  first_byte_timeout_ms: number;
  idle_timeout_ms: number;
  secrets: ConnectionSecret[];
  present_secrets: ConnectionSecret[] | null;
}

interface SecretRow {
  id: string;
  name: string;
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/**
 * A provider's connection at a version, with sealed secrets; undefined when the version does not
 * exist.
 *
 * Secrets that were disabled or deleted since are left out; draining ones stay. When none is left
 * and the provider still has the same address, its present secrets are used, so that replacing a
 * key does not break requests in progress.
 */
export async function getConnection(
  pool: Pool,
  providerId: string,
  version: number,
): Promise<Connection | undefined> {
  const { rows } = await pool.query<ConnectionRow>({
    name: 'directory-get-connection',
    text: `SELECT organisation_id, provider_name, provider_type, upstream_format, base_url, api_version, headers,
        timeout_ms, connect_timeout_ms, first_byte_timeout_ms, idle_timeout_ms, secrets,
        (SELECT n.secrets FROM provider p
          JOIN provider_connection n ON n.provider_id = p.id AND n.version = p.connection_version
          WHERE p.id = c.provider_id AND n.version > c.version AND n.base_url = c.base_url
            AND n.provider_type = c.provider_type) AS present_secrets
      FROM provider_connection c WHERE provider_id = $1 AND version = $2`,
    values: [providerId, version],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    providerId,
    version,
    organisationId: row.organisation_id,
    providerName: row.provider_name,
    providerType: row.provider_type,
    upstreamFormat: row.upstream_format,
    baseUrl: row.base_url,
    apiVersion: row.api_version ?? '',
    headers: row.headers,
    timeoutMs: row.timeout_ms,
    connectTimeoutMs: row.connect_timeout_ms,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    secrets: await secretsOf(pool, providerId, row),
  };
}

async function secretsOf(pool: Pool, providerId: string, row: ConnectionRow) {
  const own = await sealedSecrets(pool, providerId, row.secrets);
  if (own.length > 0 || row.secrets.length === 0 || row.present_secrets === null) return own;
  return await sealedSecrets(pool, providerId, row.present_secrets);
}

async function sealedSecrets(
  pool: Pool,
  providerId: string,
  named: readonly ConnectionSecret[],
): Promise<NonNullable<Connection['secrets']>> {
  const { rows } = await pool.query<SecretRow>({
    name: 'directory-get-secrets',
    text: `SELECT id, name, key_id, nonce, ciphertext, tag FROM provider_api_key
      WHERE provider_id = $1 AND id = ANY($2::uuid[]) AND status IN ('ACTIVE', 'DRAINING')
      ORDER BY id`,
    values: [providerId, named.map((secret) => secret.apiKeyId)],
  });
  const weights = new Map(named.map((secret) => [secret.apiKeyId, secret.weight]));
  return rows.map((row) => ({
    apiKeyId: row.id,
    name: row.name,
    keyId: row.key_id,
    nonce: row.nonce,
    ciphertext: row.ciphertext,
    tag: row.tag,
    weight: weights.get(row.id) ?? 1,
  }));
}
