import type { rest } from '@tollgate/contracts';
import type { McpSignIn } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

interface Row {
  organisation_id: string;
  issuer: string;
  audiences: string[];
  scopes: string[];
  rules: rest.McpSignInPut['rules'];
  updated_at: Date;
  /** Of the rules' keys that exist, by id. */
  keys: Record<string, string>;
}

/** Undefined: there is no active organisation with this slug, or it accepts no tokens. */
export async function getMcpSignIn(pool: Pool, slug: string): Promise<McpSignIn | undefined> {
  const { rows } = await pool.query<Row>({
    name: 'directory-get-mcp-sign-in',
    text: `SELECT s.organisation_id, s.issuer, s.audiences, s.scopes, s.rules, s.updated_at, coalesce((
          SELECT jsonb_object_agg(k.id, encode(k.key_sha256, 'hex')) FROM api_key k
          WHERE k.organisation_id = s.organisation_id
            AND k.id IN (SELECT (rule->>'apiKeyId')::uuid FROM jsonb_array_elements(s.rules) rule)
        ), '{}') AS keys
      FROM mcp_sign_in s JOIN organisation o ON o.id = s.organisation_id
      WHERE o.slug = $1 AND o.status = 'ACTIVE'`,
    values: [slug],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    organisationId: row.organisation_id,
    version: row.updated_at.getTime(),
    issuer: row.issuer,
    audiences: row.audiences,
    scopes: row.scopes,
    rules: row.rules.flatMap(({ apiKeyId, claim, value }) => {
      const hash = row.keys[apiKeyId];
      return hash === undefined ? [] : [{ claim, value, keySha256: Buffer.from(hash, 'hex') }];
    }),
  };
}
